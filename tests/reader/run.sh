#!/usr/bin/env bash
# Proves ext/reader.h against the twin in ext/testing: the protocol as it is must hold at -O2, under ThreadSanitizer and
# under ASan with UBSan; with one step of it broken it must be seen to fail. A line 'ok' or 'FAIL' for each.
#
#   SOAK=1   a minute for each form that must hold instead of a few seconds
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
seconds=3; [ -n "${SOAK:-}" ] && seconds=60
export TSAN_OPTIONS=halt_on_error=1 UBSAN_OPTIONS=print_stacktrace=1

# build holds|breaks NAME FLAG...
build() {
	local want=$1 name=$2; shift 2
	[ "$want" = breaks ] && set -- -O1 -DPOINTS_MASK=15 "$@"
	gcc -std=gnu11 -g -Wall -Wextra -Wno-unused -pthread -include "$here/points.h" "$@" "$here"/*.c \
		"$here"/../../ext/testing/fake*.c -o "$out/$name" -lm
}

# holds NAME: the protocol as it is.
holds() {
	if timeout $((seconds * 3 + 30)) "$out/$1" "$seconds" >"$out/$1.log" 2>&1; then
		echo "ok $1: $(tail -n 1 "$out/$1.log")"
	else
		echo "FAIL $1"
		tail -n 40 "$out/$1.log" >&2
	fi
}

# breaks NAME: must be found wrong within 30 s; the line says how. Only a build that exists can be.
breaks() {
	[ -x "$out/$1" ] || { echo "FAIL $1 does not compile"; return; }
	timeout 60 "$out/$1" 30 >"$out/$1.log" 2>&1
	local rc=$? why
	why=$(grep -m 1 -E '^wrong: |^WARNING: ThreadSanitizer' "$out/$1.log" | sed 's/ (pid=.*//')
	if [ -n "$why" ]; then
		echo "ok $1 is found: $why"
	elif [ "$rc" -gt 128 ]; then
		echo "ok $1 is found: killed by signal $((rc - 128))"
	else
		echo "FAIL $1 is not found (status $rc)"
	fi
}

proofs=(
	'holds plain -O2'
	'holds thread-sanitizer -O1 -fsanitize=thread'
	'holds address-sanitizer -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer'
	'breaks no-hazard -DFS_BREAK_NO_HAZARD'
	'breaks no-hazard-tsan -DFS_BREAK_NO_HAZARD -fsanitize=thread'
	'breaks no-recheck -DFS_BREAK_NO_RECHECK'
	'breaks no-recheck-tsan -DFS_BREAK_NO_RECHECK -fsanitize=thread'
	'breaks chunk-hazard-unseen-tsan -DFS_BREAK_SCAN_HEADS -fsanitize=thread'
	'breaks no-odd-step -DFS_BREAK_NO_ODD'
	'breaks fill-after-scan -DFS_BREAK_FILL_AFTER'
	'breaks fill-odd -DFS_BREAK_FILL_ODD'
	'breaks multi-ignored -DFS_BREAK_NO_MULTI'
	'breaks odd-one-by-one -DFS_BREAK_NOT_ALL_ODD'
	'breaks replace-steals-slots -DFS_BREAK_STEAL'
	'breaks clock-before-odd -DFS_BREAK_EARLY_CLOCK'
)

# A proof is words: want, name, flags. Two compilers run at a time, two programs never.
# shellcheck disable=SC2086
for proof in "${proofs[@]}"; do
	build $proof &
	while [ "$(jobs -rp | wc -l)" -ge 2 ]; do wait -n; done
done
wait

for proof in "${proofs[@]}"; do
	read -r want name _ <<<"$proof"
	"$want" "$name"
done | tee "$out/lines"
passed=$(grep -c '^ok ' "$out/lines")
failed=$(grep -c '^FAIL ' "$out/lines")
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" = "${#proofs[@]}" ]
