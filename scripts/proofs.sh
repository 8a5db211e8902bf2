#!/usr/bin/env bash
# The store's concurrency tests with fault points and poisoned cells, and the same histories with the protocol broken in one
# place each, which must be found, in the long form: they end with the first that is.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
cd "$root"

go test -count=1 -tags faults,poison ./sharedstate ./tests/creader
for broken in break_odd break_recheck break_number break_number_odd; do
	found=$(FRANKENSHARE_SOAK=1 go test -count=1 -tags "faults,poison,$broken" -run Linearizable ./tests/creader 2>&1 || true)
	if ! grep -qE 'Illegal|torn or foreign' <<<"$found"; then
		printf '%s\n' "$found" >&2
		fail "histories with $broken passed as linearizable: the proof proves nothing"
	fi
	say "histories with $broken are found not to be linearizable"
done
