package sharedstate

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const long = time.Minute

func TestLeaseHasOneHolder(t *testing.T) {
	table := newTestTable(t, MinMemory)
	require.Equal(t, LeaseHeld, table.Lease("k", LeaseRemember, 1, long, nil))
	require.Equal(t, LeaseAlready, table.Lease("k", LeaseRemember, 1, long, nil))
	require.Equal(t, LeaseHeld, table.Lease("k", LeaseUpdate, 2, long, nil), "another kind is another lease")
	require.Equal(t, LeaseBusy, table.Lease("k", LeaseRemember, 2, time.Millisecond, nil))
	table.EndLease("k", LeaseRemember, 2) // not the holder
	require.Equal(t, LeaseBusy, table.Lease("k", LeaseRemember, 2, time.Millisecond, nil))
	go func() {
		time.Sleep(5 * time.Millisecond)
		table.EndLease("k", LeaseRemember, 1)
	}()
	require.Equal(t, LeaseFreed, table.Lease("k", LeaseRemember, 2, long, nil))
	require.Equal(t, LeaseHeld, table.Lease("k", LeaseRemember, 2, long, nil))
	table.store.EndRequest(2)
	require.Empty(t, table.store.leases.held)
	require.Empty(t, table.store.leases.owners)
	require.Empty(t, table.store.graph.waits)
}

// Requests that wait for one another in a circle are told so, however long it is.
func TestLeaseCircle(t *testing.T) {
	table := newTestTable(t, MinMemory)
	const n = 5
	for owner := range uint64(n) {
		require.Equal(t, LeaseHeld, table.Lease(string(rune('a'+owner)), LeaseRemember, owner+1, long, nil))
	}
	var wg sync.WaitGroup
	var circles atomic.Int64
	for owner := range uint64(n) {
		wg.Go(func() {
			if table.Lease(string(rune('a'+(owner+1)%n)), LeaseRemember, owner+1, long, nil) == LeaseCircle {
				circles.Add(1)
			}
			table.store.EndRequest(owner + 1)
		})
	}
	wg.Wait()
	require.EqualValues(t, 1, circles.Load())
}

func TestDrainEndsWaitsInProgress(t *testing.T) {
	table := newTestTable(t, MinMemory)
	require.Equal(t, LeaseHeld, table.Lease("k", LeaseRemember, 1, long, nil))
	answer := make(chan LeaseAnswer)
	go func() { answer <- table.Lease("k", LeaseRemember, 2, long, nil) }()
	require.Eventually(t, func() bool {
		table.store.graph.mu.Lock()
		defer table.store.graph.mu.Unlock()
		return len(table.store.graph.waits) == 1
	}, 10*time.Second, time.Millisecond)
	table.store.Drain()
	require.Equal(t, LeaseDrained, <-answer)
	require.Equal(t, LeaseBusy, table.Lease("k", LeaseRemember, 2, time.Millisecond, nil), "a later wait waits")
}

// A wait of several calls ends too when the drain comes between two of them.
func TestDrainBetweenSlices(t *testing.T) {
	table := newTestTable(t, MinMemory)
	require.Equal(t, LeaseHeld, table.Lease("k", LeaseRemember, 1, long, nil))
	var since uint64
	require.Equal(t, LeaseBusy, table.Lease("k", LeaseRemember, 2, time.Millisecond, &since))
	table.store.Drain()
	require.Equal(t, LeaseDrained, table.Lease("k", LeaseRemember, 2, long, &since))
	flag := mustOpen(t, table.store, SharedFlag, "", 0)
	since = 0
	_, err := flag.Wait(time.Millisecond, &since)
	require.NoError(t, err)
	table.store.Drain()
	_, err = flag.Wait(long, &since)
	require.ErrorIs(t, err, ErrWaitEnded)
}
