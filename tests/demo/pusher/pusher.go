// Package pusher is the Go half of the demo. Its Caddy app shared_state_demo writes figures of the running process into the
// shared table every second, where PHP reads them like any other key. Its handler of the same name counts the requests of a
// site, and answers those under /go/ from Go, out of the same table.
package pusher

import (
	"fmt"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"go.uber.org/zap"

	"github.com/frankenshare/frankenshare/phpbridge"
)

func init() {
	caddy.RegisterModule(App{})
	httpcaddyfile.RegisterGlobalOption("shared_state_demo", parseGlobalOption)
}

const interval = time.Second

// App is the Caddy app shared_state_demo. It has no settings.
type App struct {
	logger *zap.Logger
	stop   chan struct{}
	done   chan struct{}
}

// CaddyModule returns the Caddy module information.
func (App) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "shared_state_demo", New: func() caddy.Module { return new(App) }}
}

// Provision implements caddy.Provisioner.
func (a *App) Provision(ctx caddy.Context) error {
	a.logger = ctx.Logger()
	return nil
}

// Start begins to push to the table "default".
func (a *App) Start() error {
	store := phpbridge.Store()
	table, err := store.Table("default")
	if err != nil {
		return fmt.Errorf("shared_state_demo needs a shared_state block: %w", err)
	}
	a.stop, a.done = make(chan struct{}), make(chan struct{})
	go a.run(newFigures(store, table))
	return nil
}

// Stop ends the pushing.
func (a *App) Stop() error {
	close(a.stop)
	<-a.done
	return nil
}

func (a *App) run(f *figures) {
	defer close(a.done)
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	failing := false
	for {
		err := f.push()
		if err != nil && !failing {
			a.logger.Warn("pushing to the shared table", zap.Error(err))
		}
		failing = err != nil
		select {
		case <-a.stop:
			return
		case <-ticker.C:
		}
	}
}

// parseGlobalOption reads the global option, which is a single word.
func parseGlobalOption(d *caddyfile.Dispenser, existing any) (any, error) {
	d.Next()
	if existing != nil {
		return nil, d.Err("a second shared_state_demo")
	}
	if err := bare(d); err != nil {
		return nil, err
	}
	return httpcaddyfile.App{Name: "shared_state_demo", Value: []byte("{}")}, nil
}

// bare refuses whatever follows a name that takes nothing.
func bare(d *caddyfile.Dispenser) error {
	if d.NextArg() {
		return d.Errf("shared_state_demo takes no argument, but has %q", d.Val())
	}
	if d.NextBlock(0) {
		return d.Errf("shared_state_demo takes no block, but has %q in one", d.Val())
	}
	return nil
}

var (
	_ caddy.App         = (*App)(nil)
	_ caddy.Provisioner = (*App)(nil)
)
