#!/usr/bin/env bash
# Prints the path of an APCu for the PHP of scripts/php.sh, built from Debian's source into the cache at the first call.
set -euo pipefail
. "$(dirname "$0")/../scripts/lib.sh"

php_config=$("$root/scripts/php.sh")
abi=$(basename "$("$php_config" --extension-dir)")
module=$cache/apcu-$abi/apcu.so
if [ -f "$module" ]; then echo "$module"; exit; fi

say "building APCu, once"
src=$(mktemp -d "$cache/apcu-src.XXXXXX"); trap 'rm -rf "$src"' EXIT
cd "$src"
"$root/scripts/debian-source.sh" php-apcu >/dev/null ||
	fail "APCu's source could not be had (see above): connect this machine to a Debian mirror."
cd php-apcu-*/apcu-5*/

# Debian's phpize looks for pkg.m4 and libtool.m4 below PHP's own prefix, and wants shtool from a package; PHP has one.
phpize=$("$php_config" --prefix)/bin/phpize
sed -e 's|^aclocaldir=.*|aclocaldir=/usr/share/aclocal|' -e 's|/usr/bin/shtool|shtool|' "$phpize" >phpize
build() {
	sh ./phpize
	./configure --with-php-config="$php_config" --enable-apcu CFLAGS="-O2"
	make -j"$jobs"
}
export -f build
export php_config jobs
progress "building APCu" 0 "$cache/apcu.log" bash -euc build
mkdir -p "${module%/*}"
cp modules/apcu.so "$module.new"
mv "$module.new" "$module"
echo "$module"
