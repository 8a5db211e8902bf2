package phpbridge

import (
	"fmt"

	"github.com/frankenshare/frankenshare/sharedstate"
)

// open finds a table. In a process without a shared_state block the first one to ask makes the table "default" with
// default settings, unless autostart is off; a later config adopts it.
func open(name string, autostart bool) (*sharedstate.Table, error) {
	if len(store.Tables()) == 0 {
		if !autostart {
			return nil, fmt.Errorf("%w: add a `shared_state` block to the Caddyfile, or set frankenshare.autostart = 1 in php.ini", sharedstate.ErrUnavailable)
		}
		if _, err := store.Define(sharedstate.DefaultTable, sharedstate.DefaultOptions()); err != nil {
			return nil, fmt.Errorf("%w: %w", sharedstate.ErrUnavailable, err)
		}
	}
	return store.Open(name)
}
