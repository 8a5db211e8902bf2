package sharedstate

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// held is one of the things that a request can have alone and wait for: a mutex, or a lock without expiry.
type held struct {
	mutex *Mutex
	table *Table
	name  string
}

func (h held) take(request uint64) (uint64, error) {
	var token uint64
	var turn *Turn
	var err error
	if h.mutex != nil {
		token, turn, err = h.mutex.Enqueue(request)
	} else {
		token, turn, err = h.table.Enqueue(LockRequest{Name: h.name, Owner: fmt.Sprint(request), TTL: Forever, Request: request, ReleaseAtEnd: true})
	}
	if turn != nil {
		token, err = turn.Wait(pass)
		if token == 0 && err == nil {
			turn.Leave()
			err = errors.New("nobody has let go")
		}
	}
	return token, err
}

func (h held) give(request, token uint64) bool {
	if h.mutex != nil {
		return h.mutex.Unlock(token)
	}
	return h.table.Unlock(h.name, fmt.Sprint(request))
}

// things are n of them; kinds says whether each is a mutex.
func things(t testing.TB, table *Table, n int, isMutex func(i int) bool) []held {
	var all []held
	for i := range n {
		if isMutex(i) {
			all = append(all, held{mutex: newTestMutex(t, table.store, fmt.Sprint("m", i), Int(0))})
		} else {
			all = append(all, held{table: table, name: fmt.Sprint("l", i)})
		}
	}
	return all
}

var kinds = map[string]func(i int) bool{
	"mutexes": func(int) bool { return true },
	"locks":   func(int) bool { return false },
	"both":    func(i int) bool { return i%2 == 0 },
}

// The last of a ring to wait is refused at once, and the others go on.
func TestTheLastOfACircleIsRefused(t *testing.T) {
	for name, isMutex := range kinds {
		for _, n := range []int{2, 3, 5} {
			t.Run(fmt.Sprint(name, n), func(t *testing.T) {
				table := newTestTable(t, MinMemory)
				for range 50 {
					ring := things(t, table, n, isMutex)
					var all, ready sync.WaitGroup
					ready.Add(n)
					var refused atomic.Int64
					for i := range n {
						all.Go(func() {
							own, request := ring[i], uint64(i+1)
							token, err := own.take(request)
							ready.Done()
							ready.Wait()
							if err == nil {
								next := ring[(i+1)%n]
								var second uint64
								second, err = next.take(request)
								if errors.Is(err, ErrDeadlock) {
									refused.Add(1)
									err = nil
								} else if err == nil && !next.give(request, second) {
									err = errors.New("it has not got what it waited for")
								}
							}
							if err != nil || !own.give(request, token) {
								t.Errorf("request %d: %v", request, err)
							}
						})
					}
					all.Wait()
					require.EqualValues(t, 1, refused.Load())
					require.Empty(t, table.store.graph.waits)
				}
			})
		}
	}
}

// The moment counts: the first waits of a ring are let wait, only the one that would close it is not, and what it has let go of since
// closes nothing.
func TestOnlyTheWaitThatClosesACircleIsRefused(t *testing.T) {
	table := newTestTable(t, MinMemory)
	ring := things(t, table, 3, kinds["both"])
	var tokens [3]uint64
	for i := range ring {
		tokens[i], _ = ring[i].take(uint64(i + 1))
		require.NotZero(t, tokens[i])
	}
	enqueue := func(h held, request uint64) (*Turn, error) {
		if h.mutex != nil {
			_, turn, err := h.mutex.Enqueue(request)
			return turn, err
		}
		_, turn, err := h.table.Enqueue(LockRequest{Name: h.name, Owner: fmt.Sprint(request), TTL: Forever, Request: request})
		return turn, err
	}
	first, err := enqueue(ring[1], 1)
	require.NoError(t, err)
	second, err := enqueue(ring[2], 2)
	require.NoError(t, err)
	_, err = enqueue(ring[0], 3)
	require.ErrorIs(t, err, ErrDeadlock)
	require.Zero(t, second.Leave()) // 2 waits no more, so that 3 may
	third, err := enqueue(ring[0], 3)
	require.NoError(t, err)
	_, err = enqueue(ring[2], 2)
	require.ErrorIs(t, err, ErrDeadlock)
	require.True(t, ring[1].give(2, tokens[1]))
	token, err := first.Wait(pass)
	require.NoError(t, err)
	fourth, err := enqueue(ring[1], 2)
	require.NoError(t, err, "1 has it now, and waits for nothing")
	require.True(t, ring[1].give(1, token))
	require.True(t, ring[0].give(1, tokens[0]))
	for _, turn := range []*Turn{third, fourth} {
		token, err := turn.Wait(pass)
		require.NoError(t, err)
		require.NotZero(t, token)
	}
}

// A lock that expires is no one's to wait for ever for, and neither is one that nobody's request has.
func TestWhatEndsByItselfClosesNoCircle(t *testing.T) {
	table := newTestTable(t, MinMemory)
	m := newTestMutex(t, table.store, "", Null())
	for name, r := range map[string]LockRequest{
		"expires":   {TTL: pass, Request: 1},
		"of Go":     {TTL: Forever},
		"refreshed": {TTL: Forever, Request: 1},
	} {
		r.Name, r.Owner = name, "a"
		_, err := table.Lock(r)
		require.NoError(t, err)
		if name == "refreshed" {
			require.True(t, table.Refresh(name, "a", pass))
		}
		token := lockMutex(t, m, 2)
		_, turn, err := m.Enqueue(1)
		require.NoError(t, err)
		_, wait, err := table.Enqueue(LockRequest{Name: name, Owner: "b", TTL: Forever, Request: 2})
		require.NoError(t, err, name)
		require.Zero(t, wait.Leave())
		require.Zero(t, turn.Leave())
		require.True(t, m.Unlock(token))
	}
}

// A lease is in the graph too: who computes a value may wait for a mutex whose holder waits for the value.
func TestLeaseAndMutexMakeACircle(t *testing.T) {
	table := newTestTable(t, MinMemory)
	m := newTestMutex(t, table.store, "", Null())
	require.Equal(t, LeaseHeld, table.Lease("k", LeaseRemember, 1, long, nil))
	lockMutex(t, m, 2)
	_, turn, err := m.Enqueue(1)
	require.NoError(t, err)
	require.Equal(t, LeaseCircle, table.Lease("k", LeaseRemember, 2, long, nil))
	table.EndLease("k", LeaseRemember, 1)
	require.Equal(t, LeaseHeld, table.Lease("k", LeaseRemember, 2, long, nil))
	table.store.EndRequest(2)
	token, err := turn.Wait(pass)
	require.NoError(t, err)
	require.NotZero(t, token)
}

// Requests that take things in one order are never refused, however often they take what.
func TestNoCircleIsReportedWhereThereIsNone(t *testing.T) {
	const workers = 16
	rounds := 40_000
	if soaking() {
		rounds = 1_000_000
	}
	table := newTestTable(t, MinMemory)
	all := things(t, table, 12, kinds["both"])
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			dice := rand.New(rand.NewPCG(uint64(w), 2))
			for i, taken := 0, 0; taken < rounds/workers; i++ {
				request := uint64(w*rounds+i) + 1
				var tokens []uint64
				chosen := dice.Perm(len(all))[:1+dice.IntN(4)]
				slices.Sort(chosen)
				for _, c := range chosen {
					token, err := all[c].take(request)
					if err != nil {
						t.Error(err)
						return
					}
					tokens = append(tokens, token)
				}
				taken += len(tokens)
				if dice.IntN(4) == 0 {
					table.store.EndRequest(request)
					continue
				}
				for j, c := range chosen { // in any order
					if !all[c].give(request, tokens[j]) {
						t.Error("it is not held any more")
					}
				}
			}
		})
	}
	wg.Wait()
	require.Empty(t, table.store.graph.waits)
	require.Empty(t, table.store.ends.of)
}
