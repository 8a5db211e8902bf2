#!/usr/bin/env bash
# The environment in which Go code that touches PHP compiles and runs.
#
#   scripts/env.sh CMD...           runs CMD in it:  scripts/env.sh go test ./...
#   eval "$(scripts/env.sh)"        puts it into the shell
set -euo pipefail
. "$(dirname "$0")/lib.sh"

# Parts of Caddy and FrankenPHP that would need more libraries, or only make the binary larger.
tags=nowatcher,nobrotli,nobadger,nomysql,nopgx

PHP_CONFIG=$("$root/scripts/php.sh")
prefix=$("$PHP_CONFIG" --prefix)
vars=(
	"PHP_CONFIG=$PHP_CONFIG"
	"CGO_ENABLED=1"
	"CGO_CFLAGS=$("$PHP_CONFIG" --includes) -D_GNU_SOURCE -O2"
	"CGO_LDFLAGS=$("$PHP_CONFIG" --ldflags) -L$prefix/lib -Wl,-rpath,$prefix/lib $("$PHP_CONFIG" --libs)"
	"GOFLAGS=-tags=$tags -buildvcs=false"
)
if [ $# -gt 0 ]; then exec env "${vars[@]}" "$@"; fi
for v in "${vars[@]}"; do printf 'export %s=%q\n' "${v%%=*}" "${v#*=}"; done
