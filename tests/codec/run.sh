#!/usr/bin/env bash
# Builds the check of the C codec against PHP's embed library and runs it on the vectors that it shares with Go.
#
#   run.sh                  as the module is built
#   run.sh sanitize         under AddressSanitizer and UBSan, with plain malloc in PHP so that they see its memory
#   run.sh fuzz SECONDS     libFuzzer on the decoder under both, from the corpus that it shares with Go
#   run.sh corpus FOLDER    adds to the corpus what the inputs in FOLDER reach that nothing in it does
set -euo pipefail
. "$(dirname "$0")/../../scripts/lib.sh"

php_config=${PHP_CONFIG:-$("$root/scripts/php.sh")}
read -ra includes < <("$php_config" --includes)
read -ra libs < <("$php_config" --libs)
lib=$("$php_config" --prefix)/lib
corpus=$root/sharedstate/testdata/decode
compiler=${CC:-cc}
flags=(-O2)
program=codec_test
mode=${1:-}
if [ -n "$mode" ]; then
	flags=(-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
	export USE_ZEND_ALLOC=0 ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1} UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
fi
if [ "$mode" = fuzz ] || [ "$mode" = corpus ]; then
	"$root/scripts/debian.sh" fuzz
	compiler=clang
	flags+=(-fsanitize=fuzzer)
	program=fuzz
fi

out=$(mktemp -d); trap 'rm -rf "$out"' EXIT
"$compiler" -std=gnu11 -Wall -Wextra -Werror -Wno-unused-parameter -D_GNU_SOURCE "${flags[@]}" "${includes[@]}" -I"$root/ext" \
	"$root/tests/codec/$program.c" "$root"/ext/{encode,serialize,serialized,decode,buffer}.c \
	-o "$out/$program" -L"$lib" -Wl,-rpath,"$lib" -lphp "${libs[@]}"
case $mode in
fuzz)
	mkdir "$out/found"
	"$out/fuzz" -max_total_time="$2" -max_len=4096 -print_final_stats=1 -artifact_prefix="$cache/fuzz-" "$out/found" "$corpus" \
		2>"$out/log" || { tail -n 60 "$out/log" >&2; fail "the C decoder: see above"; }
	grep -E '^stat::number_of_executed_units' "$out/log"
	;;
corpus) "$out/fuzz" -merge=1 -max_len=4096 -artifact_prefix="$cache/fuzz-" "$corpus" "$2" ;;
*) "$out/codec_test" "$root/sharedstate/testdata/values.txt" ;;
esac
