#!/usr/bin/env bash
# Prints the php-config of a ZTS PHP with the embed SAPI: the user's own when it fits, else one built from Debian's
# source into the cache, keyed by version and configure line, so that it is built once.
#
#   PHP_CONFIG=/path/to/php-config   use that one or fail
#   FRANKENSHARE_PHP_BUILD=1         ignore php-config on the PATH
#   FRANKENSHARE_PHP_DEBUG=1         a debug build with few extensions, which is always ours: Zend's assertions are on, those
#                                    on reference counts too, and requests end with a list of what leaked
set -euo pipefail
. "$(dirname "$0")/lib.sh"

# What FrankenPHP needs, then what the tests, the frameworks and the benchmarks need, and nothing that is slow to build.
configure=(
	--enable-zts --enable-embed=shared --disable-zend-signals --enable-zend-max-execution-timers
	--disable-cgi --disable-phpdbg --disable-all --disable-opcache-jit --without-pcre-jit --with-pic
	--enable-opcache --enable-mbstring --enable-session --enable-tokenizer --enable-ctype --enable-filter
	--with-libxml --enable-dom --enable-xml --enable-xmlwriter --enable-simplexml --with-iconv --with-openssl
	--enable-pcntl --enable-posix
)
cflags="-O2 -g0"
steps=400
if [ -n "${FRANKENSHARE_PHP_DEBUG:-}" ]; then
	configure=(
		--enable-debug --enable-zts --enable-embed=shared --disable-zend-signals --enable-zend-max-execution-timers
		--disable-cgi --disable-cli --disable-phpdbg --disable-all --without-pcre-jit --with-pic
	)
	cflags="-g -DZEND_RC_DEBUG=1"
	steps=200
	unset PHP_CONFIG
	FRANKENSHARE_PHP_BUILD=1
fi

# fits PHP_CONFIG: is it ZTS, with embed, of a version we support?
fits() {
	local id opts
	id=$("$1" --vernum 2>/dev/null) || return 1
	[ "$id" -ge 80200 ] && [ "$id" -lt 80600 ] || return 1
	opts=$("$1" --configure-options 2>/dev/null)
	case "$opts" in *--enable-zts*) ;; *) return 1 ;; esac
	case " $("$1" --php-sapis 2>/dev/null) " in *" embed "*) ;; *) return 1 ;; esac
	[ -f "$("$1" --include-dir)/main/php.h" ]
}

if [ -n "${PHP_CONFIG:-}" ]; then
	fits "$PHP_CONFIG" || fail "PHP_CONFIG=$PHP_CONFIG is not a thread-safe (ZTS) PHP 8.2 to 8.5 with the embed SAPI."
	echo "$PHP_CONFIG"; exit
fi
if [ -z "${FRANKENSHARE_PHP_BUILD:-}" ]; then
	for c in php-config php-config-zts; do
		if p=$(command -v "$c") && fits "$p"; then echo "$p"; exit; fi
	done
fi

line=$(printf '%s\n' "${configure[@]}" "$cflags" | sha256sum | cut -c1-12)
for p in "$cache"/php-*-"$line"/bin/php-config; do
	if [ -x "$p" ] && fits "$p"; then echo "$p"; exit; fi
done

command -v apt-get >/dev/null || fail "no ZTS PHP was found and this is no Debian: install a thread-safe PHP 8.2 to 8.5 with the embed SAPI and set PHP_CONFIG to its php-config."
mkdir -p "$cache"
exec 9>"$cache/php.lock"; flock 9
for p in "$cache"/php-*-"$line"/bin/php-config; do
	if [ -x "$p" ] && fits "$p"; then echo "$p"; exit; fi
done
"$root/scripts/debian.sh" build php

say "no thread-safe PHP here: building one from Debian's source (12 to 15 minutes on 2 cores, once)"
src=$(mktemp -d "$cache/php-src.XXXXXX"); trap 'rm -rf "$src"' EXIT
cd "$src"
version=$("$root/scripts/debian-source.sh" php8.5 php8.4 php8.3 php8.2) ||
	fail "PHP's source could not be had (see above): install a ZTS PHP 8.2 to 8.5 with embed and set PHP_CONFIG."

prefix=$cache/php-${version//[^0-9A-Za-z.+~-]/_}-$line
cd "$src"/php8*/
# Debian's php-config and phpize have places that only debian/rules fills in, and ask dpkg for the SAPIs.
sed -i -e 's|/@DEBIAN_PHP_API@||g' -e 's|@DEBIAN_PHP_API@||g' -e 's|^#php_sapis=|php_sapis=|' \
	-e '/^php_sapis=\$(dpkg-query/d' scripts/php-config.in scripts/phpize.in
CFLAGS=$cflags progress "configuring PHP" 0 "$cache/php-configure.log" \
	./configure --prefix="$prefix" --with-config-file-path="$prefix/etc" --with-config-file-scan-dir= "${configure[@]}"
progress "compiling PHP" "$steps" "$cache/php-make.log" make -j"$jobs"
progress "installing PHP" 0 "$cache/php-install.log" make install INSTALL_ROOT=
mkdir -p "$prefix/etc"
fits "$prefix/bin/php-config" || fail "the PHP that was built in $prefix does not work."
say "PHP $version is ready in $prefix"
echo "$prefix/bin/php-config"
