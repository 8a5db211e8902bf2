#!/usr/bin/env bash
# Generates from ext/frankenshare.stub.php ext/frankenshare_arginfo.h, with PHP's own generator, and what the Composer package
# declares: the stubs for IDEs, and the interface and the exceptions for the fake.
#
#   scripts/stubs.sh           writes them
#   scripts/stubs.sh --check   fails when a committed file is not what would be written
#
# The generator's output differs between versions of PHP, so only the oldest supported one's is committed, which all compile.
# With a newer PHP the check is that the header is of the present stub.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

stub=$root/ext/frankenshare.stub.php
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT

# keep FILE: writes it from $work, or compares the two.
keep() {
	if [ "${check:-}" ]; then
		diff -u "$root/$1" "$work/${1##*/}" >&2 || fail "$1 is not up to date: run make stubs."
	else
		cp "$work/${1##*/}" "$root/$1"
	fi
}
[ "${1:-}" = --check ] && check=1

note='// Generated from ext/frankenshare.stub.php by scripts/stubs.sh; do not edit.'
sed "/^\/\*\*$/,/^ \*\/$/c $note" "$stub" >"$work/frankenshare.php"
keep php/stubs/frankenshare.php
sed '/^namespace FrankenPHP {$/,$d' "$work/frankenshare.php" | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' >"$work/declarations.php"
keep php/src/Testing/declarations.php

header=$root/ext/frankenshare_arginfo.h
config=$("$root/scripts/php.sh")
php=$("$config" --prefix)/bin/php
generator=$("$config" --prefix)/lib/php/build/gen_stub.php
oldest=802

if [ $(($("$config" --vernum) / 100)) != "$oldest" ]; then
	[ "${check:-}" ] || fail "the header is generated with PHP 8.2: set PHP_CONFIG to the php-config of one."
	want=$(tr -d '\r' <"$stub" | sha1sum | cut -d' ' -f1)
	grep -q "Stub hash: $want" "$header" || fail "ext/frankenshare_arginfo.h is not of the present stub: run make stubs with PHP 8.2."
	exit
fi

# The generator wants nikic/PHP-Parser in a folder of its own; Debian's package has it.
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
cp "$work/ext/frankenshare_arginfo.h" "$work/"
keep ext/frankenshare_arginfo.h
