// Package demo serves the demo as make run does and clicks through its pages. SCREENSHOTS names a folder for pictures of them, by
// its absolute path.
package demo

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// patience is for the whole click-through on a machine that has much else to do.
const patience = 8 * time.Minute

// bad is what a server that is well does not write: PHP's messages, and ends of Go and C programs.
var bad = regexp.MustCompile(`PHP (?:Fatal|Parse|Warning|Notice|Deprecated)|panic: |fatal error: |SIGSEGV|SIGABRT|"level":"(?:warn|error)","ts":[0-9.e+]+,"logger":"shared_state`)

func TestClickThrough(t *testing.T) {
	chromium := os.Getenv("CHROMIUM")
	if chromium == "" {
		chromium = "chromium"
	}
	for _, program := range []string{chromium, "node"} {
		_, err := exec.LookPath(program)
		require.NoError(t, err, "the click-through needs Chromium and Node.js: `scripts/debian.sh demo` installs them on Debian; elsewhere install them, and set CHROMIUM to the browser's path if it is not chromium on the PATH")
	}
	url := serve(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	click := exec.CommandContext(ctx, "node", "browser.mjs", url)
	if folder := os.Getenv("SCREENSHOTS"); folder != "" {
		click.Args = append(click.Args, folder)
	}
	// The browser ends with node, which it hears of by its pipe.
	click.Cancel = func() error { return click.Process.Signal(syscall.SIGTERM) }
	click.WaitDelay = 20 * time.Second
	said, err := click.CombinedOutput()
	require.NoError(t, err, "node browser.mjs %s:\n%s", url, said)
	t.Logf("%s", said)
}

// serve starts the server with Caddyfile.example on a free port and answers the demo's address.
func serve(t *testing.T) string {
	t.Helper()
	binary := os.Getenv("FRANKENPHP")
	if binary == "" {
		binary = filepath.Join("..", "..", "bin", "frankenphp")
	}
	binary, err := filepath.Abs(binary)
	require.NoError(t, err)
	require.FileExists(t, binary, "the demo needs the binary: run make build, or set FRANKENPHP to its path")
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	site := fmt.Sprintf("http://localhost:%d", listener.Addr().(*net.TCPAddr).Port)
	require.NoError(t, listener.Close())
	example, err := os.ReadFile(filepath.Join(root, "Caddyfile.example"))
	require.NoError(t, err)
	const address, options = "\nhttp://localhost:8080 {\n", "\n{\n"
	require.Equal(t, 1, bytes.Count(example, []byte(address)), "the site's address in Caddyfile.example")
	require.Equal(t, 1, bytes.Count(example, []byte(options)), "the global options in Caddyfile.example")
	// Another server may have the admin port.
	config := strings.NewReplacer(address, "\n"+site+" {\n", options, options+"\tadmin off\n\tpersist_config off\n").Replace(string(example))
	folder := t.TempDir()
	caddyfile := filepath.Join(folder, "Caddyfile")
	require.NoError(t, os.WriteFile(caddyfile, []byte(config), 0o600))

	var log bytes.Buffer
	server := exec.Command(binary, "run", "--config", caddyfile)
	server.Dir, server.Stdout, server.Stderr = root, &log, &log
	server.Env = append(os.Environ(), "XDG_DATA_HOME="+folder, "XDG_CONFIG_HOME="+folder)
	server.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(t, server.Start())
	ended := make(chan struct{})
	go func() {
		_ = server.Wait() // how it ended is checked below
		close(ended)
	}()
	t.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(time.Minute):
			t.Error("the server did not end within a minute of SIGTERM")
			_ = server.Process.Kill()
			<-ended
		}
		if !server.ProcessState.Success() {
			t.Errorf("the server ended with %s", server.ProcessState)
		}
		if found := bad.Find(log.Bytes()); found != nil {
			t.Errorf("the server has logged %q", found)
		}
		if t.Failed() {
			t.Logf("the end of the server's log:\n%s", log.Bytes()[max(0, log.Len()-10_000):])
		}
	})
	client := http.Client{Timeout: 5 * time.Second}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		response, err := client.Get(site + "/worker/")
		if err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return site + "/"
			}
		}
		select {
		case <-ended:
			require.FailNow(t, "the server ended before it answered")
		default:
		}
		require.True(t, time.Now().Before(deadline), "the server does not answer within a minute: %v", err)
	}
}
