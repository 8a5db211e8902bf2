package resp

import (
	"fmt"
	"slices"
	"strings"
)

// Commands of client-side caching.
var trackingCommands = []*command{
	{name: "tracking", arity: -3, since: "6.0.0", summary: "Has the connection told when keys change that it has read.", run: clientTracking},
	{name: "caching", arity: 3, since: "6.0.0", summary: "Says whether the next command's keys are tracked.", run: clientCaching},
	{name: "getredir", arity: 2, since: "6.0.0", summary: "Gives the number of the connection that is told instead.", run: clientGetredir},
	{name: "trackinginfo", arity: 2, since: "6.2.0", summary: "Tells how the connection's keys are tracked.", run: clientTrackinginfo},
}

func clientTracking(c *client, args [][]byte) {
	o, bad := c.parseTracking(args[3:])
	switch {
	case bad != "":
	case is(args[2], "off"):
		c.stopTracking()
		c.out.ok()
		return
	case !is(args[2], "on"):
		bad = syntax
	default:
		bad = c.refuseTracking(&o)
	}
	if bad != "" {
		c.out.error(bad)
		return
	}
	if old := c.tracker; o.bcast {
		if old != nil {
			o.prefixes = append(slices.Clone(old.prefixes), o.prefixes...)
		}
		if len(o.prefixes) == 0 {
			o.prefixes = []string{""}
		}
		slices.Sort(o.prefixes)
		o.prefixes = slices.Compact(o.prefixes)
	}
	c.server.tracking.start(c, o)
	c.server.listen()
	c.show(func(s *shown) { s.redirection = o.redirect })
	c.out.ok()
}

func (c *client) stopTracking() {
	if c.tracker != nil {
		c.server.tracking.stop(c)
		c.server.listen()
	}
	c.caching = false
	c.show(func(s *shown) { s.redirection = -1 })
}

func (c *client) parseTracking(args [][]byte) (o tracker, bad string) {
	for i := 0; i < len(args); i++ {
		more := i+1 < len(args)
		switch {
		case is(args[i], "redirect") && more:
			if o.redirect != 0 {
				return o, "ERR A client can only redirect to a single other client"
			}
			i++
			n, ok := parseInt(args[i])
			if !ok {
				return o, notInteger
			}
			if c.server.client(n) == nil {
				return o, "ERR The client ID you want redirect to does not exist"
			}
			o.redirect = n
		case is(args[i], "bcast"):
			o.bcast = true
		case is(args[i], "optin"):
			o.optin = true
		case is(args[i], "optout"):
			o.optout = true
		case is(args[i], "noloop"):
			o.noloop = true
		case is(args[i], "prefix") && more:
			i++
			o.prefixes = append(o.prefixes, string(args[i]))
		default:
			return o, syntax
		}
	}
	return o, ""
}

const anotherMode = " before disabling tracking for this client, and then re-enabling it with a different mode."

// refuseTracking says why options do not go together, or not with those that there are.
func (c *client) refuseTracking(o *tracker) string {
	old := c.tracker
	switch {
	case !o.bcast && len(o.prefixes) > 0:
		return "ERR PREFIX option requires BCAST mode to be enabled"
	case old != nil && old.bcast != o.bcast:
		return "ERR You can't switch BCAST mode on/off" + anotherMode
	case o.bcast && (o.optin || o.optout):
		return "ERR OPTIN and OPTOUT are not compatible with BCAST"
	case o.optin && o.optout:
		return "ERR You can't specify both OPTIN mode and OPTOUT mode"
	case old != nil && (o.optin && old.optout || o.optout && old.optin):
		return "ERR You can't switch OPTIN/OPTOUT mode" + anotherMode
	case o.bcast && len(c.user.Keys) > 0:
		return "NOPERM User " + c.user.Name + " has no permissions to be told of all keys"
	}
	return c.refusePrefixes(o.prefixes)
}

func (c *client) refusePrefixes(prefixes []string) string {
	const overlap = "ERR Prefix '%s' overlaps with %s prefix '%s'. Prefixes for a single client must not overlap."
	overlaps := func(x, y string) bool { return strings.HasPrefix(x, y) || strings.HasPrefix(y, x) }
	for i, p := range prefixes {
		if c.tracker != nil {
			for _, old := range c.tracker.prefixes {
				if overlaps(p, old) {
					return fmt.Sprintf(overlap, p, "an existing", old)
				}
			}
		}
		for _, other := range prefixes[i+1:] {
			if overlaps(p, other) {
				return fmt.Sprintf(overlap, p, "another provided", other)
			}
		}
	}
	size := 0
	for _, p := range prefixes {
		size += subscriptionBytes(p)
	}
	if size > maxSubscribed {
		return "ERR the prefixes are too large"
	}
	return ""
}

func clientCaching(c *client, args [][]byte) {
	k := c.tracker
	switch {
	case k == nil:
		c.out.error("ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN or OPTOUT mode enabled")
	case is(args[2], "yes") && !k.optin:
		c.out.error("ERR CLIENT CACHING YES is only valid when tracking is enabled in OPTIN mode.")
	case is(args[2], "no") && !k.optout:
		c.out.error("ERR CLIENT CACHING NO is only valid when tracking is enabled in OPTOUT mode.")
	case is(args[2], "yes"), is(args[2], "no"):
		c.caching = true
		c.out.ok()
	default:
		c.out.error(syntax)
	}
}

// redirection is where the client's invalidations go: 0 to itself, -1 for without tracking.
func (c *client) redirection() int64 {
	if c.tracker == nil {
		return -1
	}
	return c.tracker.redirect
}

func clientGetredir(c *client, _ [][]byte) { c.out.int(c.redirection()) }

func clientTrackinginfo(c *client, _ [][]byte) {
	flags, prefixes := []string{"off"}, []string(nil)
	if k := c.tracker; k != nil {
		t := &c.server.tracking
		t.mu.Lock() // of what is here, only broken is changed by others
		broken := k.broken
		t.mu.Unlock()
		prefixes = k.prefixes
		flags[0] = "on"
		for _, f := range []struct {
			is   bool
			name string
		}{{k.bcast, "bcast"}, {k.optin, "optin"}, {k.optin && c.caching, "caching-yes"}, {k.optout, "optout"},
			{k.optout && c.caching, "caching-no"}, {k.noloop, "noloop"}, {broken, "broken_redirect"}} {
			if f.is {
				flags = append(flags, f.name)
			}
		}
	}
	c.out.dict(3)
	c.out.text("flags")
	c.out.set(len(flags))
	for _, f := range flags {
		c.out.text(f)
	}
	c.out.text("redirect")
	c.out.int(c.redirection())
	c.out.text("prefixes")
	c.out.texts(prefixes...)
}
