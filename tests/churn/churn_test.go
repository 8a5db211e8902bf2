// Package churn has PHP threads end and begin all the time, in the test's own process: the Caddyfile of FrankenPHP has no
// max_requests, its Go API does.
package churn

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dunglas/frankenphp"
	"github.com/stretchr/testify/require"

	"github.com/frankenshare/frankenshare/phpbridge"
	"github.com/frankenshare/frankenshare/sharedstate"
)

const page = `<?php
$s = new FrankenPHP\SharedArray();
if ($s['k'] !== 'v') {
    http_response_code(500);
}
echo $s->increment('n');
`

// restarts counts what FrankenPHP logs about threads that have had their requests.
type restarts struct{ atomic.Int64 }

func (r *restarts) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte("max requests reached, restarting thread")) {
		r.Add(1)
	}
	return len(line), nil
}

// Each request is its PHP thread's last one. None of the threads that have ended keeps its record, and each has read through
// one: fault 31.
func TestFault031EveryRequestEndsItsThread(t *testing.T) {
	const threads = 8
	requests := 500
	if os.Getenv("FRANKENSHARE_SOAK") != "" {
		requests = 10_000
	}
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "page.php"), []byte(page), 0o600))
	store := phpbridge.Store()
	table, err := store.Define(sharedstate.DefaultTable, sharedstate.DefaultOptions())
	require.NoError(t, err)
	require.NoError(t, table.Set("k", sharedstate.String("v")))

	var ended restarts
	log := slog.New(slog.NewTextHandler(&ended, &slog.HandlerOptions{Level: slog.LevelDebug}))
	require.NoError(t, frankenphp.Init(frankenphp.WithNumThreads(threads), frankenphp.WithMaxRequests(1), frankenphp.WithLogger(log)))
	serve := func() (int, string) {
		request, err := frankenphp.NewRequestWithContext(httptest.NewRequest("GET", "http://example.com/page.php", nil),
			frankenphp.WithRequestDocumentRoot(root, false), frankenphp.WithRequestLogger(log))
		if err != nil {
			return 0, err.Error()
		}
		answer := httptest.NewRecorder()
		if err := frankenphp.ServeHTTP(answer, request); err != nil {
			return 0, err.Error()
		}
		body, _ := io.ReadAll(answer.Body)
		return answer.Code, string(body)
	}

	var wg sync.WaitGroup
	var left, most atomic.Int64
	left.Store(int64(requests))
	for range threads {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				if status, body := serve(); status != 200 {
					t.Errorf("status %d: %s", status, body)
					return
				}
				if n := int64(len(store.ThreadStats())); n > most.Load() {
					most.Store(n)
				}
			}
		})
	}
	wg.Wait()
	_, body := serve()
	require.Equal(t, fmt.Sprint(requests+1), body)
	frankenphp.Shutdown()
	t.Logf("%d threads have ended before PHP did; at most %d records were taken at a time", ended.Load(), most.Load())
	require.GreaterOrEqual(t, ended.Load(), int64(requests-threads))
	require.LessOrEqual(t, most.Load(), int64(threads+1), "of the threads and PHP's main thread")
	require.Empty(t, store.ThreadStats())
	require.GreaterOrEqual(t, table.Stats().Reads, uint64(requests))
	require.Zero(t, table.Stats().Locked)
	require.NoError(t, table.Check())
}
