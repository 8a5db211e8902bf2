#!/usr/bin/env bash
# Prints the folder of Redis' own tests, from Debian's source of the redis-server that tests compare with, unpacked into the cache once.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

version=$(dpkg-query -W -f='${source:Upstream-Version}' redis-server 2>/dev/null) ||
	fail "this is no Debian with redis-server installed: run scripts/debian.sh redis."
dir=$cache/redis-suite-$version
if [ ! -f "$dir/runtest" ]; then
	say "unpacking Redis' tests, once"
	src=$(mktemp -d "$cache/redis-src.XXXXXX"); trap 'rm -rf "$src"' EXIT
	cd "$src"
	"$root/scripts/debian-source.sh" redis >/dev/null ||
		fail "Redis' source could not be had (see above): connect this machine to a Debian mirror."
	mkdir -p "$dir/src"
	cp -r redis-*/tests redis-*/utils "$dir"
	cp redis-*/runtest "$dir/runtest"
fi
echo "$dir"
