#!/usr/bin/env bash
# Makes sure that Debian packages are installed, by purpose: scripts/debian.sh build lint ...
# Asks apt only for those that are missing. On another system it does nothing: there the compiler says what it lacks.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

# for_purpose NAME: the packages that one purpose needs.
for_purpose() {
	case $1 in
	build) echo build-essential pkg-config ca-certificates git libxxhash-dev libxml2-dev libonig-dev libssl-dev zlib1g-dev ;;
	php) echo dpkg-dev re2c bison ;;
	lint) echo clang-format ;;
	bench) echo dpkg-dev autoconf libtool php-symfony-lock ;;
	fuzz) echo clang libclang-rt-dev ;;
	soak) echo spin qemu-user-static gcc-aarch64-linux-gnu libc6-dev-arm64-cross ;;
	demo) echo chromium nodejs ;;
	redis) echo redis-server redis-tools dpkg-dev tcl ;;
	*) fail "scripts/debian.sh knows no purpose \"$1\"" ;;
	esac
}

command -v dpkg-query >/dev/null && command -v apt-get >/dev/null || exit 0

wanted=
for purpose in "$@"; do wanted="$wanted $(for_purpose "$purpose")"; done
present=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' $wanted 2>/dev/null || true)
missing=()
for p in $wanted; do grep -qx "installed $p" <<<"$present" || missing+=("$p"); done
[ ${#missing[@]} -gt 0 ] || exit 0

say "installing Debian packages: ${missing[*]}"
apt=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=600)
install=("${apt[@]}" install -y --no-install-recommends "${missing[@]}")
can_be_root || fail "root is needed to install Debian packages. Ask someone who has it to run:  apt-get install ${missing[*]}"
as_root "${install[@]}" >/dev/null 2>&1 && exit 0
# The index may be old or, on a fresh machine, not there at all.
as_root "${apt[@]}" update >&2 && as_root "${install[@]}" >&2 ||
	fail "these Debian packages could not be installed: ${missing[*]}. Connect this machine to a Debian mirror, or install them by hand."
