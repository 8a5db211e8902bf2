package tests

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"text/template"
	"time"

	"github.com/stretchr/testify/require"
)

// The threads of a usual server: PHP runs as many classic requests at once as worker requests.
const threads = 8

// settings are what tests' servers differ in.
type settings struct {
	SharedState string            // the shared_state block with its name; empty for none
	INI         map[string]string // php.ini settings on top of the usual ones
	Sites       string            // more sites
	Workers     int               // the threads of each mode, 0 for the usual
	// Filled in by start and reload.
	Admin, Site, Shop, Pages string
	Threads                  int
}

// tables are those that the scenarios use.
const tables = `shared_state {
		strict_tables
		table default {
		}
		table limited {
			max_value 1000
		}
		table full {
			memory 1MiB
			eviction noeviction
		}
		table unswept {
			sweep 24h
		}
		{{- range $policy := .Policies}}
		table {{$policy}} {
			memory 1MiB
			eviction {{$policy}}
		}
		{{- end}}
		table listed {
			objects serialize Point \money ArrayObject
		}
		table deny {
			objects deny
		}
		{{- range $name := .Names}}
		table {{$name}} {
			memory 32MiB
		}
		{{- end}}
	}`

var allTables = render(tables, map[string][]string{"Policies": {"lru", "lfu", "ttl"}, "Names": {"atomic", "cached", "churned", "code", "computed", "fibers", "handles", "keys", "language", "literals", "locks", "meetings", "merged", "modelled", "refused",
	"reentry", "replaced", "rows", "scratch", "sessions", "shop", "starved", "starved_flush", "starved_replace", "sums", "traps", "values"}})

// FrankenPHP queues a request that comes while PHP is stopped for a reload with workers that are gone, where it would wait for
// ever: hence max_wait_time.
const caddyfile = `{
	admin {{.Admin}}
	persist_config off
	frankenphp {
		num_threads {{.Threads}}
		max_threads {{.Threads}}
		max_wait_time 5s
		worker {
			file {{.Pages}}/worker.php
			num {{.Workers}}
		}
		worker {
			file {{.Pages}}/single.php
			num 1
		}
		php_ini {
			{{- range $name, $value := .INI}}
			{{$name}} {{$value}}
			{{- end}}
		}
	}
	{{.SharedState}}
}
http://{{.Site}} {
	root {{.Pages}}
	php_server
}
http://{{.Shop}} {
	root {{.Pages}}
	php_server {
		env FRANKENSHARE_TABLE shop
	}
}
{{.Sites}}
`

func render(text string, data any) string {
	var out bytes.Buffer
	if err := template.Must(template.New("").Parse(text)).Execute(&out, data); err != nil {
		panic(err)
	}
	return out.String()
}

// A server is a running binary.
type server struct {
	settings settings
	config   string // the Caddyfile's path
	process  *exec.Cmd
	log      log
	ended    chan struct{} // closed when the process has ended
	client   http.Client
}

// log collects what a server writes.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// from is what was written after a mark, which is a length.
func (l *log) from(mark int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.text.Bytes()[mark:])
}

func (l *log) mark() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Len()
}

// crash is what a Go or C program writes that comes to a bad end. PHP's own errors begin with a capital.
var crash = regexp.MustCompile(`(?m)^panic: |^fatal error: |SIGSEGV|SIGABRT|SIGBUS|SIGILL|heap corrupted|^double free|^malloc\(|^free\(\): |unhealthy thread|internal failure|http: panic`)

func freeAddress() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// start starts a server of the test's own.
func start(t *testing.T, with settings) *server {
	t.Helper()
	s := launch(t, with)
	t.Cleanup(s.stop)
	s.watch(t)
	return s
}

var sharedServer *server

// shared is the server that tests share which do not reload it. One that has died is replaced, so that each test is
// blamed for what it does itself.
func shared(t *testing.T) *server {
	t.Helper()
	if sharedServer == nil || sharedServer.hasEnded() {
		sharedServer = launch(t, settings{SharedState: allTables})
	}
	sharedServer.watch(t)
	return sharedServer
}

func launch(t *testing.T, with settings) *server {
	t.Helper()
	pages, err := filepath.Abs("pages")
	require.NoError(t, err)
	folder, err := os.MkdirTemp("", "frankenshare")
	require.NoError(t, err)
	with.Admin, with.Site, with.Shop, with.Pages = freeAddress(), freeAddress(), freeAddress(), pages
	if with.Workers == 0 {
		with.Workers = threads
	}
	with.Threads = 2*with.Workers + 1
	ini := map[string]string{"zend_extension": "opcache", "opcache.memory_consumption": "32", "opcache.interned_strings_buffer": "4",
		"display_errors": "1", "html_errors": "0", "memory_limit": "256M"}
	for name, value := range with.INI {
		ini[name] = value
	}
	with.INI = ini
	s := &server{settings: with, config: filepath.Join(folder, "Caddyfile"), ended: make(chan struct{})}
	s.client = http.Client{Timeout: 60 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 100}}
	s.write(t, with)
	s.process = exec.Command(os.Getenv("FRANKENPHP"), "run", "--config", s.config)
	s.process.Stdout, s.process.Stderr = &s.log, &s.log
	s.process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(t, s.process.Start())
	go func() {
		_ = s.process.Wait() // how it ended is in its log
		close(s.ended)
		os.RemoveAll(folder)
	}()
	s.await(t, classic, worker)
	return s
}

// write puts settings into the server's Caddyfile.
func (s *server) write(t *testing.T, with settings) {
	t.Helper()
	require.NoError(t, os.WriteFile(s.config, []byte(render(caddyfile, with)), 0o600))
}

// await waits until the modes answer. It asks nothing before PHP has started: FrankenPHP lets a request that comes too early wait for
// ever.
func (s *server) await(t *testing.T, modes ...mode) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for !strings.Contains(s.log.from(0), "FrankenPHP started") && !s.hasEnded() && time.Now().Before(deadline) {
		time.Sleep(10 * time.Millisecond)
	}
	for _, m := range modes {
		for {
			status, body, err := s.get(string(m), "ready=1")
			if err == nil && status == http.StatusOK {
				break
			}
			if s.hasEnded() || time.Now().After(deadline) {
				s.stop()
				require.FailNow(t, "the server does not answer", "%s: status %d, %s, error %v, log:\n%s", m, status, body, err, s.log.from(0))
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
}

func (s *server) hasEnded() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

func (s *server) stop() {
	if s.hasEnded() {
		return
	}
	_ = s.process.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.ended:
	case <-time.After(20 * time.Second):
		_ = s.process.Process.Kill()
		<-s.ended
	}
	s.client.CloseIdleConnections()
}

// watch fails the test when the server dies or crashes before the test's end, and then shows the log.
func (s *server) watch(t *testing.T) {
	mark := s.log.mark()
	t.Cleanup(func() {
		if s.hasEnded() {
			t.Errorf("the server has ended: %s", s.process.ProcessState)
		}
		text := s.log.from(mark)
		if found := crash.FindString(text); found != "" {
			t.Errorf("the server has logged %q", found)
		}
		if t.Failed() {
			t.Logf("the end of the server's log:\n%s", text[max(0, len(text)-20000):])
		}
	})
}

// get asks for a page and answers the status and the body, read to its end.
func (s *server) get(page, query string) (int, string, error) {
	return s.getFrom(s.settings.Site, page, query)
}

func (s *server) getFrom(site, page, query string) (int, string, error) {
	response, err := s.client.Get("http://" + site + "/" + page + "?" + query)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response.StatusCode, string(body), err
}

// reload gives the server its Caddyfile again, and answers what the command says on failure.
func (s *server) reload() error {
	out, err := exec.Command(os.Getenv("FRANKENPHP"), "reload", "--force", "--config", s.config, "--address", s.settings.Admin).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// post sends a body to the admin API.
func (s *server) post(path, contentType, body string) error {
	s.client.CloseIdleConnections() // a reload ends the admin API's, and a POST is not tried again
	response, err := s.client.Post("http://"+s.settings.Admin+path, contentType, strings.NewReader(body))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return errors.New(string(answer))
	}
	return nil
}

func (s *server) restartWorkers() error { return s.post("/frankenphp/workers/restart", "", "") }

// residentKiB is the memory that the process has in RAM.
func (s *server) residentKiB(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.process.Process.Pid))
	require.NoError(t, err)
	found := regexp.MustCompile(`VmRSS:\s+(\d+) kB`).FindSubmatch(status)
	require.NotNil(t, found, "VmRSS in %s", status)
	n, err := strconv.Atoi(string(found[1]))
	require.NoError(t, err)
	return n
}

// threadCount is the number of the process's threads, Go's and PHP's.
func (s *server) threadCount(t *testing.T) int {
	t.Helper()
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", s.process.Process.Pid))
	require.NoError(t, err)
	return len(tasks)
}
