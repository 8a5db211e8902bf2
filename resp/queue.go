package resp

import (
	"sync"
	"time"
)

// maxPushed is how many bytes of messages a client may leave untaken; one that falls behind further is closed.
const maxPushed = 16 << 20

// queue holds what others have sent a client and it has not yet taken, and orders it with the client's replies: a message that comes while
// a command is answered goes after the reply. So a client that is told of a key's change has what it read of the key before that.
type queue struct {
	mu      sync.Mutex // guards pending and held
	pending []byte
	held    bool          // the client's goroutine sends what is pending, after its replies
	wake    chan struct{} // someone has put something into pending
	writing sync.Mutex    // held while the connection is written to
	started bool          // there is a goroutine that sends what is pending
}

// hold keeps messages back until the replies that come now are sent. Those that were there before go first.
func (q *queue) hold(c *client) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.held = true
	q.gatherLocked(c)
}

// gather puts the messages so far among the client's replies.
func (q *queue) gather(c *client) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.gatherLocked(c)
}

func (q *queue) gatherLocked(c *client) {
	c.out.buf = append(c.out.buf, q.pending...)
	q.pending = q.pending[:0]
}

// send writes replies, then the messages that have come meanwhile.
func (q *queue) send(c *client, replies []byte) error {
	q.writing.Lock()
	defer q.writing.Unlock()
	if err := c.write(replies); err != nil {
		return err
	}
	q.mu.Lock()
	pending := q.pending
	q.pending, q.held = nil, false
	q.mu.Unlock()
	return c.write(pending)
}

func (c *client) write(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	if now := time.Now(); now.After(c.writeUntil) { // seldom, for it costs as much as a command
		c.writeUntil = now.Add(writeTimeout)
		if err := c.conn.SetWriteDeadline(c.writeUntil.Add(writeTimeout)); err != nil {
			return err
		}
	}
	n, err := c.conn.Write(b)
	c.server.stats.output.Add(int64(n))
	return err
}

// push sends the client a message from any goroutine, which never waits for it: a client that has fallen too far behind is closed.
func (c *client) push(message []byte) {
	q := &c.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if c.killed.Load() {
		return
	}
	if len(q.pending)+len(message) > maxPushed {
		q.pending = nil
		c.killed.Store(true)
		c.server.stats.dropped.Add(1)
		c.server.running.Go(c.kill) // closing may wait for the network
		return
	}
	q.pending = append(q.pending, message...)
	if !q.started {
		q.started = true
		c.server.running.Go(func() { q.sendPending(c) })
	}
	select {
	case q.wake <- struct{}{}:
	default: // it is awake already
	}
}

// close ends the goroutine that sends.
func (q *queue) close(c *client) {
	q.mu.Lock()
	defer q.mu.Unlock()
	c.killed.Store(true)
	q.pending = nil
	close(q.wake)
}

// sendPending sends messages as they come, until the client ends.
func (q *queue) sendPending(c *client) {
	for range q.wake {
		if err := q.drain(c); err != nil {
			c.kill()
		}
	}
}

// drain writes the messages, unless the client's goroutine will.
func (q *queue) drain(c *client) error {
	q.writing.Lock()
	defer q.writing.Unlock()
	q.mu.Lock()
	var pending []byte
	if !q.held {
		pending, q.pending = q.pending, nil
	}
	q.mu.Unlock()
	return c.write(pending)
}
