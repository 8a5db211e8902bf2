package frankenshare

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/caddyserver/caddy/v2"

	"github.com/frankenshare/frankenshare/phpbridge"
	"github.com/frankenshare/frankenshare/sharedstate"
)

// living is the store and the configs that use it: one in peace, two during a reload, when Caddy provisions and starts
// the new one before it stops the old one, and may still refuse the new one.
//
// A refused config must leave no trace, and an accepted one must not break PHP of either config while both run. So
// while two configs live, the wider of their settings holds: what either allows, is allowed. When one of them goes, the
// refused or the replaced one, the settings are those of the other. This asks neither which of the two is newer nor in
// which order Caddy starts its apps.
type living struct {
	mu      sync.Mutex
	store   *sharedstate.Store
	configs []*App
}

var pool = caddy.NewUsagePool()

const poolKey = "shared_state"

// takeLiving takes a reference, releaseLiving gives it back.
func takeLiving() (*living, error) {
	v, _, err := pool.LoadOrNew(poolKey, func() (caddy.Destructor, error) {
		return &living{store: phpbridge.Store()}, nil
	})
	if err != nil {
		return nil, err
	}
	return v.(*living), nil
}

func releaseLiving() error {
	_, err := pool.Delete(poolKey)
	return err
}

// Destruct implements caddy.Destructor. The store outlives the configs: PHP goes on using it without one.
func (l *living) Destruct() error { return nil }

// join makes the tables that a wants and lets its settings count. On an error leave undoes what was done.
func (l *living) join(a *App) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	names := slices.Sorted(maps.Keys(a.settings.tables))
	for _, name := range names { // all of them, before the first change
		t, err := l.store.Table(name)
		if err != nil {
			continue
		}
		if have, want := t.Options().Memory, a.settings.tables[name].Memory; have != want {
			return fmt.Errorf("table %q: memory of %d bytes asked, but it has %d, which cannot change while the server runs: "+
				"restart the server", name, want, have)
		}
	}
	l.configs = append(l.configs, a)
	for _, name := range names {
		if _, err := l.store.Table(name); err == nil {
			continue
		}
		if _, err := l.store.Define(name, a.settings.tables[name]); err != nil {
			return fmt.Errorf("table %q: %w", name, err)
		}
		a.made = append(a.made, name)
	}
	return l.apply()
}

// leave takes a out and, when it was refused, forgets the tables that only it wanted. One that PHP has filled in the
// meantime stays.
func (l *living) leave(a *App) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.configs = slices.DeleteFunc(l.configs, func(c *App) bool { return c == a })
	var errs []error
	if !a.accepted {
		for _, name := range a.made {
			if t, err := l.store.Table(name); err == nil && t.Len() == 0 {
				errs = append(errs, l.store.Drop(name))
			}
		}
	}
	return errors.Join(append(errs, l.apply())...)
}

// apply puts the widest of the configs' settings into force. With no config left the last ones stay.
func (l *living) apply() error {
	if len(l.configs) == 0 {
		return nil
	}
	wide := settings{tables: make(map[string]sharedstate.Options)}
	for _, c := range l.configs {
		wide.widen(c.settings)
	}
	l.store.SetThreadCache(wide.cacheEntries, wide.cacheBytes)
	for name, o := range wide.tables {
		t, err := l.store.Table(name)
		if err != nil {
			return err
		}
		if err := t.Reconfigure(o); err != nil {
			return err
		}
	}
	return nil
}

// widen makes s allow what other allows.
func (s *settings) widen(other settings) {
	s.cacheEntries = max(s.cacheEntries, other.cacheEntries)
	s.cacheBytes = max(s.cacheBytes, other.cacheBytes)
	for name, o := range other.tables {
		if mine, both := s.tables[name]; both {
			o.MaxValue = max(o.MaxValue, mine.MaxValue)
			o.Objects = min(o.Objects, mine.Objects) // serialize comes before deny
		}
		s.tables[name] = o
	}
}
