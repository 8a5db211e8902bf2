#!/usr/bin/env bash
# The C code under sanitizers: the reader's proofs (ThreadSanitizer, AddressSanitizer, UBSan, and the broken forms that
# must be found), the codec on its vectors, the extension on the C twin of the store.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

say "The reader: stress and controls"
"$root/tests/reader/run.sh"
say "The codec under AddressSanitizer and UBSan"
"$root/tests/codec/run.sh" sanitize
say "The extension on the twin under AddressSanitizer and UBSan"
"$root/ext/testing/run.sh"
