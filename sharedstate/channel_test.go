package sharedstate

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func mustOpenChannel(t testing.TB, s *Store, name string, capacity int) *Channel {
	t.Helper()
	c, err := s.OpenChannel(name, capacity)
	require.NoError(t, err)
	return c
}

func mustSend(t testing.TB, c *Channel, v Value) {
	t.Helper()
	w, err := c.StartSend(v, false)
	require.NoError(t, err)
	require.Nil(t, w)
}

func mustTake(t testing.TB, c *Channel) Value {
	t.Helper()
	d, _, err := c.StartReceive(false, 0)
	require.NoError(t, err)
	d.Accept()
	return d.Value
}

func intOf(t testing.TB, v Value) int64 {
	t.Helper()
	n, ok := v.Int()
	require.True(t, ok, "%s", v)
	return n
}

func TestChannelKeepsOrder(t *testing.T) {
	s := newTestStore(t)
	_, err := s.OpenChannel("", 0)
	require.ErrorIs(t, err, ErrInvalidValue)
	c := mustOpenChannel(t, s, "jobs", 3)
	require.Equal(t, c.ID(), mustOpenChannel(t, s, "jobs", 7).ID(), "the first one's")
	for i := range 3 {
		mustSend(t, c, Int(int64(i)))
	}
	_, err = c.StartSend(Int(3), false)
	require.ErrorIs(t, err, ErrChannelFull)
	require.Equal(t, 3, c.Len())
	for i := range 3 {
		require.EqualValues(t, i, intOf(t, mustTake(t, c)))
	}
	_, _, err = c.StartReceive(false, 0)
	require.ErrorIs(t, err, ErrChannelEmpty)
	_, err = c.StartSend(String(strings.Repeat("x", 1<<20+1)), false)
	require.ErrorIs(t, err, ErrValueTooLarge)
}

func TestChannelDrainsAfterShut(t *testing.T) {
	s := newTestStore(t)
	c := mustOpenChannel(t, s, "", 1)
	mustSend(t, c, Int(1))
	w, err := c.StartSend(Int(2), true)
	require.NoError(t, err)
	require.True(t, c.Shut())
	require.False(t, c.Shut())
	require.True(t, c.IsShut())
	require.ErrorIs(t, w.Sent(), ErrChannelClosed, "who waits has sent nothing")
	_, err = c.StartSend(Int(3), true)
	require.ErrorIs(t, err, ErrChannelClosed)
	require.EqualValues(t, 1, intOf(t, mustTake(t, c)))
	_, _, err = c.StartReceive(true, 0)
	require.ErrorIs(t, err, ErrChannelClosed)

	open := mustOpenChannel(t, s, "", 1)
	_, w, err = open.StartReceive(true, 0)
	require.NoError(t, err)
	open.Shut()
	over, err := w.Wait(pass)
	require.NoError(t, err)
	require.True(t, over)
	_, err = w.Received()
	require.ErrorIs(t, err, ErrChannelClosed)
}

// Who waits is served in the order in which it came, and nobody comes between.
func TestChannelIsFair(t *testing.T) {
	s := newTestStore(t)
	c := mustOpenChannel(t, s, "", 1)
	var waits []*ChannelWait
	for range 3 {
		_, w, err := c.StartReceive(true, 0)
		require.NoError(t, err)
		waits = append(waits, w)
	}
	for i := range 3 {
		mustSend(t, c, Int(int64(i)))
	}
	require.Zero(t, c.Len(), "handed over")
	for i, w := range waits {
		d, err := w.Received()
		require.NoError(t, err)
		require.EqualValues(t, i, intOf(t, d.Value))
		d.Accept()
	}
	mustSend(t, c, Int(0))
	waits = nil
	for i := range 3 {
		w, err := c.StartSend(Int(int64(i+1)), true)
		require.NoError(t, err)
		waits = append(waits, w)
	}
	for i := range 3 {
		require.EqualValues(t, i, intOf(t, mustTake(t, c)))
		_, err := c.StartSend(Int(9), false)
		require.ErrorIs(t, err, ErrChannelFull, "the next in the queue has the place")
		require.NoError(t, waits[i].Sent())
	}
}

// Whoever leaves the queue has either had its turn or has nothing to do with the channel any more.
func TestChannelWaitsEnd(t *testing.T) {
	s := newTestStore(t)
	c := mustOpenChannel(t, s, "", 1)
	_, w, err := c.StartReceive(true, 0)
	require.NoError(t, err)
	over, err := w.Wait(time.Millisecond)
	require.NoError(t, err)
	require.False(t, over)
	_, err = w.Received()
	require.ErrorIs(t, err, ErrChannelEmpty)
	mustSend(t, c, Int(1))
	require.Equal(t, 1, c.Len(), "nobody waits")
	late, err := c.StartSend(Int(2), true)
	require.NoError(t, err)
	require.ErrorIs(t, late.Sent(), ErrChannelFull)
	require.EqualValues(t, 1, intOf(t, mustTake(t, c)))
	require.Zero(t, c.Len(), "what was not sent is not there")

	drained := make(chan error)
	go func() { _, err := c.Receive(context.Background()); drained <- err }()
	require.Eventually(t, func() bool { c.mu.Lock(); defer c.mu.Unlock(); return len(c.receivers) == 1 }, pass, time.Millisecond)
	s.Drain()
	require.ErrorIs(t, <-drained, ErrWaitEnded)

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = c.Receive(ctx)
	require.ErrorIs(t, err, context.Canceled)
	mustSend(t, c, Int(1))
	require.ErrorIs(t, c.Send(ctx, Int(2)), context.Canceled)
	require.Equal(t, 1, c.Len())
}

// What a request that dies has not accepted comes back to the head, or goes to who waits.
func TestDeliveryComesBack(t *testing.T) {
	s := newTestStore(t)
	c := mustOpenChannel(t, s, "", 4)
	for i := range 4 {
		mustSend(t, c, Int(int64(i)))
	}
	for range 2 {
		_, _, err := c.StartReceive(false, 7)
		require.NoError(t, err)
	}
	d, _, err := c.StartReceive(false, 8)
	require.NoError(t, err)
	require.EqualValues(t, 2, intOf(t, d.Value))
	s.EndRequest(7)
	d.Accept()
	s.EndRequest(8)
	require.Nil(t, s.Delivery(d.Number()))
	d.Return() // once accepted, it stays so
	for _, want := range []int64{0, 1, 3} {
		require.Equal(t, want, intOf(t, mustTake(t, c)))
	}
	mustSend(t, c, Int(5))
	d, _, err = c.StartReceive(false, 9)
	require.NoError(t, err)
	_, w, err := c.StartReceive(true, 0)
	require.NoError(t, err)
	d.Return()
	d, err = w.Received()
	require.NoError(t, err)
	require.EqualValues(t, 5, intOf(t, d.Value))
	c.Close()
	d.Return() // its channel is gone
	used, _ := s.LocksMemory()
	require.Zero(t, used)
}

// Nothing is lost and nothing comes twice, while senders and receivers come and go.
func TestChannelLosesNothing(t *testing.T) {
	const senders, each = 8, 2000
	s := newTestStore(t)
	c := mustOpenChannel(t, s, "", 3)
	seen := make([]int, senders*each)
	var mu sync.Mutex
	var send, receive sync.WaitGroup
	for i := range senders {
		send.Go(func() {
			for j := range each {
				for {
					ctx, cancel := context.WithTimeout(context.Background(), time.Duration(j%3)*50*time.Microsecond)
					err := c.Send(ctx, Int(int64(i*each+j)))
					cancel()
					if err == nil {
						break
					}
					if ctx.Err() == nil {
						t.Error(err)
						return
					}
				}
			}
		})
		receive.Go(func() {
			last := map[int64]int64{}
			for n := 0; ; n++ {
				d, err := c.Receive(context.Background())
				if err != nil {
					require.ErrorIs(t, err, ErrChannelClosed)
					return
				}
				v := intOf(t, d.Value)
				if n%50 == 0 && i == 0 {
					d.Return() // out of order from here on
					continue
				}
				d.Accept()
				mu.Lock()
				seen[v]++
				mu.Unlock()
				last[v/each] = v
			}
		})
	}
	send.Wait()
	require.Eventually(t, func() bool { return c.Len() == 0 }, pass, time.Millisecond)
	c.Shut()
	receive.Wait()
	for i, n := range seen {
		require.Equal(t, 1, n, "value %d", i)
	}
}

func TestSharedObjectsLeaveNothing(t *testing.T) {
	s := newTestStore(t)
	n := 50_000
	if soaking() {
		n = 1_000_000
	}
	for i := range n {
		name := fmt.Sprint(i)
		c := mustOpenChannel(t, s, name, 2)
		mustSend(t, c, Int(1))
		mustSend(t, c, HandleOf(c)) // its own, which goes with it once it is received
		mustTake(t, c)
		mustTake(t, c)
		mustSend(t, c, String("left"))
		c.Close()
		require.True(t, s.RemoveShared(SharedChannel, name))
	}
	require.Empty(t, s.registry.byID)
	require.Empty(t, s.registry.named)
	used, _ := s.LocksMemory()
	require.Zero(t, used)

	s.SetLocksMemory(MinLocksMemory)
	c := mustOpenChannel(t, s, "", 1<<20)
	var err error
	for err == nil {
		_, err = c.StartSend(Int(1), false)
	}
	require.ErrorIs(t, err, ErrSharedFull)
	require.Greater(t, c.Len(), 100)
	mustTake(t, c)
	mustSend(t, c, Int(2))
}
