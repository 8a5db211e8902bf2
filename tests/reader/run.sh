#!/usr/bin/env bash
# Proves ext/reader.h against the twin in ext/testing: the protocol as it is must hold at -O2, under ThreadSanitizer and
# under ASan with UBSan; with one step of it broken it must be seen to fail. A line 'ok' or 'FAIL' for each.
#
#   run.sh         for this machine
#   run.sh arm64   for arm64 under qemu, which shows that it runs there; qemu orders memory as this machine does, so that the
#                  orders rest on the instructions: LDAR for every load of the protocol, LDAPR for none
#
#   FRANKENSHARE_SOAK=1         a minute for each form that must hold instead of a few seconds
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cc=(gcc) emulator=()
seconds=3; [ -n "${FRANKENSHARE_SOAK:-}" ] && seconds=60
export TSAN_OPTIONS=halt_on_error=1 UBSAN_OPTIONS=print_stacktrace=1

# build holds|breaks NAME FLAG...
build() {
	local want=$1 name=$2; shift 2
	[ "$want" = breaks ] && set -- -O1 -DPOINTS_MASK=15 "$@"
	"${cc[@]}" -std=gnu11 -g -Wall -Wextra -Wno-unused -pthread -include "$here/points.h" "$@" "$here"/*.c \
		"$here"/../../ext/testing/fake*.c -o "$out/$name" -lm
}

# holds NAME: the protocol as it is.
holds() {
	if timeout $((seconds * 3 + 30)) "${emulator[@]}" "$out/$1" "$seconds" >"$out/$1.log" 2>&1; then
		echo "ok $1: $(tail -n 1 "$out/$1.log")"
	else
		echo "FAIL $1"
		tail -n 40 "$out/$1.log" >&2
	fi
}

# breaks NAME: must be found wrong within 30 s; the line says how. Only a build that exists can be.
breaks() {
	[ -x "$out/$1" ] || { echo "FAIL $1 does not compile"; return; }
	timeout 60 "${emulator[@]}" "$out/$1" 30 >"$out/$1.log" 2>&1
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
	'breaks number-no-lock -DFS_BREAK_NUMBER_NO_LOCK'
	'breaks number-no-odd -DFS_BREAK_NUMBER_NO_ODD'
	'breaks no-odd-step -DFS_BREAK_NO_ODD'
	'breaks fill-after-scan -DFS_BREAK_FILL_AFTER'
	'breaks fill-odd -DFS_BREAK_FILL_ODD'
	'breaks multi-ignored -DFS_BREAK_NO_MULTI'
	'breaks odd-one-by-one -DFS_BREAK_NOT_ALL_ODD'
	'breaks replace-steals-slots -DFS_BREAK_STEAL'
	'breaks clock-before-odd -DFS_BREAK_EARLY_CLOCK'
)

if [ "${1:-}" = arm64 ]; then
	# The newest form that compilers choose instructions for; libxxhash is a header, and the same for all machines.
	cc=(aarch64-linux-gnu-gcc -static -march=armv8.3-a -idirafter /usr/include)
	emulator=(qemu-aarch64-static)
	proofs=(
		'holds plain -O2'
		'breaks no-hazard -DFS_BREAK_NO_HAZARD'
		'breaks no-recheck -DFS_BREAK_NO_RECHECK'
		'breaks fill-after-scan -DFS_BREAK_FILL_AFTER'
		'breaks multi-ignored -DFS_BREAK_NO_MULTI'
		'loads fs_read'
	)
fi

# loads NAME: fs_read alone loads by LDAR, never by LDAPR, which newer compilers take for a load that is only an acquire.
loads() {
	"${cc[@]}" -std=gnu11 -O2 -I"$here/../../ext" -x c -c -o "$out/$1.o" - <<-'C' || { echo "FAIL $1 does not compile"; return; }
		#include "reader.h"
		void read_one(fs_threads *all, fs_thread *t, fs_control *c, const char *key, char *dst, fs_found *found)
		{
			fs_read(all, t, c, key, 3, dst, 100, found);
		}
	C
	aarch64-linux-gnu-objdump -d --no-show-raw-insn "$out/$1.o" >"$out/$1.asm"
	if grep -qw ldar "$out/$1.asm" && ! grep -E 'ldapu?r' "$out/$1.asm" >&2; then
		echo "ok $1 has $(grep -cw ldar "$out/$1.asm") LDAR and no LDAPR"
	else
		echo "FAIL $1 has LDAPR, or no LDAR"
	fi
}

# A proof is words: want, name, flags. Two compilers run at a time, two programs never.
# shellcheck disable=SC2086
for proof in "${proofs[@]}"; do
	[ "${proof%% *}" = loads ] || build $proof &
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
