// Package frankenshare is the Caddy app shared_state: state that every PHP thread of one FrankenPHP server shares. It
// reads the configuration and keeps the store in step with it; the store itself is package sharedstate.
package frankenshare

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyevents"
	_ "github.com/dunglas/frankenphp/caddy" // the PHP that the state is shared by
	"go.uber.org/zap"

	"github.com/frankenshare/frankenshare/sharedstate"
)

func init() {
	caddy.RegisterModule(App{})
}

// DefaultTable is the table that always exists.
const DefaultTable = sharedstate.DefaultTable

// App configures the state that PHP threads share. The classes work without it, on a store with default settings.
type App struct {
	// Tables are the tables by name: 1 to 63 letters, digits, dots, dashes and underscores. The table "default" exists
	// in any case.
	Tables map[string]*Table `json:"tables,omitempty"`
	// ThreadCache bounds what each PHP thread keeps of the values that it has read.
	ThreadCache *ThreadCache `json:"thread_cache,omitempty"`
	// LocksMemory bounds what all locks take. Default: 8MiB.
	LocksMemory Size `json:"locks_memory,omitempty"`
	// StrictTables makes PHP fail to open a table that no config names. Without it such a table is made at run time, with
	// the settings of "default".
	StrictTables bool `json:"strict_tables,omitempty"`
	// Intervals has a PHP worker refresh intervals.
	Intervals *Intervals `json:"intervals,omitempty"`
	// RESP are servers of the Redis protocol on the tables.
	RESP []*RESP `json:"resp,omitempty"`

	settings settings
	made     []string // tables that this config made
	found    settings // what a refusal goes back to
	running  bool     // this app has started
	accepted bool     // all apps of this config have started: Caddy keeps it
	logger   *zap.Logger

	resp   []*respUse
	worker *sharedstate.IntervalWorker // nil for none
	life   context.Context             // the worker's; it ends with Stop
	end    context.CancelFunc
}

// Table is the configuration of one table.
type Table struct {
	// Memory is the bound on everything the table holds: a number of bytes or a string such as "64MiB", which is the
	// default. Another one on a reload keeps the rows as long as they fit.
	Memory Size `json:"memory,omitempty"`
	// MaxValue is the size of the largest value, encoded. Default: 1MiB.
	MaxValue Size `json:"max_value,omitempty"`
	// Objects says whether PHP objects may be stored: "serialize" (the default) or "deny".
	Objects string `json:"objects,omitempty"`
	// ObjectClasses are the only classes whose objects may be stored. Default: every class.
	ObjectClasses []string `json:"object_classes,omitempty"`
	// Eviction says what happens when the memory is used up. Default: what was not used for the longest time goes.
	Eviction *Eviction `json:"eviction,omitempty"`
	// Sweep is how often the memory of keys that have expired is freed: a duration such as "500ms". Default: 1s.
	Sweep string `json:"sweep,omitempty"`
}

// ThreadCache bounds a thread's cache.
type ThreadCache struct {
	// Entries is the most values that a thread keeps. Default: 4096.
	Entries Size `json:"entries,omitempty"`
	// Bytes is the most memory that they take. Default: 4MiB.
	Bytes Size `json:"bytes,omitempty"`
}

// settings are a config with every amount known.
type settings struct {
	tables                   map[string]sharedstate.Options
	cacheEntries, cacheBytes int64
	locksMemory              int64
	strict                   bool
}

// CaddyModule returns the Caddy module information.
func (App) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "shared_state", New: func() caddy.Module { return new(App) }}
}

// Provision gives every setting its value and makes the tables that are not there yet. It makes them here, not in Start,
// because apps start in no fixed order: PHP may run before this app starts, and finds its tables. Whatever refuses the
// config after this, Validate included, Caddy calls Cleanup, which undoes it.
func (a *App) Provision(ctx caddy.Context) error {
	a.logger = ctx.Logger()
	repl := caddy.NewReplacer()
	if err := a.resolve(repl); err != nil {
		return err
	}
	if err := a.provisionRESP(ctx, repl); err != nil {
		return err
	}
	if err := a.addIntervalWorker(ctx, repl); err != nil {
		return err
	}
	events, err := ctx.App("events")
	if err != nil {
		return err
	}
	if err := events.(*caddyevents.App).On("started", started{a}); err != nil {
		return err
	}
	if err := process.join(a); err != nil {
		return err
	}
	a.report(host)
	return nil
}

// report says which tables there are, also when the config is only validated, and warns when they may outgrow the host.
func (a *App) report(host fs.FS) {
	var sum int64
	for _, name := range slices.Sorted(maps.Keys(a.settings.tables)) {
		o := a.settings.tables[name]
		sum += o.Memory
		a.logger.Info("shared table", zap.String("table", name), zap.String("memory", memory.text(o.Memory)),
			zap.String("max_value", maxValue.text(o.MaxValue)), zap.String("eviction", policies[o.Eviction.Policy]))
	}
	if limit, of := memoryLimit(host); limit > 0 && sum > limit {
		const mib = 1 << 20 // one unit for both, rounded apart
		a.logger.Warn(fmt.Sprintf("the tables may take %dMiB, more than %s of %dMiB", (sum+mib-1)/mib, of, limit/mib))
	}
}

// resolve fills settings in.
func (a *App) resolve(repl *caddy.Replacer) error {
	a.settings.tables = map[string]sharedstate.Options{DefaultTable: sharedstate.DefaultOptions()}
	for _, name := range slices.Sorted(maps.Keys(a.Tables)) {
		t := a.Tables[name]
		if t == nil { // "name": null
			t = new(Table)
		}
		o, err := t.options(repl)
		if err != nil {
			return fmt.Errorf("table %q: %w", name, err)
		}
		a.settings.tables[name] = o
	}
	a.settings.strict = a.StrictTables
	var err error
	if a.settings.locksMemory, err = locksMemory.read(a.LocksMemory, sharedstate.DefaultLocksMemory, repl); err != nil {
		return err
	}
	a.settings.cacheEntries, a.settings.cacheBytes, err = a.ThreadCache.limits(repl)
	return err
}

// options are the table's, with the defaults for what it does not say.
func (t *Table) options(repl *caddy.Replacer) (sharedstate.Options, error) {
	o := sharedstate.DefaultOptions()
	var err error
	if o.Memory, err = memory.read(t.Memory, o.Memory, repl); err != nil {
		return o, err
	}
	if o.MaxValue, err = maxValue.read(t.MaxValue, o.MaxValue, repl); err != nil {
		return o, err
	}
	switch t.Objects {
	case "", "serialize":
		o.Objects = sharedstate.ObjectsSerialize
	case "deny":
		o.Objects = sharedstate.ObjectsDeny
	default:
		return o, fmt.Errorf("objects %q is not serialize or deny", t.Objects)
	}
	o.ObjectClasses = t.ObjectClasses
	if o.Eviction, err = t.Eviction.options(); err != nil {
		return o, err
	}
	if o.Sweep, err = sweepInterval(t.Sweep); err != nil {
		return o, err
	}
	return o, sharedstate.ValidateClasses(o.Objects, o.ObjectClasses)
}

// limits are the cache's, with the defaults for what it does not say.
func (c *ThreadCache) limits(repl *caddy.Replacer) (entries, bytes int64, err error) {
	if c == nil {
		c = new(ThreadCache)
	}
	entries, err = cacheEntries.read(c.Entries, sharedstate.DefaultThreadCacheEntries, repl)
	if err == nil {
		bytes, err = cacheBytes.read(c.Bytes, sharedstate.DefaultThreadCacheBytes, repl)
	}
	return entries, bytes, err
}

// checkFit says whether options that are right one by one contradict each other.
func checkFit(o sharedstate.Options) error {
	if o.MaxValue > o.Memory {
		return fmt.Errorf("max_value of %d bytes is above the table's memory of %d bytes", o.MaxValue, o.Memory)
	}
	return nil
}

// Validate finds settings that contradict each other.
func (a *App) Validate() error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(a.settings.tables)) {
		if err := checkFit(a.settings.tables[name]); err != nil {
			errs = append(errs, fmt.Errorf("table %q: %w", name, err))
		}
	}
	return errors.Join(errs...)
}

// Start makes tables grow to their size in this config, and lets clients of the Redis protocol in.
func (a *App) Start() error {
	if err := process.start(a); err != nil {
		return err
	}
	return a.startRESP(process.store)
}

// Stop leaves all tables as they are: the old config's PHP may still run. Cleanup follows.
func (a *App) Stop() error {
	a.endIntervalWorker()
	return a.stopRESP()
}

// Cleanup takes the config out of those that count.
func (a *App) Cleanup() error {
	a.endIntervalWorker()
	return errors.Join(a.stopRESP(), process.leave(a))
}

// started notes that all apps of the config have started, so that Caddy keeps it.
type started struct{ app *App }

// Handle implements caddyevents.Handler.
func (s started) Handle(context.Context, caddy.Event) error {
	if s.app.worker != nil {
		process.store.SetIntervalWorker(s.app.worker)
	}
	s.app.acceptRESP()
	return process.accept(s.app)
}

var (
	_ caddy.App             = (*App)(nil)
	_ caddy.Provisioner     = (*App)(nil)
	_ caddy.Validator       = (*App)(nil)
	_ caddy.CleanerUpper    = (*App)(nil)
	_ caddyfile.Unmarshaler = (*App)(nil)
	_ caddyevents.Handler   = started{}
)
