package resp

import (
	"time"

	"github.com/frankenshare/frankenshare/sharedstate"
)

var expiryCommands = []*command{
	{name: "expire", arity: -3, flags: writes | flagFast, keys: oneKey, group: "generic", since: "1.0.0", summary: "Has a key expire after some seconds.", run: expire(inSeconds)},
	{name: "pexpire", arity: -3, flags: writes | flagFast, keys: oneKey, group: "generic", since: "2.6.0", summary: "Has a key expire after some milliseconds.", run: expire(inMilliseconds)},
	{name: "expireat", arity: -3, flags: writes | flagFast, keys: oneKey, group: "generic", since: "1.2.0", summary: "Has a key expire at a second of Unix time.", run: expire(atSeconds)},
	{name: "pexpireat", arity: -3, flags: writes | flagFast, keys: oneKey, group: "generic", since: "2.6.0", summary: "Has a key expire at a millisecond of Unix time.", run: expire(atMilliseconds)},
	{name: "ttl", arity: 2, flags: reads | flagFast, keys: oneKey, group: "generic", since: "1.0.0", summary: "Says for how many seconds a key has still to live.", run: ttl(inSeconds)},
	{name: "pttl", arity: 2, flags: reads | flagFast, keys: oneKey, group: "generic", since: "2.6.0", summary: "Says for how many milliseconds a key has still to live.", run: ttl(inMilliseconds)},
	{name: "expiretime", arity: 2, flags: reads | flagFast, keys: oneKey, group: "generic", since: "7.0.0", summary: "Says at which second of Unix time a key expires.", run: ttl(atSeconds)},
	{name: "pexpiretime", arity: 2, flags: reads | flagFast, keys: oneKey, group: "generic", since: "7.0.0", summary: "Says at which millisecond of Unix time a key expires.", run: ttl(atMilliseconds)},
	{name: "persist", arity: 2, flags: writes | flagFast, keys: oneKey, group: "generic", since: "2.2.0", summary: "Takes a key's expiry away.", run: persist},
}

// expireOptions say when an expiry is changed.
type expireOptions struct{ nx, xx, gt, lt bool }

func parseExpireOptions(args [][]byte) (o expireOptions, bad string) {
	for _, arg := range args {
		switch {
		case is(arg, "nx"):
			o.nx = true
		case is(arg, "xx"):
			o.xx = true
		case is(arg, "gt"):
			o.gt = true
		case is(arg, "lt"):
			o.lt = true
		default:
			return o, "ERR Unsupported option " + string(arg)
		}
	}
	switch {
	case o.nx && (o.xx || o.gt || o.lt):
		return o, "ERR NX and XX, GT or LT options at the same time are not compatible"
	case o.gt && o.lt:
		return o, "ERR GT and LT options at the same time are not compatible"
	}
	return o, ""
}

// allow says whether an expiry, 0 for none, may be changed to another. What does not expire does so later than all that does.
func (o expireOptions) allow(old, expiry uint64) bool {
	switch {
	case o.nx && old != 0, o.xx && old == 0:
		return false
	case o.gt && (old == 0 || expiry <= old), o.lt && old != 0 && expiry >= old:
		return false
	}
	return true
}

func expire(u timeUnit) handler {
	return func(c *client, args [][]byte) {
		name := string(lowered(nil, args[0]))
		o, bad := parseExpireOptions(args[3:])
		n, isInt := parseInt(args[2])
		if bad == "" && !isInt {
			bad = notInteger
		}
		var l lifetime
		if bad == "" {
			if l, isInt = u.after(n); !isInt {
				bad = "ERR invalid expire time in '" + name + "' command"
			}
		}
		if bad != "" {
			c.out.error(bad)
			return
		}
		t, key := c.locate(args[1])
		f, live := c.tx.Find(t, key)
		if !live || !o.allow(f.Expiry, l.expiry) {
			c.out.int(0)
			return
		}
		if l.past {
			c.tx.Delete(t, key)
		} else {
			c.tx.Expire(t, key, l.expiry)
		}
		c.out.int(1)
	}
}

// ttl answers an expiry: -2 for an absent key, -1 for one without.
func ttl(u timeUnit) handler {
	return func(c *client, args [][]byte) {
		t, key := c.locate(args[1])
		f, live := c.tx.Find(t, key)
		switch {
		case !live:
			c.out.int(-2)
		case f.Expiry == 0:
			c.out.int(-1)
		default:
			c.out.int(u.of(f.Expiry))
		}
	}
}

// of is an expiry in the unit, to the nearest: of what is left, not less than what was given when it was set.
func (u timeUnit) of(expiry uint64) int64 {
	at := sharedstate.ExpiryTime(expiry)
	var ms int64
	if u.absolute {
		ms = at.Round(time.Millisecond).UnixMilli()
		return ms / u.milliseconds
	}
	ms = int64((time.Until(at) + time.Millisecond - 1) / time.Millisecond)
	return max(ms+u.milliseconds/2, 0) / u.milliseconds
}

func persist(c *client, args [][]byte) {
	t, key := c.locate(args[1])
	f, live := c.tx.Find(t, key)
	if live && f.Expiry != 0 {
		c.tx.Expire(t, key, 0)
		c.out.int(1)
	} else {
		c.out.int(0)
	}
}
