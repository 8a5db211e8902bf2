#!/usr/bin/env bash
# Measures bin/frankenphp against ArrayObject and APCu. BENCH_QUICK=1 takes less than a minute, with more noise. Arguments go to the
# program: bench/run.sh -works write
set -euo pipefail
. "$(dirname "$0")/../scripts/lib.sh"

cd "$root"
[ -x bin/frankenphp ] || fail "there is no bin/frankenphp: run make build."
BENCH_APCU=$(bench/apcu.sh)
export BENCH_APCU
exec go run ./bench ${BENCH_QUICK:+-quick} "$@"
