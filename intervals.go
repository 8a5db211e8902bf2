package frankenshare

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"

	"github.com/caddyserver/caddy/v2"
	"github.com/dunglas/frankenphp"
	frankenphpcaddy "github.com/dunglas/frankenphp/caddy"
	"go.uber.org/zap"

	"github.com/frankenshare/frankenshare/sharedstate"
)

// Intervals configures the PHP worker that refreshes intervals when they are due. Without one the request that first reads a value
// that is due refreshes it.
type Intervals struct {
	// Script is the worker's PHP file.
	Script string `json:"script"`
	// Threads is how many PHP threads run it, 1 to 64. Default: 1.
	Threads int `json:"threads,omitempty"`
}

const (
	intervalsWorker = "shared_state intervals" // the worker's name
	maxThreads      = 64
)

// validate says what is wrong with the settings alone.
func (i *Intervals) validate() error {
	if i.Script == "" {
		return errors.New("intervals takes the path of a PHP script")
	}
	if i.Threads < 0 || i.Threads > maxThreads {
		return fmt.Errorf("intervals threads %d is not between 1 and %d", i.Threads, maxThreads)
	}
	return nil
}

// threads reads a number of threads.
func threads(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxThreads {
		return 0, fmt.Errorf("intervals threads %q is not between 1 and %d", text, maxThreads)
	}
	return n, nil
}

// addIntervalWorker adds the worker to the frankenphp app of this config, which has not started yet. caddy.RegisterWorkers will not
// do: its list outlives the first reload.
func (a *App) addIntervalWorker(ctx caddy.Context, repl *caddy.Replacer) error {
	if a.Intervals == nil {
		return nil
	}
	if err := a.Intervals.validate(); err != nil {
		return err
	}
	script, err := filepath.Abs(repl.ReplaceKnown(a.Intervals.Script, ""))
	if err == nil {
		script, err = filepath.EvalSymlinks(script) // as PHP names it
	}
	if err != nil {
		return fmt.Errorf("intervals script %q: %w", a.Intervals.Script, err)
	}
	if s, err := os.Stat(script); err != nil || s.IsDir() {
		return fmt.Errorf("intervals script %q is no file", script)
	}
	app, err := ctx.AppIfConfigured("frankenphp")
	if err != nil {
		return fmt.Errorf("intervals needs the frankenphp option: %w", err)
	}
	php := app.(*frankenphpcaddy.FrankenPHPApp)
	n := max(a.Intervals.Threads, 1)
	config, err := json.Marshal(map[string]any{"workers": []map[string]any{{
		"name": intervalsWorker, "file_name": script, "num": n, "max_threads": n,
	}}})
	if err != nil {
		return err
	}
	var with frankenphpcaddy.FrankenPHPApp // the type of a worker's config is not exported
	if err := json.Unmarshal(config, &with); err != nil {
		return err
	}
	php.Workers = append(php.Workers, with.Workers...)
	a.worker = &sharedstate.IntervalWorker{Script: script, Threads: n, Run: a.refreshIntervals}
	process.store.AddIntervalWorker(a.worker)
	a.life, a.end = context.WithCancel(context.Background())
	return nil
}

// endIntervalWorker ends the worker's work for this config, also what it is waiting for.
func (a *App) endIntervalWorker() {
	if a.worker != nil {
		process.store.RemoveIntervalWorker(a.worker)
		a.end()
	}
}

// refreshIntervals has one thread of the worker refresh what is due.
func (a *App) refreshIntervals() {
	err := a.wakeIntervalWorker()
	if err != nil && a.life.Err() == nil {
		a.logger.Error("the intervals worker did not answer", zap.Error(err))
	}
}

func (a *App) wakeIntervalWorker() error {
	r, err := http.NewRequestWithContext(a.life, http.MethodPost, "http://localhost/", http.NoBody)
	if err != nil {
		return err
	}
	r, err = frankenphp.NewRequestWithContext(r, frankenphp.WithWorkerName(intervalsWorker),
		frankenphp.WithRequestDocumentRoot(filepath.Dir(a.worker.Script), false))
	if err != nil {
		return err
	}
	w := answer{header: http.Header{}}
	if err := frankenphp.ServeHTTP(&w, r); err != nil {
		return err
	}
	if w.status >= http.StatusInternalServerError {
		return fmt.Errorf("%s answered with status %d", a.worker.Script, w.status)
	}
	return nil
}

// answer is a response whose status alone counts.
type answer struct {
	header http.Header
	status int
}

func (w *answer) Header() http.Header         { return w.header }
func (w *answer) Write(p []byte) (int, error) { return len(p), nil }
func (w *answer) WriteHeader(status int)      { w.status = status }
