#!/usr/bin/env bash
# Builds the check of the C codec against PHP's embed library and runs it on the vectors that it shares with Go.
#
#   run.sh            as the module is built
#   run.sh sanitize   under AddressSanitizer and UBSan, with plain malloc in PHP so that they see its memory
set -euo pipefail
. "$(dirname "$0")/../../scripts/lib.sh"

php_config=${PHP_CONFIG:-$("$root/scripts/php.sh")}
read -ra includes < <("$php_config" --includes)
read -ra libs < <("$php_config" --libs)
lib=$("$php_config" --prefix)/lib
flags=(-O2)
if [ "${1:-}" = sanitize ]; then
	flags=(-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
	export USE_ZEND_ALLOC=0 ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1}
fi

out=$(mktemp -d); trap 'rm -rf "$out"' EXIT
${CC:-cc} -std=gnu11 -Wall -Wextra -Werror -Wno-unused-parameter -D_GNU_SOURCE "${flags[@]}" "${includes[@]}" -I"$root/ext" \
	"$root"/tests/codec/codec_test.c "$root"/ext/{encode,serialize,serialized,decode,buffer}.c \
	-o "$out/codec_test" -L"$lib" -Wl,-rpath,"$lib" -lphp "${libs[@]}"
"$out/codec_test" "$root/sharedstate/testdata/values.txt"
