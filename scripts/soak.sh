#!/usr/bin/env bash
# The long proofs: the models in full, the reader's stress for minutes, the store's tests with their long settings.
# FRANKENSHARE_SOAK=1 is what tests look at to run longer.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
export FRANKENSHARE_SOAK=1

say "The models of the protocol"
"$root/models/run.sh"
say "The reader: stress and controls"
"$root/tests/reader/run.sh"
"$root/scripts/fuzz.sh" 600
say "The extension on the twin, on a debug build of PHP"
DEBUG=1 "$root/ext/testing/run.sh"
say "The store and its histories"
"$root/scripts/env.sh" go test -tags faults,poison -count=1 -timeout 60m ./sharedstate/... ./tests/creader/...
say "The same under Go's race detector"
"$root/scripts/env.sh" go test -race -tags faults -count=1 -timeout 60m ./sharedstate/... ./tests/creader/...
say "The Redis protocol, with ten thousand clients"
"$root/scripts/env.sh" go test -count=1 ./resp
say "The store and its reader on arm64, under qemu"
(cd "$root" && env -u FRANKENSHARE_SOAK CGO_ENABLED=0 GOARCH=arm64 \
	go test -exec qemu-aarch64-static -tags faults,poison -count=1 -timeout 60m ./sharedstate/...)
"$root/tests/reader/run.sh" arm64
say "The server under reloads and load"
FRANKENPHP="$root/bin/frankenphp" "$root/scripts/env.sh" go test -count=1 -timeout 90m ./tests ./tests/churn
