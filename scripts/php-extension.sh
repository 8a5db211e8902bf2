#!/usr/bin/env bash
# Prints the path of an extension for the PHP of scripts/php.sh, built from Debian's source into the cache at the first call.
#
#   scripts/php-extension.sh NAME PACKAGE SOURCE-FOLDER-PATTERN [CONFIGURE-OPTION...]
set -euo pipefail
. "$(dirname "$0")/lib.sh"

name=$1 package=$2 pattern=$3
options=("${@:4}")
php_config=$("$root/scripts/php.sh")
abi=$(basename "$("$php_config" --extension-dir)")
module=$cache/$name-$abi/$name.so
if [ -f "$module" ]; then echo "$module"; exit; fi

say "building PHP's extension $name, once"
src=$(mktemp -d "$cache/$name-src.XXXXXX"); trap 'rm -rf "$src"' EXIT
cd "$src"
"$root/scripts/debian-source.sh" "$package" >/dev/null ||
	fail "the source of $package could not be had (see above): connect this machine to a Debian mirror."
cd "$package"-*/$pattern/

# Debian's phpize looks for pkg.m4 and libtool.m4 below PHP's own prefix, and wants shtool from a package; PHP has one.
phpize=$("$php_config" --prefix)/bin/phpize
sed -e 's|^aclocaldir=.*|aclocaldir=/usr/share/aclocal|' -e 's|/usr/bin/shtool|shtool|' "$phpize" >phpize
build() {
	sh ./phpize
	./configure --with-php-config="$php_config" CFLAGS="-O2" "$@"
	make -j"$jobs"
}
export -f build
export php_config jobs
progress "building $name" 0 "$cache/$name.log" bash -euc 'build "$@"' build "${options[@]}"
mkdir -p "${module%/*}"
cp "modules/$name.so" "$module.new"
mv "$module.new" "$module"
echo "$module"
