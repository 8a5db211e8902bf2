package sharedstate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// A channel hands values from senders to receivers in the order in which they were sent, and keeps up to a capacity of them. Who waits
// stands in a queue, and what it waits for is handed to the first in it: nobody polls, and nobody comes between. A value is in one
// place at any time: with its sender, in the channel, in one delivery, or with its receiver.

// The errors of channels. Full and Empty are answers of those calls alone that do not wait.
var (
	ErrChannelFull   = errors.New("the channel is full")
	ErrChannelEmpty  = errors.New("the channel is empty")
	ErrChannelClosed = errors.New("the channel is closed")
)

const (
	channelCost = 256 // what a channel takes beside sharedCost
	messageCost = 96  // what a value in one takes beside its bytes
)

// Channel is an open channel.
type Channel struct {
	shared
	store    *Store
	capacity int

	// Guarded by mu. Receivers wait only while there is nothing, senders only while there is no room.
	mu        sync.Mutex
	gone      bool // nobody has the channel any more
	closed    bool
	messages  []Value // more than capacity when a delivery has come back
	senders   []*ChannelWait
	receivers []*ChannelWait
}

// OpenChannel opens the channel of that name, or a new one for up to capacity values. Without a name it is always a new one. It fails
// with ErrSharedFull, and with ErrInvalidValue for a capacity below 1.
func (s *Store) OpenChannel(name string, capacity int) (*Channel, error) {
	if capacity < 1 {
		return nil, fmt.Errorf("%w: a channel for %d values; the least is 1", ErrInvalidValue, capacity)
	}
	c, err := s.registry.open(SharedChannel, name, channelCost, func() (Shared, error) {
		return &Channel{store: s, capacity: capacity}, nil
	})
	if err != nil {
		return nil, err
	}
	return c.(*Channel), nil
}

func (c *Channel) free() []Value {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone = true
	for i := range c.messages {
		c.store.unload(&c.messages[i])
	}
	return c.messages
}

// load takes what a value needs while it is on its way: its memory, its bytes, which may be C's, and references on the objects that it
// has handles of. unload gives the memory back; the references go by registry.release.
func (s *Store) load(v Value) (Value, error) {
	if err := errors.Join(s.admitValue("a channel", &v), s.registry.check(&v)); err != nil {
		return v, err
	}
	if !s.locks.reserve(costOfMessage(&v)) {
		return v, fmt.Errorf("%w: a value of %d bytes in a channel, the limit is locks_memory = %d bytes", ErrSharedFull, len(v.data), s.locks.limit.Load())
	}
	v.data = string([]byte(v.data))
	s.registry.retain(&v)
	return v, nil
}

func costOfMessage(v *Value) int64 { return messageCost + int64(len(v.data)) }

func (s *Store) unload(v *Value) { s.locks.memory.Add(-costOfMessage(v)) }

func (s *Store) discard(v Value) {
	s.unload(&v)
	s.registry.release(v)
}

// ChannelWait is a place in the queue of a channel's senders or receivers. It ends by Sent or Received.
type ChannelWait struct {
	channel *Channel
	drained <-chan struct{}
	request uint64
	sends   bool
	ended   chan struct{} // closed, with the channel held, when there is nothing more to wait for
	over    bool          // that it is; guarded by the channel
	message Value         // a sender's until it is handed over, a receiver's then
	closed  bool          // by a close
}

func (c *Channel) newWait(sends bool, request uint64) *ChannelWait {
	return &ChannelWait{channel: c, drained: c.store.waits.begin(nil), sends: sends, request: request, ended: make(chan struct{})}
}

func (w *ChannelWait) endLocked() {
	w.over = true
	close(w.ended)
}

// Wait waits up to a time for the turn to come, and says whether there is nothing more to wait for. It fails with ErrWaitEnded.
func (w *ChannelWait) Wait(d time.Duration) (over bool, err error) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	return w.wait(timer.C, nil)
}

func (w *ChannelWait) wait(late <-chan time.Time, done <-chan struct{}) (over bool, err error) {
	select {
	case <-w.ended:
		return true, nil
	case <-w.drained:
		return false, ErrWaitEnded
	case <-late:
	case <-done:
	}
	return false, nil
}

// leaveLocked takes the wait out of its queue, if its turn has not come.
func (w *ChannelWait) leaveLocked() (over bool) {
	if w.over {
		return true
	}
	queue := &w.channel.receivers
	if w.sends {
		queue = &w.channel.senders
	}
	i := slices.Index(*queue, w)
	*queue = slices.Delete(*queue, i, i+1)
	return false
}

// Sent ends a sender's wait, and says whether the value is in the channel: it fails with ErrChannelFull when its turn had not come,
// and with ErrChannelClosed.
func (w *ChannelWait) Sent() error {
	c := w.channel
	c.mu.Lock()
	over := w.leaveLocked()
	c.mu.Unlock()
	switch {
	case !over:
		c.store.discard(w.message)
		return c.failed(ErrChannelFull)
	case w.closed:
		c.store.discard(w.message)
		return c.failed(ErrChannelClosed)
	}
	return nil
}

// Received ends a receiver's wait: it fails with ErrChannelEmpty when its turn had not come, and with ErrChannelClosed.
func (w *ChannelWait) Received() (*Delivery, error) {
	c := w.channel
	c.mu.Lock()
	over := w.leaveLocked()
	c.mu.Unlock()
	switch {
	case !over:
		return nil, c.failed(ErrChannelEmpty)
	case w.closed:
		return nil, c.failed(ErrChannelClosed)
	}
	return c.deliver(w.message, w.request), nil
}

func (c *Channel) failed(err error) error { return fmt.Errorf("%w: channel %d", err, c.id) }

// StartSend sends a value; when there is no room and it may wait, that is a place in the queue. It fails with ErrChannelFull,
// ErrChannelClosed, ErrValueTooLarge, ErrSharedFull or, for a handle in the value, with ErrStaleHandle, and then the value is not in
// the channel.
func (c *Channel) StartSend(v Value, mayWait bool) (*ChannelWait, error) {
	v, err := c.store.load(v)
	if err != nil {
		return nil, err
	}
	w, err := c.send(v, mayWait)
	if err != nil {
		c.store.discard(v)
	}
	return w, err
}

func (c *Channel) send(v Value, mayWait bool) (*ChannelWait, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.gone:
		return nil, c.failed(ErrStaleHandle)
	case c.closed:
		return nil, c.failed(ErrChannelClosed)
	case c.handOverLocked(v):
	case len(c.messages) < c.capacity:
		c.messages = append(c.messages, v)
	case !mayWait:
		return nil, c.failed(ErrChannelFull)
	default:
		w := c.newWait(true, 0)
		w.message = v
		c.senders = append(c.senders, w)
		return w, nil
	}
	return nil, nil
}

// handOverLocked gives a value to the first receiver that waits; false when none does.
func (c *Channel) handOverLocked(v Value) bool {
	if len(c.receivers) == 0 {
		return false
	}
	w := c.receivers[0]
	c.receivers = slices.Delete(c.receivers, 0, 1)
	w.message = v
	w.endLocked()
	return true
}

// StartReceive receives a value; when there is none and it may wait, that is a place in the queue. The delivery is a PHP request's, or
// with 0 Go code's. It fails with ErrChannelEmpty and, once what a closed channel held was received, with ErrChannelClosed.
func (c *Channel) StartReceive(mayWait bool, request uint64) (*Delivery, *ChannelWait, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case len(c.messages) > 0:
		v := c.messages[0]
		c.messages[0] = Value{}
		c.messages = c.messages[1:]
		c.refillLocked()
		return c.deliver(v, request), nil, nil
	case c.closed:
		return nil, nil, c.failed(ErrChannelClosed)
	case !mayWait:
		return nil, nil, c.failed(ErrChannelEmpty)
	}
	w := c.newWait(false, request)
	c.receivers = append(c.receivers, w)
	return nil, w, nil
}

// refillLocked takes the values of those who wait to send, while there is room.
func (c *Channel) refillLocked() {
	for len(c.senders) > 0 && len(c.messages) < c.capacity {
		w := c.senders[0]
		c.senders = slices.Delete(c.senders, 0, 1)
		c.messages = append(c.messages, w.message)
		w.endLocked()
	}
}

// Shut closes the channel, which is another thing than Close: what it holds can be received, and nothing can be sent any more. It says
// whether the channel was open. Who waits to send fails, and has sent nothing.
func (c *Channel) Shut() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.closed = true
	for _, w := range slices.Concat(c.senders, c.receivers) {
		w.closed = true
		w.endLocked()
	}
	c.senders, c.receivers = nil, nil
	return true
}

// IsShut says whether the channel was closed by Shut.
func (c *Channel) IsShut() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// Len counts the values in the channel.
func (c *Channel) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.messages)
}

// Send sends a value and waits for room. It fails as StartSend does, with ErrWaitEnded when Drain ends the wait, and with ctx's error,
// and then the value is not in the channel.
func (c *Channel) Send(ctx context.Context, v Value) error {
	w, err := c.StartSend(v, true)
	if w == nil {
		return err
	}
	_, ended := w.wait(nil, ctx.Done())
	return firstError(w.Sent(), ErrChannelFull, ended, ctx.Err())
}

// Receive receives the next value and waits for one. It fails with ErrChannelClosed when there will be none, with ErrWaitEnded when
// Drain ends the wait, and with ctx's error.
func (c *Channel) Receive(ctx context.Context) (*Delivery, error) {
	d, w, err := c.StartReceive(true, 0)
	if w == nil {
		return d, err
	}
	_, ended := w.wait(nil, ctx.Done())
	d, err = w.Received()
	return d, firstError(err, ErrChannelEmpty, ended, ctx.Err())
}

// firstError is how a wait failed: one whose turn had not come, by what ended it.
func firstError(err, early, ended, done error) error {
	switch {
	case !errors.Is(err, early):
		return err
	case ended != nil:
		return ended
	}
	return done
}
