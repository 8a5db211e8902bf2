package resp

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/frankenshare/frankenshare/sharedstate"
)

// The bounds on what the server remembers of the keys that clients have read. Beyond them it takes keys as changed that are not.
const (
	defaultTrackedKeys = 1_000_000
	maxTrackedBytes    = 64 << 20
	trackedKeyBytes    = 128 // for the books of a key
	trackedReaderBytes = 8
)

// tracking tells clients that cache values when these change. A client's keys are put down before they are read, and a message to it goes
// after the replies that are being written: so it either has the change, or is told of it after it has the old value.
type tracking struct {
	clients atomic.Int32 // len(all)
	maxKeys atomic.Int64 // 0 for no bound but that on bytes

	mu       sync.Mutex // guards the rest; before Server.mu, pubsub.mu and the queues
	all      map[int64]*tracker
	tables   map[*sharedstate.Table]map[string]*[]int64 // by key its readers, in ascending order
	keys     int
	bytes    int
	readers  int
	bcasting int // trackers with bcast
}

// tracker is what a client wants to be told. Changed with tracking.mu held, by the client's goroutine alone.
type tracker struct {
	client                       *client
	redirect                     int64 // the connection that is told instead, 0 for the client's own
	bcast, optin, optout, noloop bool
	prefixes                     []string // with bcast
	broken                       bool     // the other connection is gone
}

// readerOf is a client as a reader of a key, under its name alone or with the table's before it.
func readerOf(id int64, prefixed bool) int64 {
	if prefixed {
		return id<<1 | 1
	}
	return id << 1
}

func (t *tracking) any() bool { return t.clients.Load() > 0 }

// start makes the client one that is told.
func (t *tracking) start(c *client, o tracker) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.all == nil {
		t.all, t.tables = make(map[int64]*tracker), make(map[*sharedstate.Table]map[string]*[]int64)
	}
	t.stopLocked(c)
	o.client = c
	c.tracker = &o
	t.all[c.id] = c.tracker
	t.clients.Store(int32(len(t.all)))
	if o.bcast {
		t.bcasting++
	}
}

func (t *tracking) stop(c *client) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopLocked(c)
	if len(t.all) == 0 { // what others have read stays until it changes or there is no room
		t.forgetLocked()
	}
}

func (t *tracking) stopLocked(c *client) {
	if c.tracker == nil {
		return
	}
	if c.tracker.bcast {
		t.bcasting--
	}
	c.tracker = nil
	delete(t.all, c.id)
	t.clients.Store(int32(len(t.all)))
}

func (t *tracking) forgetLocked() {
	clear(t.tables)
	t.keys, t.bytes, t.readers = 0, 0, 0
}

// remember puts down the keys that a command is about to read.
func (c *client) remember(cmd *command, args [][]byte) {
	k := c.tracker
	if k.bcast || cmd.flags&flagRead == 0 || k.optin && !c.caching || k.optout && c.caching {
		return
	}
	t := &c.server.tracking
	t.mu.Lock()
	defer t.mu.Unlock()
	cmd.eachKey(args, func(i int) {
		table, key := c.locate(args[i])
		t.rememberLocked(table, key, readerOf(c.id, len(key) != len(args[i])))
	})
	t.shrinkLocked()
}

func (t *tracking) rememberLocked(table *sharedstate.Table, key string, by int64) {
	keys := t.tables[table]
	if keys == nil {
		keys = make(map[string]*[]int64)
		t.tables[table] = keys
	}
	readers := keys[key]
	if readers == nil {
		readers = new([]int64)
		keys[strings.Clone(key)] = readers
		t.keys++
		t.bytes += len(key) + trackedKeyBytes
	}
	at, is := slices.BinarySearch(*readers, by)
	if is {
		return
	}
	*readers = slices.Insert(*readers, at, by)
	t.readers++
	t.bytes += trackedReaderBytes
}

// shrinkLocked takes keys as changed until what is remembered is within its bounds. A map gives them in no order.
func (t *tracking) shrinkLocked() {
	limit := int(t.maxKeys.Load())
	over := func() bool { return limit > 0 && t.keys > limit || t.bytes > maxTrackedBytes }
	for over() {
		for table, keys := range t.tables {
			for key := range keys {
				t.invalidateLocked(table, key, nil)
				if !over() {
					return
				}
			}
		}
	}
}

// changed tells who has read the key, and who wants to be told of all like it.
func (t *tracking) changed(table *sharedstate.Table, e sharedstate.Event) {
	if !t.any() {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if e.Op == sharedstate.OpClear {
		t.clearedLocked(table)
		return
	}
	t.invalidateLocked(table, e.Key, e.By)
	if t.bcasting > 0 {
		t.broadcastLocked(table, e)
	}
}

// invalidateLocked tells the readers of a key and forgets them.
func (t *tracking) invalidateLocked(table *sharedstate.Table, key string, by *sharedstate.Tx) {
	readers := t.tables[table][key]
	if readers == nil {
		return
	}
	for _, r := range *readers {
		k := t.all[r>>1]
		if k == nil || k.bcast || k.noloop && k.client.tx == by {
			continue
		}
		if r&1 != 0 {
			t.tellLocked(k, table.Name()+":"+key)
		} else {
			t.tellLocked(k, key)
		}
	}
	t.countLocked(key, *readers)
	delete(t.tables[table], key)
}

// countLocked counts a key out that is to be forgotten.
func (t *tracking) countLocked(key string, readers []int64) {
	t.keys--
	t.readers -= len(readers)
	t.bytes -= len(key) + trackedKeyBytes + len(readers)*trackedReaderBytes
}

// broadcastLocked tells of a key by its name and, where keys may have the table's before theirs, by that as well.
func (t *tracking) broadcastLocked(table *sharedstate.Table, e sharedstate.Event) {
	for _, k := range t.all {
		if !k.bcast || k.noloop && k.client.tx == e.By {
			continue
		}
		names := []string{e.Key}
		if k.client.server.options.Prefixes {
			names = append(names, table.Name()+":"+e.Key)
		}
		for _, name := range names {
			if slices.ContainsFunc(k.prefixes, func(p string) bool { return strings.HasPrefix(name, p) }) {
				t.tellLocked(k, name)
			}
		}
	}
}

// clearedLocked tells those who have read anything in a table that they have nothing any more.
func (t *tracking) clearedLocked(table *sharedstate.Table) {
	told := make(map[int64]bool)
	for key, readers := range t.tables[table] {
		for _, r := range *readers {
			told[r>>1] = true
		}
		t.countLocked(key, *readers)
	}
	delete(t.tables, table)
	for id, k := range t.all {
		if k.bcast || told[id] {
			t.sendLocked(k, (*writer).null)
		}
	}
}

func (t *tracking) tellLocked(k *tracker, key string) {
	t.sendLocked(k, func(w *writer) {
		w.array(1)
		w.text(key)
	})
}

// invalidations is the channel of messages to a connection that speaks protocol 2.
const invalidations = "__redis__:invalidate"

// sendLocked sends an invalidation with its keys to the connection that wants it. In protocol 2 only one with subscriptions can take it.
func (t *tracking) sendLocked(k *tracker, keys func(w *writer)) {
	to := k.client
	if k.redirect != 0 {
		if to = k.client.server.client(k.redirect); to == nil {
			k.broken = true
			if k.client.proto.Load() == 3 {
				w := writer{proto: 3, limit: maxReplies}
				w.push(2)
				w.text("tracking-redir-broken")
				w.int(k.redirect)
				k.client.push(w.buf)
			}
			return
		}
	}
	if to.proto.Load() == 3 {
		w := writer{proto: 3, limit: maxReplies}
		w.push(2)
		w.text("invalidate")
		keys(&w)
		to.push(w.buf)
		return
	}
	p := &to.server.pubsub
	p.mu.RLock() // so that it has subscriptions until the message is on its way
	defer p.mu.RUnlock()
	if k.redirect != 0 && to.subscriptions.count() > 0 {
		w := writer{proto: 2, limit: maxReplies}
		w.array(3)
		w.text("message")
		w.text(invalidations)
		keys(&w)
		to.push(w.buf)
	}
}

// figures are what INFO tells.
func (t *tracking) figures() (clients, keys, readers, prefixes int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	distinct := make(map[string]bool)
	for _, k := range t.all {
		for _, p := range k.prefixes {
			distinct[p] = true
		}
	}
	return len(t.all), t.keys, t.readers, len(distinct)
}

// bound changes how many keys may be remembered.
func (t *tracking) bound(keys int64) {
	t.maxKeys.Store(keys)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.shrinkLocked()
}
