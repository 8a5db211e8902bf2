#!/usr/bin/env bash
# Installs a Go program once and prints its path: scripts/tool.sh example.org/module/cmd/name@version
set -euo pipefail
. "$(dirname "$0")/lib.sh"

package=${1%@*} version=${1#*@}
dir=$cache/tools/${package##*/}-$version
if [ ! -x "$dir/${package##*/}" ]; then
	say "installing ${package##*/} $version"
	mkdir -p "$dir"
	GOFLAGS= GOBIN=$dir go install "$1" >&2 ||
		fail "${package##*/} $version could not be installed: connect this machine to a Go module proxy."
fi
echo "$dir/${package##*/}"
