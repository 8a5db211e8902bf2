package frankenshare

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/frankenshare/frankenshare/sharedstate"
)

// Eviction says what a table does when its memory is used up.
type Eviction struct {
	// Policy is what goes first: "lru", what was not used for the longest time (the default); "lfu", what is used least often;
	// "ttl", what would expire soonest. With "noeviction" nothing goes, and writes fail.
	Policy string `json:"policy,omitempty"`
	// Buffer is the share of the memory that is kept free in the background: "0%" to "50%". Default: 5%.
	Buffer string `json:"buffer,omitempty"`
	// Proportion is the share of the memory that one pass in the background evicts: above "0%", at most "50%". Default: 5%.
	Proportion string `json:"proportion,omitempty"`
}

// policies are the names of the policies.
var policies = []string{
	sharedstate.EvictLRU: "lru", sharedstate.EvictLFU: "lfu", sharedstate.EvictTTL: "ttl", sharedstate.EvictNone: "noeviction",
}

// options are the eviction's, with the defaults for what it does not say.
func (e *Eviction) options() (sharedstate.Eviction, error) {
	o := sharedstate.DefaultOptions().Eviction
	if e == nil {
		return o, nil
	}
	if e.Policy != "" {
		policy := slices.Index(policies, e.Policy)
		if policy < 0 {
			return o, fmt.Errorf("eviction %q is not one of %s", e.Policy, strings.Join(policies, ", "))
		}
		o.Policy = sharedstate.EvictionPolicy(policy)
	}
	if o.Policy == sharedstate.EvictNone {
		if e.Buffer != "" || e.Proportion != "" {
			return o, fmt.Errorf("eviction noeviction takes neither buffer nor proportion, but has %q", e.Buffer+e.Proportion)
		}
		return sharedstate.Eviction{Policy: o.Policy}, nil
	}
	var err error
	if e.Buffer != "" {
		o.Buffer, err = share("eviction buffer", e.Buffer, func(n float64) bool { return n >= 0 && n <= 50 }, "between 0% and 50%")
	}
	if err == nil && e.Proportion != "" {
		o.Proportion, err = share("eviction proportion", e.Proportion, func(n float64) bool { return n > 0 && n <= 50 }, "above 0% and at most 50%")
	}
	return o, err
}

// share reads a percentage.
func share(option, text string, within func(float64) bool, limits string) (float64, error) {
	number, isPercentage := strings.CutSuffix(text, "%")
	n, err := strconv.ParseFloat(number, 64)
	if !isPercentage || err != nil {
		return 0, fmt.Errorf("%s %q is not a percentage such as 5%%, %s", option, text, limits)
	}
	if !within(n) {
		return 0, fmt.Errorf("%s %q is not %s", option, text, limits)
	}
	return n / 100, nil
}

// sweepInterval is how often a table is swept.
func sweepInterval(text string) (time.Duration, error) {
	if text == "" {
		return sharedstate.DefaultOptions().Sweep, nil
	}
	limits := fmt.Sprintf("between %dms and %dh", sharedstate.MinSweep.Milliseconds(), int(sharedstate.MaxSweep.Hours()))
	d, err := caddy.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("sweep %q is not a duration such as 1s, %s", text, limits)
	}
	if d < sharedstate.MinSweep || d > sharedstate.MaxSweep {
		return 0, fmt.Errorf("sweep %q is not %s", text, limits)
	}
	return d, nil
}

// unmarshalEviction reads the option with its block. check is called after each line, so that an error has its line.
func (t *Table) unmarshalEviction(d *caddyfile.Dispenser, check func() error) error {
	line := d.Line()
	args := d.RemainingArgs()
	if len(args) != 1 || args[0] == "" {
		return d.Errf("eviction takes one of %s, but has %q", strings.Join(policies, ", "), strings.Join(args, " "))
	}
	t.Eviction = &Eviction{Policy: args[0]}
	if err := check(); err != nil {
		return err
	}
	seen := make(map[string]bool)
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		option := d.Val()
		if args[0] == policies[sharedstate.EvictNone] {
			return fmt.Errorf("eviction noeviction takes no block, at %s:%d", d.File(), line)
		}
		if seen[option] {
			return d.Errf("duplicate option %q in eviction", option)
		}
		seen[option] = true
		var target *string
		switch option {
		case "buffer":
			target = &t.Eviction.Buffer
		case "proportion":
			target = &t.Eviction.Proportion
		default:
			return d.Errf("unrecognized option %q: eviction knows buffer, proportion", option)
		}
		values, err := arguments(d, "a percentage", 1)
		if err != nil {
			return err
		}
		if values[0] == "" {
			return d.Errf("%s is empty, it takes a percentage", option)
		}
		*target = values[0]
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}
