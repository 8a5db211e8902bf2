package resp

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/frankenshare/frankenshare/sharedstate"
)

// invalidated is the message that keys have changed.
func invalidated(keys ...string) string { return ">2\r\n" + bulk("invalidate") + array("*", keys...) }

// tracked is a connection that tracks, in protocol 3.
func tracked(t *testing.T, s *running, options string) *peer {
	p := dial(t, s.address)
	p.ask("HELLO 3")
	require.Equal(t, "+OK\r\n", p.ask("CLIENT TRACKING ON "+options))
	return p
}

// What a client has read is told when it changes, once, whoever changes it and however.
func TestInvalidation(t *testing.T) {
	s := start(t, nil)
	p, writer := tracked(t, s, ""), dial(t, s.address)
	for what, change := range map[string]func(){
		"RESP":    func() { writer.ask("SET k x") },
		"a touch": func() { writer.ask("EXPIRE k 1000") },
		"Go": func() {
			_, err := s.table.Increment("n", sharedstate.Int(1), sharedstate.Forever)
			require.NoError(t, err)
			require.NoError(t, s.table.Merge([]sharedstate.Entry{{Key: "k", Value: sharedstate.Int(2)}}))
		},
		"a removal": func() { writer.ask("GETDEL k") },
	} {
		require.NoError(t, s.table.Set("k", sharedstate.Int(1)))
		require.Equal(t, bulk("1"), p.ask("GET k"))
		change()
		require.Equal(t, invalidated("k"), p.reply(), what)
		require.NoError(t, s.table.Set("k", sharedstate.Int(1)))
		require.Equal(t, "+PONG\r\n", p.ask("PING"), what)
	}
	require.NoError(t, s.table.Put("brief", sharedstate.Int(1), 5*time.Millisecond))
	require.Equal(t, bulk("1"), p.ask("GET brief"))
	time.Sleep(6 * time.Millisecond)
	_, err := s.table.Sweep()
	require.NoError(t, err)
	require.Equal(t, invalidated("brief"), p.reply())

	require.Equal(t, "*2\r\n"+bulk("1")+"_\r\n", p.ask("MGET k absent"))
	require.NoError(t, s.table.Clear())
	require.Equal(t, ">2\r\n"+bulk("invalidate")+"_\r\n", p.reply())
	require.NoError(t, s.table.Set("k", sharedstate.Int(1)))
	metrics, err := s.store.Table("metrics")
	require.NoError(t, err)
	require.NoError(t, metrics.Set("k", sharedstate.Int(1)))
	p.ask("GET k")
	require.NoError(t, metrics.Clear())
	require.Equal(t, "+PONG\r\n", p.ask("PING"), "another table's keys are others")
}

// With prefixes a key is told by the name that the client has read it by.
func TestInvalidationByPrefixedNames(t *testing.T) {
	s := start(t, func(o *Options) { o.Prefixes = true })
	p, all := tracked(t, s, ""), tracked(t, s, "BCAST PREFIX metrics:")
	p.ask("GET metrics:k")
	metrics, err := s.store.Table("metrics")
	require.NoError(t, err)
	require.NoError(t, metrics.Set("k", sharedstate.Int(1)))
	require.Equal(t, invalidated("metrics:k"), p.reply())
	require.Equal(t, invalidated("metrics:k"), all.reply())
	require.NoError(t, s.table.Set("k", sharedstate.Int(1)))
	require.Equal(t, "+PONG\r\n", all.ask("PING"))
	p.ask("SELECT metrics")
	p.ask("GET k")
	require.NoError(t, metrics.Set("k", sharedstate.Int(2)))
	require.Equal(t, invalidated("k"), p.reply())
}

// The bound on what is remembered holds, and what is forgotten is told as changed.
func TestTrackedKeysAreBounded(t *testing.T) {
	s := start(t, nil)
	p := tracked(t, s, "")
	require.Equal(t, "+OK\r\n", p.ask("CONFIG SET tracking-table-max-keys 10"))
	for i := range 10 {
		p.ask(fmt.Sprint("GET k", i))
	}
	require.Equal(t, "_\r\n", p.ask("GET k10"))
	require.Contains(t, p.reply(), "invalidate")
	_, keys, readers, _ := s.tracking.figures()
	require.Equal(t, 10, keys)
	require.Equal(t, 10, readers)
	p.ask("CONFIG SET tracking-table-max-keys 0")
	const size = 60 << 10
	for i := range 2 * maxTrackedBytes / size {
		p.send(encode("GET", fmt.Sprint(strings.Repeat("x", size), i)))
		for reply := p.reply(); reply != "_\r\n"; reply = p.reply() {
			require.Contains(t, reply, "invalidate")
		}
	}
	remembered := func() int {
		s.tracking.mu.Lock()
		defer s.tracking.mu.Unlock()
		return s.tracking.bytes
	}
	require.LessOrEqual(t, remembered(), maxTrackedBytes)
	require.Greater(t, remembered(), maxTrackedBytes-2*size)
	for reply := p.ask("CLIENT TRACKING OFF"); reply != "+OK\r\n"; reply = p.reply() {
		require.Contains(t, reply, "invalidate")
	}
	require.Zero(t, remembered())
}

// The cache of a client with tracking, as libraries have it: what the server tells it goes, what it reads comes in.
type cachingClient struct {
	conn  net.Conn
	in    *bufio.Reader
	cache map[string]string
}

// take reads one reply, and the messages before it.
func (c *cachingClient) take() (string, error) {
	for {
		raw, err := readReply(c.in)
		if err != nil || raw[0] != '>' {
			return string(raw), err
		}
		words := strings.Split(string(raw), "\r\n")
		if words[3] == "_" {
			clear(c.cache)
		}
		for i := 5; i < len(words); i += 2 {
			delete(c.cache, words[i])
		}
	}
}

// read has several keys read at once, as libraries do.
func (c *cachingClient) read(keys []string) error {
	var b []byte
	for _, key := range keys {
		b = append(b, encode("GET", key)...)
	}
	if _, err := c.conn.Write(b); err != nil {
		return err
	}
	for _, key := range keys {
		reply, err := c.take()
		if err != nil {
			return err
		}
		c.cache[key] = reply
	}
	return nil
}

// Whatever the writers do and however what clients read meets it: when all is quiet a client's cache has what the table has.
func TestCachesEndUpRight(t *testing.T) {
	s := start(t, nil)
	const keys, readers, writers = 16, 4, 3
	caches := make([]*cachingClient, readers)
	for i := range caches {
		p := tracked(t, s, "")
		caches[i] = &cachingClient{p.Conn, p.in, make(map[string]string)}
	}
	name := func() string { return fmt.Sprint("k", rand.IntN(keys)) }
	for range 30 {
		var reading, writing sync.WaitGroup
		stop := make(chan struct{})
		for _, c := range caches {
			reading.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					var missing []string
					for range 4 {
						if key := name(); c.cache[key] == "" {
							missing = append(missing, key)
						}
					}
					if err := c.read(missing); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		for range writers {
			writing.Go(func() {
				for range 300 {
					var err error
					switch rand.IntN(8) {
					case 0:
						_, err = s.table.Delete(name())
					case 1:
						err = s.table.Merge([]sharedstate.Entry{{Key: name(), Value: sharedstate.Int(rand.Int64())}, {Key: name(), Value: sharedstate.Int(rand.Int64())}})
					case 2:
						if rand.IntN(20) == 0 {
							err = s.table.Clear()
						}
					default:
						err = s.table.Set(name(), sharedstate.Int(rand.Int64()))
					}
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		writing.Wait()
		close(stop)
		reading.Wait()
		for i, c := range caches {
			_, err := c.conn.Write(encode("PING"))
			require.NoError(t, err)
			pong, err := c.take()
			require.NoError(t, err)
			require.Equal(t, "+PONG\r\n", pong)
			for key, cached := range c.cache {
				want := "_\r\n"
				if v, ok := s.table.Get(key); ok {
					n, _ := v.Int()
					want = bulk(fmt.Sprint(n))
				}
				require.Equal(t, want, cached, "client %d has an old value of %s", i, key)
			}
		}
	}
}
