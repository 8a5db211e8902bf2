#!/usr/bin/env bash
# Unpacks a Debian source package into the current folder and prints its version: of the packages named the first that can
# be had, in its newest version that can be had (an index may list one that the mirror no longer has).
#
#   scripts/debian-source.sh php8.4 php8.2
set -euo pipefail
. "$(dirname "$0")/lib.sh"

command -v apt-get >/dev/null || fail "this is no Debian: the source of $* cannot be fetched."

# A package index of our own with the source entries of the machine's Debian suites: needs no root and changes no system file.
apt_root=$cache/apt
mkdir -p "$apt_root"/{lists/partial,archives/partial,sources.list.d}
exec 9>"$cache/apt.lock"; flock 9
codename=$(. /etc/os-release; echo "${VERSION_CODENAME:-}")
sources() {
	local f
	for f in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
		[ -f "$f" ] && sed -nE "s/^deb(-src)?[[:space:]]+(.*[[:space:]]$codename)/deb-src \2/p" "$f"
	done >"$apt_root/sources.list.d/src.list"
	for f in /etc/apt/sources.list.d/*.sources; do
		[ -f "$f" ] && awk -v RS= -v ORS='\n\n' -v c="$codename" '$0 ~ "Suites:[^\n]*" c { gsub(/Types:[^\n]*/, "Types: deb-src"); print }' "$f"
	done >"$apt_root/sources.list.d/src.sources"
	return 0
}
sources
apt=(-o "Dir::Etc::sourcelist=/dev/null" -o "Dir::Etc::sourceparts=$apt_root/sources.list.d" -o "Dir::State::lists=$apt_root/lists"
	-o "Dir::Cache::archives=$apt_root/archives" -o "Dir::Cache::pkgcache=" -o "Dir::Cache::srcpkgcache=" -o APT::Sandbox::User=root)
apt-get "${apt[@]}" -qq update >&2 || fail "Debian's package index cannot be reached: connect this machine to a Debian mirror."

for package in "$@"; do
	while read -r version; do
		[ -n "$version" ] || continue
		say "trying $package $version"
		if apt-get "${apt[@]}" -qq source "$package=$version" >apt.log 2>&1; then echo "$version"; exit; fi
		tail -n 2 apt.log >&2
	done < <(apt-cache "${apt[@]}" showsrc "$package" 2>/dev/null | sed -n 's/^Version: //p' | sort -Vru)
done
fail "none of Debian's sources of $* could be downloaded."
