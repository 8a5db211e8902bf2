package frankenshare

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/dustin/go-humanize"

	"github.com/frankenshare/frankenshare/sharedstate"
)

// Size is an amount as a config gives it: a number, or a string such as "64MiB" that may hold placeholders. It is kept
// as it was written until the app is provisioned, when placeholders have values.
type Size string

// UnmarshalJSON takes a number or a string.
func (s *Size) UnmarshalJSON(b []byte) error {
	var number json.Number
	if len(b) > 0 && b[0] != '"' {
		if err := json.Unmarshal(b, &number); err != nil {
			return fmt.Errorf("a size is a number or a string such as \"64MiB\", not %s", b)
		}
		*s = Size(number)
		return nil
	}
	return json.Unmarshal(b, (*string)(s))
}

// MarshalJSON writes a plain number as a number and all else as a string.
func (s Size) MarshalJSON() ([]byte, error) {
	if n, err := strconv.ParseInt(string(s), 10, 64); err == nil {
		return strconv.AppendInt(nil, n, 10), nil
	}
	return json.Marshal(string(s))
}

// hasPlaceholder says whether the amount is known only at run time.
func (s Size) hasPlaceholder() bool { return strings.ContainsAny(string(s), "{}") }

// A setting is an option with an amount, and the range of it.
type setting struct {
	name   string
	lo, hi int64
	count  bool // a plain number, not bytes
}

var (
	memory       = setting{name: "memory", lo: sharedstate.MinMemory, hi: sharedstate.MaxMemory}
	maxValue     = setting{name: "max_value", lo: 1, hi: sharedstate.MaxMaxValue}
	cacheEntries = setting{name: "thread_cache entries", lo: 1, hi: 1 << 24, count: true}
	cacheBytes   = setting{name: "thread_cache bytes", lo: 64 << 10, hi: 64 << 30}
	locksMemory  = setting{name: "locks_memory", lo: sharedstate.MinLocksMemory, hi: 64 << 30}
)

// read is the amount that s comes to. An empty s stands for byDefault, and so do placeholders as long as there is no
// repl that knows their values.
func (o setting) read(s Size, byDefault int64, repl *caddy.Replacer) (int64, error) {
	text := string(s)
	if s.hasPlaceholder() {
		if repl == nil {
			return byDefault, nil
		}
		var err error
		if text, err = repl.ReplaceOrErr(text, true, true); err != nil {
			return 0, fmt.Errorf("%s %q: %w", o.name, s, err)
		}
	}
	if s == "" {
		return byDefault, nil
	}
	n, err := o.parse(text)
	if err != nil {
		return 0, fmt.Errorf("%s %q is %w", o.name, text, err)
	}
	if n < uint64(o.lo) || n > uint64(o.hi) {
		return 0, fmt.Errorf("%s %q is not between %s and %s", o.name, text, o.text(o.lo), o.text(o.hi))
	}
	return int64(n), nil
}

func (o setting) parse(s string) (uint64, error) {
	if o.count {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("not a number between %s and %s", o.text(o.lo), o.text(o.hi))
		}
		return n, nil
	}
	// A comma is a thousands separator to one reader and a decimal point to the next.
	n, err := humanize.ParseBytes(s)
	if err != nil || strings.ContainsRune(s, ',') {
		return 0, fmt.Errorf("not a size such as 64MiB, between %s and %s", o.text(o.lo), o.text(o.hi))
	}
	return n, nil
}

// text writes a limit so that it may be used in a config as it stands.
func (o setting) text(n int64) string {
	if o.count {
		return strconv.FormatInt(n, 10)
	}
	for i := 4; i > 0; i-- {
		if unit := int64(1) << (10 * i); n%unit == 0 {
			return fmt.Sprintf("%d%ciB", n/unit, "BKMGT"[i])
		}
	}
	return fmt.Sprintf("%dB", n)
}
