#!/usr/bin/env bash
# Everything that is checked without running the code: gofmt, vet, staticcheck, clang-format, a tidy go.mod, and
# generated files that are what their generators write.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

staticcheck_version=v0.8.2
cd "$root"
"$root/scripts/debian.sh" build lint
eval "$("$root/scripts/env.sh")"
failed=0
bad() { printf '\nlint: %s\n' "$*" >&2; failed=1; }

say "lint: gofmt, go vet, staticcheck, go mod tidy"
files=$(find . -path ./.git -prune -o -name '*.go' -print | xargs gofmt -l)
[ -z "$files" ] || bad "not formatted as gofmt does: $files"
go vet ./... || bad "go vet"
staticcheck=$("$root/scripts/tool.sh" honnef.co/go/tools/cmd/staticcheck@$staticcheck_version)
"$staticcheck" ./... || bad "staticcheck"
go mod tidy -diff || bad "go.mod or go.sum is not tidy: run go mod tidy"

say "lint: clang-format"
find . -path ./.git -prune -o \( -name '*.c' -o -name '*.h' \) ! -name '*_arginfo.h' ! -path ./ext/layout.h -print0 |
	xargs -0 clang-format --dry-run -Werror || bad "not formatted as .clang-format says: run clang-format -i"

say "lint: generated files"
before=$(mktemp); trap 'rm -f "$before"' EXIT
cp ext/layout.h "$before"
go generate ./sharedstate
diff -u "$before" ext/layout.h || bad "ext/layout.h was not what sharedstate's constants say; it is now"
"$root/scripts/stubs.sh" --check || bad "files made from ext/frankenshare.stub.php"

exit $failed
