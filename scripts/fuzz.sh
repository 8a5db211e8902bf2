#!/usr/bin/env bash
# Fuzzes what reads text and bytes from elsewhere, each for so many seconds (20): the Caddyfile block, the codec in Go, the Redis
# protocol, the decoder in C. What a fuzzer finds fails; the input is kept where its message says.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
seconds=${1:-20}
out=$(mktemp -d); trap 'rm -rf "$out"' EXIT

# Go's fuzzer now and then takes the end of its time, where that meets an input that is just tried, for a failure. It then names no input.
only_out_of_time() { grep -q 'context deadline exceeded' "$out/log" && ! grep -qE 'Failing input|panic|fatal error' "$out/log"; }

# target PACKAGE NAME: as go test -fuzz, which would compile all of Caddy anew for its counters, with those of our packages.
target() {
	say "fuzzing $2 for $seconds s"
	cd "$root/$1"
	"$root/scripts/env.sh" go test -c -gcflags='github.com/frankenshare/frankenshare/...=-d=libfuzzer' -o "$out/$2.test" .
	"$out/$2.test" -test.run '^$' -test.fuzz "^$2\$" -test.fuzztime "${seconds}s" -test.fuzzminimizetime 1s \
		-test.fuzzcachedir "$cache/fuzz" >"$out/log" 2>&1 || only_out_of_time || { tail -n 60 "$out/log" >&2; fail "$2: see above"; }
	grep elapsed "$out/log" | tail -n 1
}

target . FuzzCaddyfile
target sharedstate FuzzFault013Decode
target resp FuzzReader
target resp FuzzCommands
say "fuzzing the C decoder for $seconds s"
"$root/tests/codec/run.sh" fuzz "$seconds"
