package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// server is the process that everything is measured in.
type server struct {
	cmd    *exec.Cmd
	home   string // for its socket and whatever else it writes
	log    string
	client *http.Client
}

// startServer starts binary with the Caddyfile, the php.ini and the pages in dir.
func startServer(binary, dir, log string) (*server, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	home, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	socket := filepath.Join(home, "http")
	out, err := os.Create(log)
	if err != nil {
		return nil, err
	}
	defer out.Close()

	s := &server{home: home, log: log, client: &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		},
		MaxIdleConnsPerHost: threadCount,
	}}}
	s.cmd = exec.Command(binary, "run", "--config", filepath.Join(dir, "Caddyfile"))
	s.cmd.Stdout, s.cmd.Stderr = out, out
	s.cmd.Env = append(os.Environ(),
		"PHPRC="+dir, "PHP_INI_SCAN_DIR=",
		"BENCH_HOME="+home, "BENCH_SOCKET="+socket, "BENCH_RESP="+filepath.Join(home, "resp"), "BENCH_PAGES="+filepath.Join(dir, "pages"),
		"XDG_DATA_HOME="+home, "XDG_CONFIG_HOME="+home)
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	for range 100 {
		if conn, err := net.Dial("unix", socket); err == nil {
			conn.Close()
			return s, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	s.stop()
	return nil, fmt.Errorf("%s did not listen within 10 s, see %s", binary, log)
}

func (s *server) stop() {
	s.cmd.Process.Signal(syscall.SIGTERM)
	s.cmd.Wait()
	os.RemoveAll(s.home)
}

// errLate is the answer to a request that came after the moment at which its threads were to start.
var errLate = errors.New("late")

// get asks a page and decodes its answer into v.
func (s *server) get(query url.Values, v any) error {
	res, err := s.client.Get("http://bench/?" + query.Encode())
	if err != nil {
		return fmt.Errorf("%w; see %s", err, s.log)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	switch res.StatusCode {
	case http.StatusOK:
		if err := json.Unmarshal(body, v); err != nil {
			return fmt.Errorf("%s: %w in %q", query.Encode(), err, body)
		}
		return nil
	case http.StatusConflict:
		return errLate
	}
	return fmt.Errorf("?%s: status %d: %s", query.Encode(), res.StatusCode, body)
}

// seed stores what the works read and answers the versions of what runs.
func (s *server) seed() (versions map[string]string, err error) {
	err = s.get(url.Values{"seed": {""}}, &versions)
	return versions, err
}
