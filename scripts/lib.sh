# Shared by the set-up scripts: where the cache is, how progress is shown, how a missing thing is named.
# Sourced, never run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${FRANKENSHARE_CACHE:-${XDG_CACHE_HOME:-${HOME:?is not set, and neither is FRANKENSHARE_CACHE}/.cache}/frankenshare}
jobs=$(nproc)

say() { printf '\033[1m==>\033[0m %s\n' "$*" >&2; }

# fail WHAT...: one plain sentence, then stop.
fail() { printf '\nfrankenshare: %s\n' "$*" >&2; exit 1; }

# Can as_root work here?
can_be_root() { [ "$(id -u)" = 0 ] || { command -v sudo >/dev/null && sudo -n true 2>/dev/null; }; }

# as_root CMD...: runs it as root.
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }

# progress LABEL TOTAL LOG CMD...: runs CMD with its output in LOG; prints a line every 15 s with the number of
# finished steps (lines that start a compiler, or name a Go package that was built) and, when TOTAL is not 0, the share
# done. On failure it shows the log's end.
progress() {
	local label=$1 total=$2 log=$3; shift 3
	"$@" >"$log" 2>&1 &
	local pid=$! started=$SECONDS next=$((SECONDS + 15)) n
	while kill -0 "$pid" 2>/dev/null; do
		sleep 1
		[ "$SECONDS" -ge "$next" ] || continue
		next=$((SECONDS + 15))
		n=$(grep -cE '(--mode=compile|^(g?cc|clang) |^checking |^[a-z0-9._-]+(/[^ ]+)*$)' "$log" || true)
		if [ "$total" -gt 0 ]; then
			say "$label: $n of about $total steps, $((SECONDS - started)) s"
		else
			say "$label: $n steps, $((SECONDS - started)) s"
		fi
	done
	if ! wait "$pid"; then
		tail -n 30 "$log" >&2
		fail "$label failed; the whole log is $log"
	fi
}
