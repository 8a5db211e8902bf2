#!/usr/bin/env bash
# Builds the extension with the twin instead of Go and runs a PHP file on it, without Zend's allocator so that
# AddressSanitizer and UBSan see PHP's memory too.
#
#   run.sh             smoke.php
#   run.sh FILE...     that file
#   DEBUG=1            on a debug build of PHP, and a second time on Zend's allocator, which lists what a request leaves: an
#                      assertion that fails, a reference count on what has none, or a block that is left fails
#   CALLGRIND=1        an optimised build under callgrind instead; its output goes to ./callgrind.out.*
set -euo pipefail
. "$(dirname "$0")/../../scripts/lib.sh"

flags=(-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
run=()
if [ -n "${DEBUG:-}" ]; then
	PHP_CONFIG=$(FRANKENSHARE_PHP_DEBUG=1 "$root/scripts/php.sh")
	flags+=(-DZEND_RC_DEBUG=1)
fi
php_config=${PHP_CONFIG:-$("$root/scripts/php.sh")}
read -ra includes < <("$php_config" --includes)
read -ra libs < <("$php_config" --libs)
lib=$("$php_config" --prefix)/lib
export USE_ZEND_ALLOC=0 ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1} UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
if [ -n "${CALLGRIND:-}" ]; then
	flags=(-O2 -g)
	run=(valgrind --tool=callgrind)
	unset USE_ZEND_ALLOC
fi

out=$(mktemp -d); trap 'rm -rf "$out"' EXIT
${CC:-gcc} -std=gnu11 -Wall -Wextra -Wno-unused-parameter -D_GNU_SOURCE "${flags[@]}" "${includes[@]}" -I"$root/ext" \
	"$root"/ext/*.c "$root"/ext/testing/*.c -o "$out/embed" -L"$lib" -Wl,-rpath,"$lib" -lphp "${libs[@]}" -lm
"${run[@]}" "$out/embed" "${@:-$root/ext/testing/smoke.php}"
if [ -n "${DEBUG:-}" ]; then
	USE_ZEND_ALLOC=1 "$out/embed" "${@:-$root/ext/testing/smoke.php}" 2>"$out/log" || { cat "$out/log" >&2; exit 1; }
	if grep -E ': Freeing |memory leaks? detected' "$out/log" >&2; then fail "the requests have left memory: see above"; fi
fi
