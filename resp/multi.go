package resp

import (
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/frankenshare/frankenshare/sharedstate"
)

var multiCommands = []*command{
	{name: "multi", arity: 1, flags: flagFast | flagNow, group: "transactions", since: "1.2.0", summary: "Begins a transaction: what follows is queued.", run: openMulti},
	{name: "exec", arity: 1, flags: flagNow, group: "transactions", since: "1.2.0", summary: "Runs what was queued in one step.", run: execute},
	{name: "discard", arity: 1, flags: flagFast | flagNow, group: "transactions", since: "2.0.0", summary: "Forgets what was queued.", run: discard},
	{name: "watch", arity: -2, flags: flagFast | flagNow, keys: allKeys, group: "transactions", since: "2.2.0", summary: "Has the next EXEC do nothing if a key changes before it.", run: watch},
	{name: "unwatch", arity: 1, flags: flagFast, group: "transactions", since: "2.2.0", summary: "Forgets the watched keys.", run: func(c *client, _ [][]byte) {
		c.unwatch()
		c.out.ok()
	}},
}

// multi is a client's transaction while it is queued, and what it watches.
type multi struct {
	open    bool
	void    bool // a command was refused, so EXEC will be
	queued  []queued
	bytes   int
	watched []watched
	touched *touched
}

type queued struct {
	cmd  *command
	args [][]byte
}

// watched is a key as it was when WATCH saw it.
type watched struct {
	table *sharedstate.Table
	key   string
	state fingerprint
}

// fingerprint tells two values of a key apart.
type fingerprint struct {
	live   bool
	kind   sharedstate.Kind
	number uint64
	len    int
	hash   uint64
	expiry uint64
}

var fingerprintSeed = maphash.MakeSeed()

func fingerprintOf(v sharedstate.Value, expiry uint64, live bool) fingerprint {
	if !live {
		return fingerprint{}
	}
	kind, _, number, data := v.RawParts()
	return fingerprint{true, kind, number, len(data), maphash.String(fingerprintSeed, data), expiry}
}

func openMulti(c *client, _ [][]byte) {
	if c.multi.open {
		c.out.error("ERR MULTI calls can not be nested")
		return
	}
	c.multi.open = true
	c.show(func(s *shown) { s.queued = 0 })
	c.out.ok()
}

// enqueue keeps a command for EXEC.
func (c *client) enqueue(cmd *command, args [][]byte) {
	size := 0
	for _, arg := range args {
		size += len(arg) + 64
	}
	if c.multi.bytes += size; c.multi.bytes > c.in.limits.request {
		c.fail("ERR the transaction is too large")
		return
	}
	if cmd.flags&flagNoMulti != 0 {
		c.fail("ERR Command not allowed inside a transaction")
		return
	}
	kept := make([][]byte, len(args))
	for i, arg := range args {
		kept[i] = slices.Clone(arg)
	}
	if !c.multi.void {
		c.multi.queued = append(c.multi.queued, queued{cmd, kept})
	}
	n := len(c.multi.queued)
	c.show(func(s *shown) { s.queued = n })
	c.out.status("QUEUED")
}

// discard ends a transaction and forgets what is watched.
func (c *client) discard() {
	c.unwatch()
	c.multi = multi{}
	c.show(func(s *shown) { s.queued = -1 })
}

func discard(c *client, _ [][]byte) {
	if !c.multi.open {
		c.out.error("ERR DISCARD without MULTI")
		return
	}
	c.discard()
	c.out.ok()
}

// execute runs the queue as one transaction of the store, with the watched keys among what it reads. Commands that touch no key run when
// it has succeeded, since it may run several times; their replies are put where they belong.
func execute(c *client, _ [][]byte) {
	if !c.multi.open {
		c.out.error("ERR EXEC without MULTI")
		return
	}
	m := c.multi
	touched := m.touched != nil && m.touched.is.Load()
	c.discard()
	switch {
	case m.void:
		c.out.error("EXECABORT Transaction discarded because of previous errors.")
		return
	case touched:
		c.out.nullArray()
		return
	}
	mark, table := len(c.out.buf), c.base
	changed := false
	var later []int // where replies of commands without keys go
	c.replace(mark, c.tx.Run(func(tx *sharedstate.Tx) error {
		c.out.buf = c.out.buf[:mark]
		if c.base != table {
			c.setTable(table)
		}
		if changed = m.changed(tx); changed {
			c.out.nullArray()
			return nil
		}
		later = later[:0]
		c.out.array(len(m.queued))
		for _, q := range m.queued {
			if q.cmd.flags&flagKeys != 0 {
				if c.tracker != nil {
					c.remember(q.cmd, q.args)
				}
				q.cmd.run(c, q.args)
			} else {
				later = append(later, len(c.out.buf))
			}
		}
		return nil
	}))
	if !changed && len(later) > 0 && c.out.buf[mark] == '*' {
		c.runLater(m.queued, later)
	}
}

// runLater runs the commands without keys and puts their replies where they belong.
func (c *client) runLater(all []queued, places []int) {
	replies := c.out.buf
	c.out.buf = append(make([]byte, 0, len(replies)+256), replies[:places[0]]...)
	i := 0
	for _, q := range all {
		if q.cmd.flags&flagKeys != 0 {
			continue
		}
		q.cmd.run(c, q.args)
		end := len(replies)
		if i+1 < len(places) {
			end = places[i+1]
		}
		c.out.buf = append(c.out.buf, replies[places[i]:end]...)
		i++
	}
}

// changed says whether a watched key is no longer as it was.
func (m *multi) changed(tx *sharedstate.Tx) bool {
	for _, w := range m.watched {
		if v, expiry, live := tx.Get(w.table, w.key); fingerprintOf(v, expiry, live) != w.state {
			return true
		}
	}
	return false
}

func watch(c *client, args [][]byte) {
	if c.multi.open {
		c.out.error("ERR WATCH inside MULTI is not allowed")
		return
	}
	if c.multi.touched == nil {
		c.multi.touched = new(touched)
	}
	for _, arg := range args[1:] {
		t, k := c.locate(arg)
		if slices.ContainsFunc(c.multi.watched, func(w watched) bool { return w.table == t && w.key == k }) {
			continue
		}
		key := string(arg[len(arg)-len(k):])
		c.server.watches.add(t, key, c.multi.touched) // before it is read, so that nothing is missed
		w := watched{table: t, key: key}
		c.transactionless(func(tx *sharedstate.Tx) { w.state = fingerprintOf(tx.Get(t, key)) })
		c.multi.watched = append(c.multi.watched, w)
	}
	c.show(func(s *shown) { s.watching = len(c.multi.watched) })
	c.out.ok()
}

// transactionless reads outside of a command's transaction.
func (c *client) transactionless(read func(tx *sharedstate.Tx)) {
	_ = c.tx.Run(func(tx *sharedstate.Tx) error { // what only reads does not fail
		read(tx)
		return nil
	})
}

// unwatch forgets the watched keys.
func (c *client) unwatch() {
	for _, w := range c.multi.watched {
		c.server.watches.remove(w.table, w.key, c.multi.touched)
	}
	c.multi.watched, c.multi.touched = nil, nil
	c.show(func(s *shown) { s.watching = 0 })
}

// touched is set when a watched key was written, even if its value is the same again.
type touched struct{ is atomic.Bool }

// watches are the watched keys of all clients. A write tells of itself after it is done, so EXEC compares the values as well: a write
// that has not yet told is one that has not yet returned.
type watches struct {
	mu     sync.RWMutex
	tables map[*sharedstate.Table]*watchedTable
}

type watchedTable struct {
	keys   map[string]map[*touched]struct{}
	cancel func()
}

func (w *watches) add(t *sharedstate.Table, key string, by *touched) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.tables == nil {
		w.tables = make(map[*sharedstate.Table]*watchedTable)
	}
	wt := w.tables[t]
	if wt == nil {
		wt = &watchedTable{keys: make(map[string]map[*touched]struct{})}
		wt.cancel = t.Subscribe(func(e sharedstate.Event) { w.tell(t, e) })
		w.tables[t] = wt
	}
	if wt.keys[key] == nil {
		wt.keys[key] = make(map[*touched]struct{})
	}
	wt.keys[key][by] = struct{}{}
}

func (w *watches) remove(t *sharedstate.Table, key string, by *touched) {
	w.mu.Lock()
	defer w.mu.Unlock()
	wt := w.tables[t]
	if wt == nil {
		return
	}
	if delete(wt.keys[key], by); len(wt.keys[key]) == 0 {
		delete(wt.keys, key)
	}
	if len(wt.keys) == 0 {
		wt.cancel()
		delete(w.tables, t)
	}
}

// tell marks who watches a key. That a key has expired, was evicted or cleared shows in its value.
func (w *watches) tell(t *sharedstate.Table, e sharedstate.Event) {
	if e.Op != sharedstate.OpSet && e.Op != sharedstate.OpDelete && e.Op != sharedstate.OpTouch {
		return
	}
	w.mu.RLock()
	defer w.mu.RUnlock()
	if wt := w.tables[t]; wt != nil {
		for by := range wt.keys[e.Key] {
			by.is.Store(true)
		}
	}
}

// close ends the subscriptions of a server that has no clients left.
func (w *watches) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for t, wt := range w.tables {
		wt.cancel()
		delete(w.tables, t)
	}
}
