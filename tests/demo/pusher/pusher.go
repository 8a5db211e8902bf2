// Package pusher is the Go half of the demo: the Caddy app shared_state_demo writes figures of the running process into
// the shared table every second, where PHP reads them like any other key.
package pusher

import (
	"fmt"
	"runtime"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"go.uber.org/zap"

	"github.com/frankenshare/frankenshare/phpbridge"
	"github.com/frankenshare/frankenshare/sharedstate"
)

func init() {
	caddy.RegisterModule(App{})
	httpcaddyfile.RegisterGlobalOption("shared_state_demo", parseGlobalOption)
}

const interval = time.Second

// These belong to the process, which outlives every config.
var (
	started = time.Now()
	pushes  atomic.Int64
)

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
	table, err := phpbridge.Store().Table("default")
	if err != nil {
		return fmt.Errorf("shared_state_demo needs a shared_state block: %w", err)
	}
	a.stop, a.done = make(chan struct{}), make(chan struct{})
	go a.run(table)
	return nil
}

// Stop ends the pushing.
func (a *App) Stop() error {
	close(a.stop)
	<-a.done
	return nil
}

func (a *App) run(table *sharedstate.Table) {
	defer close(a.done)
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	failing := false
	for {
		err := push(table)
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

// push writes all figures in one step.
func push(table *sharedstate.Table) error {
	stats := table.Stats()
	return table.Merge([]sharedstate.Entry{
		{Key: "server:pushes", Value: sharedstate.Int(pushes.Add(1))},
		{Key: "server:uptime", Value: sharedstate.Int(int64(time.Since(started).Seconds()))},
		{Key: "server:rows", Value: sharedstate.Int(int64(stats.Keys))},
		{Key: "server:writes", Value: sharedstate.Int(int64(stats.Writes))},
		{Key: "server:memory_used", Value: sharedstate.Int(int64(stats.MemoryUsed))},
		{Key: "server:go_heap", Value: sharedstate.Int(heapBytes())},
		{Key: "server:goroutines", Value: sharedstate.Int(int64(runtime.NumGoroutine()))},
		{Key: "server:time", Value: sharedstate.Float(float64(time.Now().UnixMilli()) / 1000)},
	})
}

// heapBytes is the memory of the live Go objects. Unlike runtime.ReadMemStats it stops nothing.
func heapBytes() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// parseGlobalOption reads the global option, which is a single word.
func parseGlobalOption(d *caddyfile.Dispenser, existing any) (any, error) {
	d.Next()
	if existing != nil {
		return nil, d.Err("a second shared_state_demo")
	}
	if d.NextArg() {
		return nil, d.Errf("shared_state_demo takes no argument, but has %q", d.Val())
	}
	if d.NextBlock(0) {
		return nil, d.Errf("shared_state_demo takes no block, but has %q in one", d.Val())
	}
	return httpcaddyfile.App{Name: "shared_state_demo", Value: []byte("{}")}, nil
}

var (
	_ caddy.App         = (*App)(nil)
	_ caddy.Provisioner = (*App)(nil)
)
