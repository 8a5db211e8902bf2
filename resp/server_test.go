package resp

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"github.com/frankenshare/frankenshare/sharedstate"
)

// running is a server for a test, and its store.
type running struct {
	*Server
	store   *sharedstate.Store
	table   *sharedstate.Table // default
	address string
}

// start makes a server on a store with the tables default, metrics and small.
func start(t testing.TB, change func(*Options)) *running {
	t.Helper()
	store, err := sharedstate.NewStore()
	require.NoError(t, err)
	o := sharedstate.DefaultOptions()
	table, err := store.Define("default", o)
	require.NoError(t, err)
	_, err = store.Define("metrics", o)
	require.NoError(t, err)
	o.Memory, o.MaxValue, o.Eviction.Policy = 1<<20, 200<<10, sharedstate.EvictNone
	_, err = store.Define("small", o)
	require.NoError(t, err)
	options := Options{Table: "default", MaxClients: DefaultMaxClients}
	if change != nil {
		change(&options)
	}
	s, err := NewServer(store, options, zap.NewNop())
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		require.NoError(t, <-served)
	})
	return &running{s, store, table, l.Addr().String()}
}

// peer is a client's end of a connection.
type peer struct {
	testing.TB
	net.Conn
	in *bufio.Reader
}

func dial(t testing.TB, address string) *peer {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return &peer{t, conn, bufio.NewReader(conn)}
}

// encode writes a command line as clients do.
func encode(args ...string) []byte {
	b := fmt.Appendf(nil, "*%d\r\n", len(args))
	for _, a := range args {
		b = fmt.Appendf(b, "$%d\r\n%s\r\n", len(a), a)
	}
	return b
}

// do sends a command and reads its reply as it came.
func (p *peer) do(args ...string) string {
	p.Helper()
	p.send(encode(args...))
	return p.reply()
}

// ask is do with a command line whose words are separated by spaces.
func (p *peer) ask(line string) string {
	p.Helper()
	return p.do(strings.Fields(line)...)
}

func (p *peer) send(b []byte) {
	p.Helper()
	_, err := p.Write(b)
	require.NoError(p, err)
}

func (p *peer) reply() string {
	p.Helper()
	require.NoError(p, p.SetReadDeadline(time.Now().Add(20*time.Second)))
	raw, err := readReply(p.in)
	require.NoError(p, err)
	return string(raw)
}

// closed says that the server closes the connection, and reads what comes before.
func (p *peer) closed() string {
	p.Helper()
	require.NoError(p, p.SetReadDeadline(time.Now().Add(20*time.Second)))
	rest, err := io.ReadAll(p.in)
	if err != nil {
		require.ErrorContains(p, err, "reset by peer")
	}
	return string(rest)
}

// readReply reads one reply of either protocol.
func readReply(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadBytes('\n')
	if err != nil {
		return line, err
	}
	n, _ := strconv.Atoi(string(bytes.TrimSpace(line[1:])))
	switch line[0] {
	case '$', '=':
		if n < 0 {
			return line, nil
		}
		body := make([]byte, n+2)
		_, err = io.ReadFull(r, body)
		return append(line, body...), err
	case '*', '~', '>', '%':
		if line[0] == '%' {
			n *= 2
		}
		for range n {
			part, err := readReply(r)
			line = append(line, part...)
			if err != nil {
				return line, err
			}
		}
	}
	return line, nil
}
