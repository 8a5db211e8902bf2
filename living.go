package frankenshare

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"go.uber.org/zap"

	"github.com/frankenshare/frankenshare/phpbridge"
	"github.com/frankenshare/frankenshare/sharedstate"
)

// living is the process's store and the configs that use it: one in peace, two during a reload, when Caddy provisions and
// starts the new one before it stops the old one, and may still refuse the new one.
//
// A refused config must leave no trace, and an accepted one must not break PHP of either config while both run. So
// while two configs live, the wider of their settings holds: what either allows, is allowed. When one of them goes, the
// refused or the replaced one, the settings are those of the other. This does not ask in which order Caddy starts its apps,
// and only for what has no wider setting, which of the two is newer.
//
// What loses rows, a smaller table or one less, waits until an accepted config is alone. The store and its tables outlive
// the configs: PHP goes on using them without one.
type living struct {
	mu      sync.Mutex
	store   *sharedstate.Store
	configs []*App
	made    map[string]*sharedstate.Table // tables that a config made, and that go when none names them
	logger  *zap.Logger                   // the newest config's: those of a config that goes are closed already
}

var process = &living{store: phpbridge.Store(), made: make(map[string]*sharedstate.Table)}

// join makes the tables that a wants and lets its settings count, but for the size of tables that are there: a may never
// start. On an error leave undoes what was done.
func (l *living) join(a *App) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	a.found.tables = make(map[string]sharedstate.Options)
	a.found.cacheEntries, a.found.cacheBytes = l.store.ThreadCache()
	_, a.found.locksMemory = l.store.LocksMemory()
	if len(l.configs) > 0 {
		l.store.Drain() // PHP of the config before cannot stop while its threads wait
	}
	l.configs = append(l.configs, a)
	l.logger = a.logger
	for _, name := range slices.Sorted(maps.Keys(a.settings.tables)) {
		if t, err := l.store.Table(name); err == nil {
			a.found.tables[name] = t.Options()
			continue
		}
		t, err := l.store.Define(name, a.settings.tables[name])
		if err != nil {
			return fmt.Errorf("table %q: %w", name, err)
		}
		a.made = append(a.made, name)
		l.made[name] = t
	}
	return l.apply()
}

// start lets a's table sizes count: tables grow. An error makes Caddy refuse a.
func (l *living) start(a *App) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	a.running = true
	return l.apply()
}

// accept notes that Caddy keeps a. Alone, because the config before had no shared_state, a gets all its way.
func (l *living) accept(a *App) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	a.accepted = true
	return l.apply()
}

// leave takes a out. When it was refused, all is as without it.
func (l *living) leave(a *App) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Contains(l.configs, a) { // refused before it joined
		return nil
	}
	l.configs = slices.DeleteFunc(l.configs, func(c *App) bool { return c == a })
	if n := len(l.configs); n > 0 {
		l.logger = l.configs[n-1].logger
	}
	var undone error
	if !a.accepted {
		undone = l.undo(a)
	}
	return errors.Join(undone, l.apply())
}

// undo takes back what a did, also to tables that no other config names. A table that PHP has filled in the meantime stays,
// as if PHP had made it.
func (l *living) undo(a *App) error {
	var errs []error
	for _, name := range a.made {
		if t := l.disown(name); t != nil && t.Len() == 0 {
			errs = append(errs, l.store.Drop(name))
		}
	}
	l.store.SetThreadCache(a.found.cacheEntries, a.found.cacheBytes)
	l.store.SetLocksMemory(a.found.locksMemory)
	for _, name := range slices.Sorted(maps.Keys(a.found.tables)) {
		errs = append(errs, l.set(name, a.found.tables[name], true))
	}
	return errors.Join(errs...)
}

// apply puts the widest of the configs' settings into force. With no config left the last ones stay, but for strictness,
// which only a config can ask for.
func (l *living) apply() error {
	wide := l.wide()
	l.store.SetStrict(wide.strict)
	if len(l.configs) == 0 {
		return nil
	}
	l.store.SetThreadCache(wide.cacheEntries, wide.cacheBytes)
	l.store.SetLocksMemory(wide.locksMemory)
	settled := len(l.configs) == 1 && l.configs[0].accepted
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(wide.tables)) {
		errs = append(errs, l.set(name, wide.tables[name], settled))
	}
	if settled {
		for _, name := range slices.Sorted(maps.Keys(l.made)) {
			if _, named := wide.tables[name]; named {
				continue
			}
			if t := l.disown(name); t != nil {
				l.logger.Info("shared table removed", zap.String("table", name), zap.Int("rows", t.Len()))
				errs = append(errs, l.store.Drop(name))
			}
		}
	}
	return errors.Join(errs...)
}

// set puts a table's settings into force: a size of 0 stays as it is, and a smaller one waits unless the table may shrink.
// A table that Go code has dropped has none.
func (l *living) set(name string, o sharedstate.Options, mayShrink bool) error {
	t, err := l.store.Table(name)
	if err != nil {
		return nil
	}
	before, after := t.Options().Memory, o.Memory
	o.Memory = before
	if err := t.Reconfigure(o); err != nil {
		return fmt.Errorf("table %q: %w", name, err)
	}
	if after == 0 || after == before || after < before && !mayShrink {
		return nil
	}
	dropped, err := t.Resize(after)
	if err != nil {
		return fmt.Errorf("resizing from %s to %s: %w", memory.text(before), memory.text(after), err)
	}
	table := zap.String("table", name)
	l.logger.Info("shared table resized", table, zap.String("from", memory.text(before)), zap.String("to", memory.text(after)))
	if dropped > 0 {
		l.logger.Warn("rows dropped that do not fit the resized table", table, zap.Int("rows", dropped))
	}
	return nil
}

// disown answers a table that a config made, and that no config makes go any more; nil when another has its name by now.
func (l *living) disown(name string) *sharedstate.Table {
	made := l.made[name]
	delete(l.made, name)
	if t, err := l.store.Table(name); err != nil || t != made {
		return nil
	}
	return made
}

// wide is what at least one config allows. The size of a table counts once the config has started.
func (l *living) wide() settings {
	wide := settings{strict: len(l.configs) > 0, tables: make(map[string]sharedstate.Options)}
	for _, c := range l.configs {
		wide.strict = wide.strict && c.settings.strict
		wide.cacheEntries = max(wide.cacheEntries, c.settings.cacheEntries)
		wide.cacheBytes = max(wide.cacheBytes, c.settings.cacheBytes)
		wide.locksMemory = max(wide.locksMemory, c.settings.locksMemory)
		for name, o := range c.settings.tables {
			if !c.running {
				o.Memory = 0
			}
			if have, both := wide.tables[name]; both {
				o.Memory = max(o.Memory, have.Memory)
				o.MaxValue = max(o.MaxValue, have.MaxValue)
				o.Objects, o.ObjectClasses = sharedstate.WiderObjects(have, o)
				o.Eviction, o.Sweep = have.Eviction, have.Sweep // of which none is wider: those of the older config count
			}
			wide.tables[name] = o
		}
	}
	return wide
}
