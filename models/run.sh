#!/usr/bin/env bash
# Checks the store's protocol: each Spin model as designed must hold, each with one step changed must be found wrong,
# and the ARMv8 litmus cases must be as they say. A line 'ok' or 'FAIL' for each. Needs spin, gcc and python3.
#
#   QUICK=1   the largest models in a smaller size: about a minute on 2 cores instead of about six
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# check good|bad MODEL FLAG...: one run of the verifier, in a folder of its own.
check() {
	local want=$1 model=$2; shift 2
	local name="$model${*:+ $*}" dir; dir=$(mktemp -d "$tmp/XXXXXX")
	cd "$dir" || return
	if ! spin -a "$@" "$here/$model.pml" >spin.log 2>&1 ||
		! gcc -O1 -w -DSAFETY -DCOLLAPSE -DVECTORSZ=1024 -o pan pan.c 2>gcc.log; then
		echo "FAIL $name: does not build"
		return
	fi
	timeout 1200 ./pan -m200000 -w24 >pan.log 2>&1
	local errors depth why
	why=$(grep -m 1 '^pan:1: ' pan.log | sed 's/^pan:1: //; s/ (at depth.*//')
	errors=$(grep -o 'errors: [0-9]*' pan.log | grep -o '[0-9]*$')
	depth=$(grep -o 'max search depth too small' pan.log)
	case $want/${errors:-none}/$depth in
	good/0/) echo "ok $name: holds in $(awk '/states, stored/ {print $1; exit}' pan.log) states" ;;
	bad/[1-9]*/*) echo "ok $name: found wrong ($why)" ;;
	*) echo "FAIL $name: should be $want, errors: ${errors:-unknown, it did not end} $depth" ;;
	esac
}

cases=(
	'bad gate -DNO_ODD' 'bad gate -DONLY_ODD' 'bad gate -DPLAIN_NUMBER' 'bad gate -DFILL_ODD'
	'bad gate -DFILL_AFTER' 'bad gate -DGENERATION_AFTER' 'bad gate -DNO_GENERATION' 'bad gate -DLATE_RECEIPT' 'bad gate -DBUCKET_VERSIONS'
	'bad hazard -DNO_HAZARD' 'bad hazard -DNO_RECHECK' 'bad hazard -DSCAN_BEFORE_UNLINK' 'bad hazard -DLATE_HIGH'
	'good chunk' 'bad chunk -DMOVE_HAZARD' 'bad chunk -DNO_RECHECK' 'bad chunk -DSCAN_HEADS'
	'good bracket' 'bad bracket -DINSIDE'
	'bad multi -DNO_MULTI' 'bad multi -DONE_BY_ONE' 'bad multi -DREPLACE -DNO_MULTI' 'bad multi -DREPLACE -DMULTI_FIRST'
	'bad multi -DREPLACE -DSTEAL' 'bad multi -DREPLACE -DGENERATION_FIRST'
	'good snapshot' 'bad snapshot -DONE_LOOK' 'bad snapshot -DNOT_TOGETHER' 'bad snapshot -DHALVED'
	'bad resize -DGENERATION_FIRST' 'bad resize -DOLD_STAMP' 'bad resize -DNO_RELOAD' 'bad resize -DEARLY_UNMAP'
	'good expiry' 'good expiry -DCLOCK_FIRST'
	'bad expiry -DEARLY_CLOCK' 'bad expiry -DBELIEVED' 'bad expiry -DODD_BELIEVED' 'bad expiry -DFOREVER'
	'good watch' 'bad watch -DNO_SECOND_LOOK' 'bad watch -DLOOK_FIRST' 'bad watch -DWAKE_FIRST' 'bad watch -DSTARTED'
	'good hazard' 'good multi' 'good resize'
)
if [ -n "${QUICK:-}" ]; then
	cases+=('good gate -DREADERS=1' 'good multi -DREPLACE -DREADS=2')
else
	cases+=('good gate' 'good gate -DREADS=3' 'good gate -DREADERS=1 -DWRITES=3' 'good multi -DREPLACE')
fi

# Two verifiers at a time.
all() {
	local c
	for c in "${cases[@]}"; do
		# shellcheck disable=SC2086
		check $c &
		while [ "$(jobs -rp | wc -l)" -ge 2 ]; do wait -n; done
	done
	wait
	python3 "$here/litmus.py"
}

all | tee "$tmp/lines"
passed=$(grep -c '^ok ' "$tmp/lines")
failed=$(grep -c '^FAIL ' "$tmp/lines")
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt "${#cases[@]}" ]
