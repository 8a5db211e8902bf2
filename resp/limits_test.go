package resp

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/frankenshare/frankenshare/sharedstate"
)

// Beyond max_clients a connection is told and closed; when one goes another may come.
func TestMaxClients(t *testing.T) {
	s := start(t, func(o *Options) { o.MaxClients = 2 })
	a, b := dial(t, s.address), dial(t, s.address)
	require.Equal(t, "+PONG\r\n", a.ask("PING"))
	require.Equal(t, "+PONG\r\n", b.ask("PING"))
	require.Equal(t, "-ERR max number of clients reached\r\n", dial(t, s.address).closed())
	require.Equal(t, "+OK\r\n", a.ask("QUIT"))
	require.Empty(t, a.closed())
	require.Eventually(t, func() bool { return len(s.all()) == 1 }, 5*time.Second, time.Millisecond)
	require.Equal(t, "+PONG\r\n", dial(t, s.address).ask("PING"))
}

// A client that says nothing is closed after idle_timeout, one that watches the others is not.
func TestIdleTimeout(t *testing.T) {
	s := start(t, func(o *Options) { o.IdleTimeout = 50 * time.Millisecond })
	watching := dial(t, s.address)
	require.Equal(t, "+OK\r\n", watching.ask("MONITOR"))
	idle := dial(t, s.address)
	require.Equal(t, "+PONG\r\n", idle.ask("PING"))
	require.Empty(t, idle.closed())
	require.Contains(t, watching.reply(), `"PING"`)
	require.Equal(t, "+PONG\r\n", watching.ask("PING"))
	require.Contains(t, watching.reply(), `"PING"`)
}

// A panic in a handler closes its client, and no other notices.
func TestPanicClosesOneClient(t *testing.T) {
	cmd := &command{name: "panic", full: "panic", arity: 1, flags: reads, run: func(*client, [][]byte) { panic("on purpose") }}
	commands["panic"] = cmd
	t.Cleanup(func() { delete(commands, "panic") })
	s := start(t, nil)
	other := dial(t, s.address)
	other.ask("SET a 1")
	p := dial(t, s.address)
	p.send(append(encode("SET", "b", "2"), encode("PANIC")...))
	require.NotContains(t, p.closed(), "PONG")
	require.Equal(t, bulk("1"), other.ask("GET a"))
	require.Equal(t, "+OK\r\n", dial(t, s.address).ask("SET b 3"))
	require.Eventually(t, func() bool { return len(s.all()) == 2 }, 5*time.Second, time.Millisecond)
}

// Clients that take no replies, or send half a command, hold up nobody, and the server keeps little for them.
func TestSlowClientsHoldUpNobody(t *testing.T) {
	s := start(t, nil)
	require.NoError(t, s.table.Set("big", sharedstate.String(strings.Repeat("x", 1<<19))))
	before := heap()
	for range 8 {
		p := dial(t, s.address)
		p.send(bytes.Repeat(encode("GET", "big"), 200)) // 100 MiB of replies
		dial(t, s.address).send([]byte("*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1000000\r\nabc"))
		dial(t, s.address).send([]byte("*1000000\r\n"))
	}
	good := dial(t, s.address)
	for i := range 1000 {
		require.Equal(t, "+OK\r\n", good.do("SET", "k", fmt.Sprint(i)))
	}
	require.Len(t, s.all(), 25)
	require.Less(t, heap(), before+64<<20)
}

// heap is what is in use of Go's heap.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// A client that asks for more than a reply may have is closed.
func TestReplyLimit(t *testing.T) {
	s := start(t, func(o *Options) { o.maxReplies = 4 << 20 })
	require.NoError(t, s.table.Set("big", sharedstate.String(strings.Repeat("x", 1<<19))))
	args := []string{"MGET"}
	for range s.options.maxReplies>>19 + 1 {
		args = append(args, "big")
	}
	p := dial(t, s.address)
	p.send(encode(args...))
	require.Empty(t, p.closed())
	require.Equal(t, "+PONG\r\n", dial(t, s.address).ask("PING"))
}

// A client that monitors and does not read falls behind until it is closed; the others never wait for it.
func TestMonitorThatDoesNotReadIsClosed(t *testing.T) {
	s := start(t, nil)
	lazy, good := dial(t, s.address), dial(t, s.address)
	require.Equal(t, "+OK\r\n", lazy.ask("MONITOR"))
	line := encode("ECHO", strings.Repeat("x", 100<<10))
	for i := 0; s.monitors.any.Load(); i++ {
		require.Less(t, i, 4000)
		good.send(line)
		good.reply()
	}
	require.Equal(t, "+PONG\r\n", good.ask("PING"))
}

// What MONITOR shows is what was sent, without passwords.
func TestMonitor(t *testing.T) {
	s := start(t, func(o *Options) {
		o.Users = []User{{Name: DefaultUser, Password: "secret"}, {Name: "bob", Password: "pw", ReadOnly: true}}
	})
	m, p := dial(t, s.address), dial(t, s.address)
	m.ask("AUTH secret")
	m.ask("MONITOR")
	p.ask("AUTH secret")
	p.do("SET", "a\"\n\x00", "1")
	require.Contains(t, m.reply(), `"SET" "a\"\n\x00" "1"`)
	p.ask("AUTH bob pw")
	require.Contains(t, p.ask("MONITOR"), "-NOPERM")
	require.Contains(t, p.ask("CONFIG GET save"), "-NOPERM")
}

// Users: a wrong password is refused, read-only users change nothing, patterns hold for every key of a command, and for lists.
func TestUsers(t *testing.T) {
	s := start(t, func(o *Options) {
		o.Users = []User{{Name: "reader", Password: "pw", ReadOnly: true}, {Name: "part", Password: "pw", Keys: []string{"cache:*", "b"}}}
	})
	for _, key := range []string{"a", "b", "cache:1"} {
		require.NoError(t, s.table.Set(key, sharedstate.Int(1)))
	}
	p := dial(t, s.address)
	require.Equal(t, "-WRONGPASS invalid username-password pair or user is disabled.\r\n", p.ask("AUTH pw"), "there is no default user")
	require.Equal(t, "-WRONGPASS invalid username-password pair or user is disabled.\r\n", p.ask("AUTH reader wrong"))
	require.Contains(t, p.ask("HELLO 3"), "-NOAUTH")
	require.Equal(t, "+OK\r\n", p.ask("AUTH reader pw"))
	require.Equal(t, bulk("1"), p.ask("GET a"))
	for _, line := range []string{"SET a 2", "DEL a", "FLUSHALL", "EXPIRE a 1", "GETDEL a", "CLIENT KILL ID 1", "CONFIG SET a b"} {
		require.Contains(t, p.ask(line), "-NOPERM User reader has no permissions to run the '", line)
	}
	require.Equal(t, bulk("reader"), p.ask("ACL WHOAMI"))
	require.Contains(t, p.ask("HELLO 3 AUTH part pw"), "%7\r\n")
	require.Equal(t, "+OK\r\n", p.ask("MSET b 1 cache:2 2"))
	for _, line := range []string{"GET a", "MSET b 1 a 2", "RENAME b a", "WATCH a", "EXISTS b cache:1 a", "OBJECT ENCODING a", "COPY b a"} {
		require.Equal(t, "-NOPERM No permissions to access a key\r\n", p.ask(line), line)
	}
	require.Contains(t, p.ask("FLUSHDB"), "-NOPERM")
	require.NotContains(t, p.ask("KEYS *"), bulk("a"))
	require.NotContains(t, p.ask("SCAN 0 COUNT 1000"), bulk("a"))
	for range 20 {
		require.NotEqual(t, bulk("a"), p.ask("RANDOMKEY"))
	}
	require.Equal(t, "+RESET\r\n", p.ask("RESET"))
	require.Contains(t, p.ask("GET b"), "-NOAUTH")
}

// CLIENT KILL and Close end connections.
func TestKill(t *testing.T) {
	s := start(t, nil)
	a, b := dial(t, s.address), dial(t, s.address)
	require.Equal(t, "+OK\r\n", b.ask("CLIENT SETNAME victim"))
	require.Contains(t, a.ask("CLIENT LIST"), "name=victim")
	id := strings.TrimSpace(b.ask("CLIENT ID")[1:])
	require.Equal(t, ":1\r\n", a.ask("CLIENT KILL ID "+id))
	require.Empty(t, b.closed())
	require.Equal(t, ":1\r\n", a.ask("CLIENT KILL TYPE normal SKIPME no"))
	require.Empty(t, a.closed())
	c := dial(t, s.address)
	require.Equal(t, "+PONG\r\n", c.ask("PING"))
	require.NoError(t, s.Close())
	require.Empty(t, c.closed())
}

// As many idle clients as there may be cost little, and a new one is served as before: fault 107.
func TestFault107IdleClients(t *testing.T) {
	n := 10000
	var files syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files))
	if most := int(files.Cur)/2 - 100; most < n {
		t.Logf("%d open files allow %d clients", files.Cur, most)
		n = most
	}
	if os.Getenv("FRANKENSHARE_SOAK") == "" {
		n = min(n, 1000)
	}
	s := start(t, nil)
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	conns := make([]net.Conn, n)
	for i := range conns {
		var err error
		conns[i], err = net.Dial("tcp", s.address)
		require.NoError(t, err)
		defer conns[i].Close()
		_, err = conns[i].Write([]byte("PING\r\n"))
		require.NoError(t, err)
		answer := make([]byte, 7)
		_, err = conns[i].Read(answer)
		require.NoError(t, err)
		require.Equal(t, "+PONG\r\n", string(answer))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	require.Less(t, int64(after.Sys)-int64(before.Sys), int64(n)*(40<<10)+16<<20, "both ends of %d connections", n)
	require.Equal(t, "+OK\r\n", dial(t, s.address).ask("SET a 1"))
	require.Len(t, s.all(), n+1)
}
