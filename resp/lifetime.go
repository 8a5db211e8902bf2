package resp

import (
	"math"
	"time"

	"github.com/frankenshare/frankenshare/sharedstate"
)

// lifetime is when something that a command writes expires.
type lifetime struct {
	expiry uint64 // in the store's form
	past   bool   // it has expired already
}

// timeUnit says what a time in a command counts, and from when.
type timeUnit struct {
	milliseconds int64
	absolute     bool // from 1970, else from now
}

var (
	inSeconds      = timeUnit{1000, false}
	inMilliseconds = timeUnit{1, false}
	atSeconds      = timeUnit{1000, true}
	atMilliseconds = timeUnit{1, true}
)

// timeUnits are the options of SET and GETEX.
var timeUnits = map[string]timeUnit{"ex": inSeconds, "px": inMilliseconds, "exat": atSeconds, "pxat": atMilliseconds}

// after is the lifetime of n units; false when the moment has no room in 64 bits of milliseconds.
func (u timeUnit) after(n int64) (lifetime, bool) {
	if n > math.MaxInt64/u.milliseconds || n < math.MinInt64/u.milliseconds {
		return lifetime{}, false
	}
	n *= u.milliseconds
	if u.absolute {
		moment := time.UnixMilli(n)
		return lifetime{sharedstate.ExpiryAt(moment), !moment.After(time.Now())}, true
	}
	if n > math.MaxInt64-time.Now().UnixMilli() {
		return lifetime{}, false
	}
	if n <= 0 {
		return lifetime{past: true}, true
	}
	ttl := time.Duration(min(n, math.MaxInt64/int64(time.Millisecond)-1)) * time.Millisecond
	return lifetime{sharedstate.Expiry(ttl), false}, true
}

// parseLifetime reads a time that must be positive; an error text for another.
func parseLifetime(arg []byte, u timeUnit, cmd string) (lifetime, string) {
	n, ok := parseInt(arg)
	if !ok {
		return lifetime{}, notInteger
	}
	l, ok := u.after(n)
	if n <= 0 || !ok {
		return lifetime{}, "ERR invalid expire time in '" + cmd + "' command"
	}
	return l, ""
}

// setOptions are the options of SET and GETEX.
type setOptions struct {
	lifetime
	nx, xx, get, keep, persist bool
}

func parseSetOptions(args [][]byte, cmd string) (o setOptions, bad string) {
	var at []byte
	var unit timeUnit
	isSet := cmd == "set"
	timed := func() bool { return at != nil || o.keep || o.persist }
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case isSet && is(arg, "nx") && !o.xx:
			o.nx = true
		case isSet && is(arg, "xx") && !o.nx:
			o.xx = true
		case isSet && is(arg, "get"):
			o.get = true
		case isSet && is(arg, "keepttl") && at == nil:
			o.keep = true
		case !isSet && is(arg, "persist") && at == nil:
			o.persist = true
		default:
			u, known := timeUnits[string(lowered(nil, arg))]
			if !known || timed() || i+1 == len(args) {
				return o, syntax
			}
			i++
			at, unit = args[i], u
		}
	}
	if at != nil {
		o.lifetime, bad = parseLifetime(at, unit, cmd)
	}
	return o, bad
}
