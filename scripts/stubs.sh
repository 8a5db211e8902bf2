#!/usr/bin/env bash
# Generates ext/frankenshare_arginfo.h from ext/frankenshare.stub.php with PHP's own generator.
#
#   scripts/stubs.sh           writes the header
#   scripts/stubs.sh --check   fails when the committed header is not what would be written
#
# The generator's output differs between versions of PHP, so only the oldest supported one's is committed, which all compile.
# With a newer PHP the check is that the header is of the present stub.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

stub=$root/ext/frankenshare.stub.php
header=$root/ext/frankenshare_arginfo.h
config=$("$root/scripts/php.sh")
php=$("$config" --prefix)/bin/php
generator=$("$config" --prefix)/lib/php/build/gen_stub.php
oldest=802

if [ $(($("$config" --vernum) / 100)) != "$oldest" ]; then
	[ "${1:-}" = --check ] || fail "the header is generated with PHP 8.2: set PHP_CONFIG to the php-config of one."
	want=$(tr -d '\r' <"$stub" | sha1sum | cut -d' ' -f1)
	grep -q "Stub hash: $want" "$header" || fail "ext/frankenshare_arginfo.h is not of the present stub: run make stubs with PHP 8.2."
	exit
fi

# The generator wants nikic/PHP-Parser in a folder of its own; Debian's package has it.
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
parser=/usr/share/php/PhpParser
if [ ! -d "$parser" ]; then
	parser=$cache/php-parser/usr/share/php/PhpParser
	if [ ! -d "$parser" ]; then
		command -v apt-get >/dev/null || fail "PHP-Parser was not found: install Debian's package php-parser."
		mkdir -p "$cache/php-parser"
		(cd "$work" && apt-get -qq -o APT::Sandbox::User=root download php-parser >&2) ||
			fail "Debian's package php-parser cannot be downloaded: connect this machine to a Debian mirror, or install php-parser."
		dpkg-deb -x "$work"/php-parser_*.deb "$cache/php-parser"
	fi
fi
cp "$generator" "$work/gen_stub.php"
version=$(sed -n 's/.*\$version = "\([0-9.]*\)";.*/\1/p' "$generator")
mkdir -p "$work/PHP-Parser-$version/lib" "$work/ext"
ln -s "$parser" "$work/PHP-Parser-$version/lib/PhpParser"
cp "$stub" "$work/ext/"
"$php" -n -d error_reporting=E_ALL\&~E_DEPRECATED "$work/gen_stub.php" --force-regeneration "$work/ext/frankenshare.stub.php" >&2

if [ "${1:-}" = --check ]; then
	diff -u "$header" "$work/ext/frankenshare_arginfo.h" >&2 || fail "ext/frankenshare_arginfo.h is not up to date: run make stubs."
else
	cp "$work/ext/frankenshare_arginfo.h" "$header"
fi
