// Package suite runs Redis' own test suite against the server.
package suite

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/frankenshare/frankenshare/resp"
	"github.com/frankenshare/frankenshare/sharedstate"
)

// units are the parts of the suite, and how many of their tests must pass: those that neither need what a server of Redis alone has
// (the tags) nor are in skip.txt, which gives the reasons.
var units = map[string]int{
	"type/string": 55, "type/incr": 21, "expire": 57, "scan": 5, "keyspace": 39, "other": 14, "multi": 22,
	"protocol": 15, "pubsub": 20, "tracking": 43, "slowlog": 5, "quit": 3,
}

// There is no DEBUG, no replication, no saving, and the memory of a table is not changed by CONFIG SET.
const tags = "-needs:debug -needs:repl -needs:save -needs:config-maxmemory"

// The suite's own helper wants the functions of scripts forgotten, of which there are none.
const noFunctions = "    r function flush\n"

var (
	color   = regexp.MustCompile(`\x1b\[[0-9;]*m`)
	passed  = regexp.MustCompile(`(?m)^\[ok\]`)
	skipped = regexp.MustCompile(`(?m)^\[skip\]: (.*)$`)
)

func TestRedisSuite(t *testing.T) {
	if _, err := exec.LookPath("tclsh"); err != nil {
		t.Skip("there is no tclsh to run Redis' test suite")
	}
	out, err := exec.Command("../../scripts/redis-suite.sh").Output()
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(strings.TrimSpace(string(out)))))
	helper := filepath.Join(dir, "tests/support/server.tcl")
	text, err := os.ReadFile(helper)
	require.NoError(t, err)
	require.Contains(t, string(text), noFunctions)
	require.NoError(t, os.WriteFile(helper, []byte(strings.ReplaceAll(string(text), noFunctions, "")), 0o600))

	skip, err := filepath.Abs("skip.txt")
	require.NoError(t, err)
	unused := listed(t, skip)
	host, port := serve(t)
	for unit, want := range units {
		t.Run(unit, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, "sh", "./runtest", "--host", host, "--port", port, "--single", "unit/"+unit, "--tags", tags, "--skipfile", skip)
			cmd.Dir = dir
			raw, err := cmd.CombinedOutput()
			log := color.ReplaceAllString(string(raw), "")
			for _, m := range skipped.FindAllStringSubmatch(log, -1) {
				delete(unused, m[1])
			}
			require.NoError(t, err, log)
			require.Contains(t, log, "All tests passed without errors", log)
			require.Equal(t, want, len(passed.FindAllString(log, -1)), "tests that passed")
		})
	}
	if !t.Failed() {
		require.Empty(t, unused, "skip.txt names tests that there are not")
	}
}

// listed are the names in skip.txt.
func listed(t *testing.T, file string) map[string]bool {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	names := make(map[string]bool)
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && line[0] != '#' {
			names[line] = true
		}
	}
	return names
}

// serve is a server on 16 tables, as many as Redis has databases; the suite uses the tenth most.
func serve(t *testing.T) (host, port string) {
	store, err := sharedstate.NewStore()
	require.NoError(t, err)
	o := sharedstate.DefaultOptions()
	o.Eviction.Policy = sharedstate.EvictNone
	for i := range 16 {
		name := sharedstate.DefaultTable
		o.Memory = 8 << 20
		if i > 0 {
			name = fmt.Sprint("db", i)
		}
		if i == 9 {
			o.Memory, o.MaxValue = 128<<20, 16<<20
		}
		_, err := store.Define(name, o)
		require.NoError(t, err)
	}
	s, err := resp.NewServer(store, resp.Options{Table: sharedstate.DefaultTable, MaxClients: resp.DefaultMaxClients}, zap.NewNop())
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		require.NoError(t, <-served)
	})
	host, port, err = net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	return host, port
}
