#!/usr/bin/env bash
# Builds bin/frankenphp with xcaddy: Caddy, FrankenPHP and this module, against the PHP that scripts/php.sh names.
# xcaddy looks modules up for many seconds even when nothing changed, so it is not called while what goes into the
# binary has the same contents.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

xcaddy_version=v0.4.5
cd "$root"
"$root/scripts/debian.sh" build
eval "$("$root/scripts/env.sh")"

# required MODULE: its version in go.mod, the one place where versions are written down.
required() { go list -m -f '{{.Version}}' "$1"; }

ingredients() {
	go version
	"$root/scripts/env.sh"
	find . \( -path ./.git -o -path ./bin \) -prune -o -type f \
		\( -name '*.go' ! -name '*_test.go' -o -path './ext/*.[ch]' -o -path './phpbridge/*.[ch]' \
		-o -name go.mod -o -name go.sum -o -path ./scripts/frankenphp.sh \) -print0 | sort -z | xargs -0 sha256sum
}
stamp=$(ingredients | sha256sum | cut -d' ' -f1)
if [ -x bin/frankenphp ] && [ "$(cat bin/.frankenphp.stamp 2>/dev/null)" = "$stamp" ]; then exit 0; fi

say "building bin/frankenphp (several minutes the first time)"
xcaddy=$("$root/scripts/tool.sh" github.com/caddyserver/xcaddy/cmd/xcaddy@$xcaddy_version)
# The replacement names no version: xcaddy would else ask the proxy for the demo's package, which is part of this module.
mkdir -p bin
rm -f bin/.frankenphp.stamp
export XCADDY_GO_BUILD_FLAGS="-v -tags ${GOFLAGS#-tags=}"
XCADDY_GO_BUILD_FLAGS="${XCADDY_GO_BUILD_FLAGS% -buildvcs=false} -ldflags '-s -w'"
progress "building bin/frankenphp" 0 "$cache/xcaddy.log" \
	"$xcaddy" build "$(required github.com/caddyserver/caddy/v2)" --output bin/frankenphp \
	--with github.com/frankenshare/frankenshare@v0.0.0 --replace github.com/frankenshare/frankenshare=. \
	--with github.com/frankenshare/frankenshare/tests/demo/pusher \
	--with "github.com/dunglas/frankenphp@$(required github.com/dunglas/frankenphp)" \
	--with "github.com/dunglas/frankenphp/caddy@$(required github.com/dunglas/frankenphp/caddy)"
echo "$stamp" >bin/.frankenphp.stamp
