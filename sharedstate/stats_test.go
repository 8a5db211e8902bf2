package sharedstate

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestThreadStatsListTheThreadsThatHoldARecord(t *testing.T) {
	store, err := NewStore()
	require.NoError(t, err)
	require.Empty(t, store.ThreadStats())
	th := store.threads
	th.word(ThreadsHigh).Store(3)
	for i := range uint64(3) {
		th.record(i, ThreadClaim).Store(i + 1)
		th.record(i, ThreadHits).Store(100 + i)
		th.record(i, ThreadReads).Store(10 + i)
		th.record(i, ThreadLocked).Store(i)
	}
	th.record(1, ThreadClaim).Store(0) // released
	require.Equal(t, []ThreadStats{
		{Record: 0, Hits: 100, Reads: 10, Locked: 0},
		{Record: 2, Hits: 102, Reads: 12, Locked: 2},
	}, store.ThreadStats())
}
