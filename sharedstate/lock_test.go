package sharedstate

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func mustLock(t testing.TB, table *Table, name, owner string, ttl time.Duration) uint64 {
	t.Helper()
	token, err := table.Lock(LockRequest{Name: name, Owner: owner, TTL: ttl})
	require.NoError(t, err)
	return token
}

func TestLock(t *testing.T) {
	table := newTestTable(t, MinMemory)
	first := mustLock(t, table, "l", "a", Forever)
	require.NotZero(t, first)
	require.Zero(t, mustLock(t, table, "l", "a", Forever), "not even for its owner")
	require.Zero(t, mustLock(t, table, "l", "b", Forever))
	require.False(t, table.Unlock("l", "b"))
	state, held := table.LockHeld("l")
	require.True(t, held)
	require.Equal(t, LockState{"a", first, Forever}, state)
	require.True(t, table.Unlock("l", "a"))
	require.False(t, table.Unlock("l", "a"))
	_, held = table.LockHeld("l")
	require.False(t, held)
	require.Greater(t, mustLock(t, table, "l", "b", Forever), first, "the fencing token grows")
	require.NotZero(t, mustLock(t, table, "other", "a", Forever))
	require.True(t, table.ForceUnlock("l"))
	require.False(t, table.ForceUnlock("l"))
	require.NoError(t, table.Clear())
	require.Zero(t, mustLock(t, table, "other", "b", Forever), "a cleared table keeps its locks")
	require.Equal(t, 1, table.UnlockAll())
	used, _ := table.store.LocksMemory()
	require.Zero(t, used)
}

// A late owner's release leaves the next owner's lock alone: fault 70.
func TestFault070LateReleaseFreesNothing(t *testing.T) {
	table := newTestTable(t, MinMemory)
	first := mustLock(t, table, "l", "a", time.Hour)
	skew.Add(int64(time.Hour) - int64(time.Second))
	require.Zero(t, mustLock(t, table, "l", "b", time.Hour), "until its time is up")
	skew.Add(int64(2 * time.Second))
	second := mustLock(t, table, "l", "b", time.Hour)
	require.Greater(t, second, first)
	require.False(t, table.Unlock("l", "a"))
	require.False(t, table.Refresh("l", "a", time.Hour))
	require.True(t, table.Refresh("l", "b", 2*time.Hour))
	skew.Add(int64(90 * time.Minute))
	state, held := table.LockHeld("l")
	require.True(t, held)
	require.InDelta(t, 30*time.Minute, state.Left, float64(time.Minute))
	require.True(t, table.Unlock("l", "b"))
}

// Waiters get the lock in the order in which they came, at the moment it is free, with the whole time from then.
func TestLockQueueIsFirstInFirstOut(t *testing.T) {
	table := newTestTable(t, MinMemory)
	mustLock(t, table, "l", "holder", Forever)
	const n = 20
	order := make(chan int, n)
	var wg sync.WaitGroup
	for i := range n {
		token, wait, err := table.Enqueue(LockRequest{Name: "l", Owner: fmt.Sprint(i), TTL: time.Minute})
		require.NoError(t, err)
		require.Zero(t, token)
		wg.Go(func() {
			token, err := wait.Wait(pass)
			if err != nil || token == 0 {
				t.Errorf("waiter %d: token %d, %v", i, token, err)
				return
			}
			order <- i
			state, _ := table.LockHeld("l")
			if state.Owner != fmt.Sprint(i) || state.Token != token || state.Left < 50*time.Second {
				t.Errorf("waiter %d finds %+v", i, state)
			}
			table.Unlock("l", fmt.Sprint(i))
		})
	}
	require.Zero(t, mustLock(t, table, "l", "late", Forever))
	table.Unlock("l", "holder")
	wg.Wait()
	for i := range n {
		require.Equal(t, i, <-order)
	}
	used, _ := table.store.LocksMemory()
	require.Zero(t, used)
}

// A lock that expires, or ends with its request, is the first waiter's without anybody's help.
func TestLockPassesWhenItsHolderIsGone(t *testing.T) {
	table := newTestTable(t, MinMemory)
	for name, end := range map[string]func(){
		"expires":          func() {},
		"ends":             func() { table.store.EndRequest(7) },
		"is taken away":    func() { table.ForceUnlock("l") },
		"all are released": func() { table.UnlockAll() },
	} {
		r := LockRequest{Name: "l", Owner: "a", TTL: Forever, Request: 7, ReleaseAtEnd: true}
		if name == "expires" {
			r.TTL = 30 * time.Millisecond
		}
		token, err := table.Lock(r)
		require.NoError(t, err)
		require.NotZero(t, token)
		_, wait, err := table.Enqueue(LockRequest{Name: "l", Owner: "b", TTL: Forever})
		require.NoError(t, err)
		end()
		got, err := wait.Wait(pass)
		require.NoError(t, err, name)
		require.Greater(t, got, token, name)
		require.True(t, table.Unlock("l", "b"))
	}
	require.Empty(t, table.store.ends.of)
	token, err := table.Lock(LockRequest{Name: "l", Owner: "a", TTL: Forever, Request: 7})
	require.NoError(t, err)
	require.NotZero(t, token)
	table.store.EndRequest(7)
	_, held := table.LockHeld("l")
	require.True(t, held, "a lock that does not end with its request")
}

func TestLockWaitsEnd(t *testing.T) {
	table := newTestTable(t, MinMemory)
	mustLock(t, table, "l", "a", Forever)
	_, err := table.LockWithin(LockRequest{Name: "l", Owner: "b", TTL: Forever}, time.Millisecond)
	require.ErrorIs(t, err, ErrLockTimeout)
	_, err = table.Lock(LockRequest{Name: "own", Owner: "a", TTL: Forever, Request: 3})
	require.NoError(t, err)
	_, _, err = table.Enqueue(LockRequest{Name: "own", Owner: "b", TTL: Forever, Request: 3})
	require.ErrorIs(t, err, ErrDeadlock)
	_, wait, err := table.Enqueue(LockRequest{Name: "l", Owner: "b", TTL: Forever})
	require.NoError(t, err)
	table.store.Drain()
	_, err = wait.Wait(pass)
	require.ErrorIs(t, err, ErrWaitEnded)
	table.Unlock("l", "a")
	_, held := table.LockHeld("l")
	require.False(t, held, "nobody has a place in the queue any more")

	mustLock(t, table, "l", "a", Forever)
	_, wait, err = table.Enqueue(LockRequest{Name: "l", Owner: "b", TTL: Forever})
	require.NoError(t, err)
	table.Unlock("l", "a")
	require.NotZero(t, wait.Leave(), "who leaves too late has the lock")
	state, _ := table.LockHeld("l")
	require.Equal(t, "b", state.Owner)
}

// Many names come and go, and leave nothing; when memory is used up that is said, and the locks there are work on: fault 76.
func TestFault076LockNamesLeaveNothing(t *testing.T) {
	table := newTestTable(t, MinMemory)
	n := 100_000
	if soaking() {
		n = 1_000_000
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range n {
		name := fmt.Sprint("lock-", i)
		require.NotZero(t, mustLock(t, table, name, "a", Forever))
		require.True(t, table.Unlock(name, "a"))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	require.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(1<<20))

	table.store.SetLocksMemory(MinLocksMemory)
	held := 0
	var err error
	for ; err == nil; held++ {
		_, err = table.Lock(LockRequest{Name: fmt.Sprint("held-", held), Owner: "a", TTL: Forever})
	}
	require.ErrorIs(t, err, ErrLocksFull)
	require.Greater(t, held, 100)
	require.True(t, table.Unlock("held-0", "a"))
	require.NotZero(t, mustLock(t, table, "held-0", "b", Forever))
	require.True(t, table.Refresh("held-1", "a", time.Minute))
	table.UnlockAll()
	used, _ := table.store.LocksMemory()
	require.Zero(t, used)
}

// Never two at once, and nobody is forgotten, whatever the ways in which locks come and go.
func TestLockExcludes(t *testing.T) {
	table := newTestTable(t, MinMemory)
	var inside, passes atomic.Int64
	counter := 0 // no atomic: the lock protects it
	var wg sync.WaitGroup
	rounds := 500
	for w := range 16 {
		wg.Go(func() {
			owner := fmt.Sprint(w)
			for i := range rounds {
				request := uint64(w*rounds+i) + 1
				token, err := table.LockWithin(LockRequest{Name: "l", Owner: owner, TTL: time.Hour, Request: request, ReleaseAtEnd: i%2 == 0}, pass)
				if err != nil || token == 0 {
					t.Errorf("token %d, %v", token, err)
					return
				}
				if inside.Add(1) != 1 {
					t.Error("two at once")
				}
				counter++
				inside.Add(-1)
				passes.Add(1)
				if i%2 == 0 {
					table.store.EndRequest(request)
				} else {
					table.Unlock("l", owner)
				}
			}
		})
	}
	wg.Wait()
	require.EqualValues(t, 16*rounds, counter)
	require.EqualValues(t, 16*rounds, passes.Load())
}

// Locks that come and go in any order are what a map of their owners says, whatever is kept of those that are free.
func TestManyLocksComeAndGo(t *testing.T) {
	table := newTestTable(t, MinMemory)
	options := DefaultOptions()
	options.Memory = MinMemory
	other, err := table.store.Define("other", options)
	require.NoError(t, err)
	dice := rand.New(rand.NewPCG(1, 2))
	type name struct {
		table *Table
		text  string
	}
	owners := map[name]string{}
	for range 200_000 {
		n := name{[]*Table{table, other}[dice.IntN(2)], fmt.Sprint("l", dice.IntN(300))}
		owner := []string{"a", "b", strings.Repeat("c", spareBytes)}[dice.IntN(3)]
		has := owners[n]
		switch dice.IntN(8) {
		case 0, 1, 2:
			token, err := n.table.Lock(LockRequest{Name: n.text, Owner: owner, TTL: Forever})
			require.NoError(t, err)
			require.Equal(t, has == "", token != 0)
			if has == "" {
				owners[n] = owner
			}
		case 3, 4, 5:
			require.Equal(t, has == owner, n.table.Unlock(n.text, owner))
			if has == owner {
				delete(owners, n)
			}
		case 6:
			state, held := n.table.LockHeld(n.text)
			require.Equal(t, has, state.Owner)
			require.Equal(t, has != "", held)
		case 7:
			if dice.IntN(1000) == 0 {
				table.store.locks.sweep()
			}
			require.Equal(t, has != "", n.table.ForceUnlock(n.text))
			delete(owners, n)
		}
	}
	held := 0
	for n := range owners {
		if n.table == table {
			held++
		}
	}
	require.Equal(t, held, table.UnlockAll())
	require.Equal(t, len(owners)-held, other.UnlockAll())
	used, _ := table.store.LocksMemory()
	require.Zero(t, used)
}

func BenchmarkLockAndUnlock(b *testing.B) {
	table := newTestTable(b, MinMemory)
	r := LockRequest{Name: "report:daily", Owner: "0123456789abcdef0123456789abcdef", TTL: time.Minute, Request: 1}
	for b.Loop() {
		if token, _ := table.Lock(r); token == 0 {
			b.Fatal("not free")
		}
		table.Unlock(r.Name, r.Owner)
	}
}
