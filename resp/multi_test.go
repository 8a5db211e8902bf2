package resp

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/frankenshare/frankenshare/sharedstate"
)

// EXEC does nothing when a watched key was written by anyone, by a client or in Go, even with the same value, or is gone.
func TestWatchSeesEveryWriter(t *testing.T) {
	s := start(t, nil)
	p, other := dial(t, s.address), dial(t, s.address)
	metrics, err := s.store.Table("metrics")
	require.NoError(t, err)
	must := func(_ any, err error) { require.NoError(t, err) }
	changes := map[string]func(){
		"nothing":       func() {},
		"another key":   func() { must(nil, s.table.Set("other", sharedstate.Int(1))) },
		"another table": func() { must(nil, metrics.Set("k", sharedstate.Int(1))) },
		"set":           func() { must(nil, s.table.Set("k", sharedstate.Int(2))) },
		"same":          func() { must(nil, s.table.Set("k", sharedstate.Int(1))) },
		"delete":        func() { must(s.table.Delete("k")) },
		"and back": func() {
			must(s.table.Delete("k"))
			must(nil, s.table.Set("k", sharedstate.Int(1)))
		},
		"touch":     func() { must(s.table.Touch("k", time.Hour)) },
		"increment": func() { must(s.table.Increment("k", sharedstate.Int(1), sharedstate.Forever)) },
		"merge":     func() { must(nil, s.table.Merge([]sharedstate.Entry{{Key: "k", Value: sharedstate.Int(9)}})) },
		"replace":   func() { must(nil, s.table.Replace(nil, &sharedstate.Rows{})) },
		"clear":     func() { must(nil, s.table.Clear()) },
		"cas":       func() { must(s.table.CompareAndSet("k", sharedstate.Int(1), sharedstate.Int(2))) },
		"client":    func() { other.ask("SET k 5") },
		"expire":    func() { other.ask("EXPIRE k 100") },
		"itself":    func() { p.ask("SET k 5") },
		"flushall":  func() { other.ask("FLUSHALL") },
		"rename":    func() { other.ask("RENAME k k2") },
		"exec": func() {
			other.ask("MULTI")
			other.ask("INCR k")
			other.ask("EXEC")
		},
		"expired": func() {
			must(s.table.Touch("k", time.Nanosecond))
		},
	}
	for name, change := range changes {
		require.NoError(t, s.table.Set("k", sharedstate.Int(1)))
		p.ask("DEL result")
		require.Equal(t, "+OK\r\n", p.ask("WATCH k"))
		change()
		p.ask("MULTI")
		p.ask("SET result done")
		reply := p.ask("EXEC")
		if name == "nothing" || strings.HasPrefix(name, "another") {
			require.Equal(t, "*1\r\n+OK\r\n", reply, name)
		} else {
			require.Equal(t, "*-1\r\n", reply, name)
		}
		require.Equal(t, reply != "*-1\r\n", s.table.Has("result"), name)
	}
	require.NoError(t, p.Close())
	require.NoError(t, other.Close())
	require.Eventually(t, func() bool {
		s.watches.mu.Lock()
		defer s.watches.mu.Unlock()
		return len(s.watches.tables) == 0
	}, 5*time.Second, time.Millisecond, "no one watches")
}

// A key that was absent may expire or stay so: EXEC goes on.
func TestWatchOfAnAbsentKey(t *testing.T) {
	s := start(t, nil)
	p := dial(t, s.address)
	require.NoError(t, s.table.Put("gone", sharedstate.Int(1), time.Nanosecond))
	p.ask("WATCH gone")
	_, err := s.table.Sweep()
	require.NoError(t, err)
	p.ask("MULTI")
	require.Equal(t, "*0\r\n", p.ask("EXEC"))
	p.ask("WATCH gone")
	require.NoError(t, s.table.Set("gone", sharedstate.Int(1)))
	p.ask("MULTI")
	require.Equal(t, "*-1\r\n", p.ask("EXEC"))
}

// Transfers among 100 accounts, by MULTI with WATCH, by MULTI of increments, by transactions and by Update in Go, keep the sum; what
// MGET sees always has it.
func TestTransfersKeepTheSum(t *testing.T) {
	const accounts, each, transfers = 100, 1000, 400
	s := start(t, nil)
	name := func(i int) string { return fmt.Sprint("account", i) }
	all := []string{"MGET"}
	for i := range accounts {
		require.NoError(t, s.table.Set(name(i), sharedstate.Int(each)))
		all = append(all, name(i))
	}
	var writers, readers sync.WaitGroup
	var failed, stop atomic.Bool
	number := func(reply string) int {
		n, err := strconv.Atoi(strings.Split(reply, "\r\n")[1])
		if err != nil {
			t.Errorf("%q: %v", reply, err)
		}
		return n
	}
	var peers []*peer
	for range 6 {
		peers = append(peers, dial(t, s.address))
	}
	for w, p := range peers[:4] {
		writers.Go(func() {
			dice := rand.New(rand.NewPCG(uint64(w), 3))
			for done := 0; done < transfers; {
				from, to, sum := name(dice.IntN(accounts)), name(dice.IntN(accounts)), dice.IntN(20)
				if w%2 == 0 {
					p.ask("MULTI")
					p.do("DECRBY", from, fmt.Sprint(sum))
					p.do("INCRBY", to, fmt.Sprint(sum))
					p.ask("EXEC")
					done++
					continue
				}
				if from == to {
					continue
				}
				p.do("WATCH", from, to)
				a, b := number(p.do("GET", from)), number(p.do("GET", to))
				p.ask("MULTI")
				p.do("SET", from, fmt.Sprint(a-sum))
				p.do("SET", to, fmt.Sprint(b+sum))
				if p.ask("EXEC") == "*-1\r\n" {
					failed.Store(true)
				} else {
					done++
				}
			}
		})
	}
	for w := range 2 {
		writers.Go(func() {
			dice := rand.New(rand.NewPCG(uint64(w), 4))
			for range transfers * 5 {
				from, to := name(dice.IntN(accounts)), name(dice.IntN(accounts))
				err := s.store.Transact(func(tx *sharedstate.Tx) error {
					for key, by := range map[string]int64{from: -1, to: 1} {
						v, _, _ := tx.Get(s.table, key)
						n, _ := v.Int()
						if from == to {
							by = 0
						}
						if err := tx.Put(s.table, key, sharedstate.Int(n+by), 0); err != nil {
							return err
						}
					}
					return nil
				})
				if err == nil {
					_, err = s.table.Update(from, func(old sharedstate.Value, _ bool) (sharedstate.Value, error) { return old, nil })
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	for _, p := range peers[4:] {
		readers.Go(func() {
			for !stop.Load() {
				sum := 0
				for i, line := range strings.Split(p.do(all...), "\r\n") {
					if i > 0 && i%2 == 0 {
						n, _ := strconv.Atoi(line)
						sum += n
					}
				}
				if sum != accounts*each {
					t.Errorf("MGET sees a sum of %d", sum)
					return
				}
			}
		})
	}
	writers.Wait()
	stop.Store(true)
	readers.Wait()
	require.True(t, failed.Load(), "no EXEC has met another writer")
	sum := int64(0)
	for _, v := range s.table.Snapshot() {
		n, _ := v.Int()
		sum += n
	}
	require.EqualValues(t, accounts*each, sum)
}

// An EXEC that finds no room does nothing at all.
func TestExecWithoutRoom(t *testing.T) {
	s := start(t, nil)
	p := dial(t, s.address)
	p.ask("SELECT small")
	p.ask("SET kept 1")
	p.ask("MULTI")
	p.ask("DEL kept")
	big := strings.Repeat("x", 190<<10)
	for i := range 8 {
		require.Equal(t, "+QUEUED\r\n", p.do("SET", fmt.Sprint(i), big))
	}
	require.Contains(t, p.ask("EXEC"), "-OOM table is full")
	require.Equal(t, ":1\r\n", p.ask("DBSIZE"))
	for i := 0; ; i++ {
		if reply := p.do("SET", fmt.Sprint(i), big); reply != "+OK\r\n" {
			require.Contains(t, reply, "-OOM table is full")
			break
		}
	}
	// At the bound reads, removals and expiries still work.
	require.Equal(t, bulk("1"), p.ask("GET kept"))
	require.Equal(t, ":1\r\n", p.ask("EXPIRE kept 100"))
	require.Equal(t, ":1\r\n", p.ask("DEL 0"))
	require.Equal(t, "+OK\r\n", p.do("SET", "0", big))
}

// Commands that touch no key run once, after the others, and answer in their place.
func TestExecOfCommandsWithoutKeys(t *testing.T) {
	s := start(t, nil)
	p := dial(t, s.address)
	p.ask("MULTI")
	for _, line := range []string{"PING", "SET a 1", "CLIENT SETNAME me", "INCR a", "ECHO x", "SELECT metrics", "SET a 5", "PING"} {
		require.Equal(t, "+QUEUED\r\n", p.ask(line))
	}
	require.Equal(t, "*8\r\n+PONG\r\n+OK\r\n+OK\r\n:2\r\n"+bulk("x")+"+OK\r\n+OK\r\n+PONG\r\n", p.ask("EXEC"))
	require.Equal(t, bulk("5"), p.ask("GET a"))
	require.Equal(t, bulk("me"), p.ask("CLIENT GETNAME"))
	v, _ := s.table.Get("a")
	require.True(t, v.Equal(sharedstate.Int(2)))
}

// Increments by clients and by Go lose nothing.
func TestNoIncrementIsLost(t *testing.T) {
	s := start(t, nil)
	const clients, each = 8, 20000
	var all sync.WaitGroup
	for range clients {
		p := dial(t, s.address)
		all.Go(func() {
			for range each / 100 {
				p.send([]byte(strings.Repeat("INCR n\r\n", 100)))
				for range 100 {
					p.reply()
				}
			}
		})
		all.Go(func() {
			for range each {
				if _, err := s.table.Increment("n", sharedstate.Int(1), sharedstate.Forever); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	require.Equal(t, bulk(fmt.Sprint(2*clients*each)), dial(t, s.address).ask("GET n"))
}
