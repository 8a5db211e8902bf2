package frankenshare

import (
	"fmt"

	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"

	"github.com/frankenshare/frankenshare/sharedstate"
)

func init() {
	httpcaddyfile.RegisterGlobalOption("shared_state", parseGlobalOption)
}

// parseGlobalOption reads the block. Caddy hands what an earlier block came to as existing.
func parseGlobalOption(d *caddyfile.Dispenser, existing any) (any, error) {
	if existing != nil {
		d.Next()
		return nil, d.Err("a second shared_state block: there is one store, so put all tables into the first")
	}
	a := new(App)
	if err := a.UnmarshalCaddyfile(d); err != nil {
		return nil, err
	}
	return httpcaddyfile.App{Name: "shared_state", Value: caddyconfig.JSON(a, nil)}, nil
}

// UnmarshalCaddyfile sets the app up from a Caddyfile. Every option has a default, so the name alone will do. Syntax:
//
//	shared_state {
//		table <name> {
//			memory    <size>
//			max_value <size>
//			objects   serialize [<class>...]|deny
//			eviction  lru|lfu|ttl|noeviction {
//				buffer     <percentage>
//				proportion <percentage>
//			}
//			sweep     <duration>
//		}
//		thread_cache <entries> <size>
//		locks_memory <size>
//		strict_tables
//		intervals <script> [<threads>]
//		resp <address> {
//			password     <password>
//			users {
//				<name> <password> read|full [<key pattern>...]
//			}
//			table        <name>
//			max_clients  <number>
//			idle_timeout <duration>
//			tls          [<host name>...]
//			prefixes     on|off
//			insecure
//		}
//	}
func (a *App) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next()
	if d.NextArg() {
		return d.Errf("shared_state takes no argument, but has %q", d.Val())
	}
	for d.NextBlock(0) {
		switch option := d.Val(); option {
		case "table":
			if err := a.unmarshalTable(d); err != nil {
				return err
			}
		case "thread_cache":
			if a.ThreadCache != nil {
				return d.Errf("duplicate option %q", option)
			}
			args, err := arguments(d, "an entry count and a size", 2)
			if err != nil {
				return err
			}
			a.ThreadCache = &ThreadCache{Entries: Size(args[0]), Bytes: Size(args[1])}
			if _, _, err := a.ThreadCache.limits(nil); err != nil {
				return d.WrapErr(err)
			}
		case "locks_memory":
			if a.LocksMemory != "" {
				return d.Errf("duplicate option %q", option)
			}
			args, err := arguments(d, "a size", 1)
			if err != nil {
				return err
			}
			if args[0] == "" {
				return d.Errf("%s is empty, it takes a size", option)
			}
			a.LocksMemory = Size(args[0])
			if _, err := locksMemory.read(a.LocksMemory, 0, nil); err != nil {
				return d.WrapErr(err)
			}
		case "strict_tables":
			if a.StrictTables {
				return d.Errf("duplicate option %q", option)
			}
			if _, err := arguments(d, "no argument", 0); err != nil {
				return err
			}
			a.StrictTables = true
		case "intervals":
			if a.Intervals != nil {
				return d.Errf("duplicate option %q", option)
			}
			var err error
			if a.Intervals, err = unmarshalIntervals(d); err != nil {
				return err
			}
		case "resp":
			if err := a.unmarshalRESP(d); err != nil {
				return err
			}
		case "memory", "max_value", "objects", "eviction", "sweep":
			return d.Errf("misplaced option %q: it belongs into a table block", option)
		default:
			return d.Errf("unrecognized option %q: shared_state knows table, thread_cache, locks_memory, strict_tables, intervals, resp", option)
		}
	}
	return nil
}

func unmarshalIntervals(d *caddyfile.Dispenser) (*Intervals, error) {
	n := 1
	if d.CountRemainingArgs() == 2 {
		n = 2
	}
	args, err := arguments(d, "a script and at most a number of threads", n)
	if err != nil {
		return nil, err
	}
	i := &Intervals{Script: args[0]}
	if n == 2 {
		if i.Threads, err = threads(args[1]); err != nil {
			return nil, d.WrapErr(err)
		}
	}
	if err := i.validate(); err != nil {
		return nil, d.WrapErr(err)
	}
	return i, nil
}

// unmarshalTable reads one table; the dispenser is at its first word.
func (a *App) unmarshalTable(d *caddyfile.Dispenser) error {
	args := d.RemainingArgs()
	if len(args) != 1 {
		return d.Errf("table takes one name, but has %d", len(args))
	}
	name := args[0]
	if err := sharedstate.ValidateName(name); err != nil {
		return d.WrapErr(err)
	}
	if _, twice := a.Tables[name]; twice {
		return d.Errf("duplicate table %q", name)
	}
	t := new(Table)
	seen := make(map[string]bool)
	line := d.Line()
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		option := d.Val()
		if seen[option] {
			return d.Errf("duplicate option %q in table %q", option, name)
		}
		seen[option] = true
		// Said here, where the line is known; again when the app is provisioned, for what is known only then.
		check := func() error {
			if _, err := t.options(nil); err != nil {
				return d.Errf("table %q: %w", name, err)
			}
			return nil
		}
		if err := t.unmarshalOption(d, option, check); err != nil {
			return err
		}
		if err := check(); err != nil {
			return err
		}
		if option == "memory" || option == "max_value" {
			line = d.Line()
		}
	}
	if !t.Memory.hasPlaceholder() && !t.MaxValue.hasPlaceholder() {
		o, _ := t.options(nil)
		if err := checkFit(o); err != nil {
			return fmt.Errorf("table %q: %w, at %s:%d", name, err, d.File(), line)
		}
	}
	if a.Tables == nil {
		a.Tables = make(map[string]*Table)
	}
	a.Tables[name] = t
	return nil
}

func (t *Table) unmarshalOption(d *caddyfile.Dispenser, option string, check func() error) error {
	var target *string
	kind := "a size"
	switch option {
	case "memory":
		target = (*string)(&t.Memory)
	case "max_value":
		target = (*string)(&t.MaxValue)
	case "sweep":
		target, kind = &t.Sweep, "a duration"
	case "objects":
		return t.unmarshalObjects(d)
	case "eviction":
		return t.unmarshalEviction(d, check)
	case "table", "thread_cache", "locks_memory", "strict_tables", "intervals", "resp":
		return d.Errf("misplaced option %q: it belongs directly into shared_state", option)
	default:
		return d.Errf("unrecognized option %q: a table knows memory, max_value, objects, eviction, sweep", option)
	}
	args, err := arguments(d, kind, 1)
	if err != nil {
		return err
	}
	if args[0] == "" {
		return d.Errf("%s is empty, it takes %s", option, kind)
	}
	*target = args[0]
	return nil
}

func (t *Table) unmarshalObjects(d *caddyfile.Dispenser) error {
	n := d.CountRemainingArgs()
	args, err := arguments(d, "serialize, with the classes that may be stored, or deny", max(n, 1))
	if err != nil {
		return err
	}
	t.Objects = args[0]
	if t.Objects == "" {
		return d.Err("objects is empty, it takes serialize or deny")
	}
	if n > 1 {
		t.ObjectClasses = args[1:]
	}
	return nil
}

// arguments takes the n arguments of the option that the dispenser is at, which has no block.
func arguments(d *caddyfile.Dispenser, kind string, n int) ([]string, error) {
	option, line := d.Val(), d.Line()
	args := d.RemainingArgs()
	if len(args) != n {
		return nil, d.Errf("%s takes %s, but has %d arguments", option, kind, len(args))
	}
	last := append([]string{option}, args...)[n]
	if d.NextBlock(d.Nesting()) || d.Val() != last {
		return nil, fmt.Errorf("%s takes no block, at %s:%d", option, d.File(), line)
	}
	return args, nil
}
