package sharedstate

import (
	"iter"
	"runtime"
	"time"
)

// Tx is a transaction over the tables of one store: what it reads is read at one moment, at which all that it writes takes effect
// in one step, or nothing does. It works without locks: it notes the version of every chain that it reads, and when one of them
// has changed by the end, it runs again. One goroutine at a time may use it.
type Tx struct {
	store *Store
	parts []*txPart // the tables that it has touched since it began, in the order of their numbers once it commits
	spare []*txPart
	buf   []byte // the bytes of values that it has read
	stale bool   // a table was cleared or resized since it was read
}

// txPart is what a transaction has done to one table.
type txPart struct {
	table   *Table
	at      seen   // the arena and the generation of its reads
	reads   []seen // the chains that it has looked into
	soonest uint64 // no row that it has read expires before; 0 for never
	cleared bool
	writes  []txWrite
	places  map[string]int // of the writes by key, where there are many

	many    *many
	stripes []int // those that it locks, in ascending order
	missing int   // see mergeAttempt
}

// seen is a chain as a transaction has read it.
type seen struct {
	arena      *arena
	generation uint64
	home       *bucket
	stripe     int
	version    uint64
}

// stillLocked says whether nothing that could be read in the chain has changed.
func (c *seen) stillLocked(a *arena, home *bucket, generation uint64) bool {
	return a == c.arena && generation == c.generation && home == c.home && home[BucketVersion].Load() == c.version
}

// txWrite is the last thing that a transaction did to a key.
type txWrite struct {
	Entry
	op     planOp
	expiry uint64
}

// NewTx makes a transaction that may be used again and again.
func (s *Store) NewTx() *Tx { return &Tx{store: s} }

// Transact runs f as one transaction. f must touch the tables through tx alone and may be called several times, until what it read
// is still true when its writes are done; before that it may see a mixture of changes by others. An error of f ends the
// transaction, and nothing is changed. It fails with ErrTableFull, ErrDamaged or, after Drop, with ErrUnknownTable.
func (s *Store) Transact(f func(tx *Tx) error) error { return s.NewTx().Run(f) }

// Run is Transact with a transaction that is used again: values that f reads are valid until the next Run.
func (tx *Tx) Run(f func(tx *Tx) error) error {
	for {
		tx.reset()
		if err := f(tx); err != nil {
			return err
		}
		if done, err := tx.commit(); done || err != nil {
			return err
		}
		runtime.Gosched()
	}
}

// keptBytes is how much of its buffer a transaction keeps for the next.
const keptBytes = 64 << 10

func (tx *Tx) reset() {
	for _, p := range tx.parts {
		clear(p.writes) // of the callers' strings
		*p = txPart{reads: p.reads[:0], writes: p.writes[:0], stripes: p.stripes[:0]}
		if cap(p.reads) <= 64 && cap(p.writes) <= 64 {
			tx.spare = append(tx.spare, p)
		}
	}
	tx.parts, tx.stale, tx.buf = tx.parts[:0], false, tx.buf[:0]
	if cap(tx.buf) > keptBytes {
		tx.buf = nil
	}
}

// part is a transaction's part of a table.
func (tx *Tx) part(t *Table) *txPart {
	for _, p := range tx.parts {
		if p.table == t {
			return p
		}
	}
	var p *txPart
	if n := len(tx.spare); n > 0 {
		p, tx.spare = tx.spare[n-1], tx.spare[:n-1]
	} else {
		p = new(txPart)
	}
	p.table = t
	tx.parts = append(tx.parts, p)
	return p
}

// manyWrites is from how many writes on they are found by a map.
const manyWrites = 8

// written is what the transaction did to a key, nil for nothing.
func (p *txPart) written(key string) *txWrite {
	if p.places != nil {
		if i, ok := p.places[key]; ok {
			return &p.writes[i]
		}
		return nil
	}
	for i := range p.writes {
		if p.writes[i].Key == key {
			return &p.writes[i]
		}
	}
	return nil
}

func (p *txPart) write(w txWrite) {
	if old := p.written(w.Key); old != nil {
		*old = w
		return
	}
	if p.writes = append(p.writes, w); p.places != nil {
		p.places[w.Key] = len(p.writes) - 1
	} else if len(p.writes) > manyWrites {
		p.places = make(map[string]int)
		for i := range p.writes {
			p.places[p.writes[i].Key] = i
		}
	}
}

// Get answers a key's value and its expiry in monotonic nanoseconds, 0 for none; false when it is absent.
func (tx *Tx) Get(t *Table, key string) (v Value, expiry uint64, ok bool) {
	p := tx.part(t)
	w := p.written(key)
	if w != nil && w.op != planTouch {
		return w.Value, w.expiry, w.op == planPut
	}
	if p.cleared {
		return Value{}, 0, false
	}
	for {
		start := len(tx.buf)
		f, status, at := t.readSeen(key, tx.buf[start:cap(tx.buf)], true)
		if status == StatusGrow {
			tx.buf = make([]byte, 0, max(f.Len, min(2*cap(tx.buf), 1<<20))) // what was read before stays where it is
			continue
		}
		tx.note(p, at, f.Expiry)
		if status != StatusOK {
			return Value{}, 0, false
		}
		tx.buf = tx.buf[:start+f.Len]
		v = Value{kind: f.Kind, flags: f.Flags, number: f.Number, data: stringOf(tx.buf[start:])}
		if w != nil {
			f.Expiry = w.expiry
		}
		return v, f.Expiry, true
	}
}

// Find is Get without the value's bytes.
func (tx *Tx) Find(t *Table, key string) (Found, bool) {
	p := tx.part(t)
	w := p.written(key)
	if w != nil && w.op != planTouch {
		return Found{Kind: w.Value.Kind(), Flags: w.Value.flags, Number: w.Value.number, Len: len(w.Value.data), Expiry: w.expiry}, w.op == planPut
	}
	if p.cleared {
		return Found{}, false
	}
	f, status, at := t.readSeen(key, nil, false)
	tx.note(p, at, f.Expiry)
	if w != nil {
		f.Expiry = w.expiry
	}
	return f, status == StatusOK
}

// note remembers what was read.
func (tx *Tx) note(p *txPart, at seen, expiry uint64) {
	if p.at.arena == nil {
		p.at = at
	}
	tx.stale = tx.stale || at.arena != p.at.arena || at.generation != p.at.generation
	if n := len(p.reads); n == 0 || p.reads[n-1] != at {
		p.reads = append(p.reads, at)
	}
	if expiry != 0 && (p.soonest == 0 || expiry < p.soonest) {
		p.soonest = expiry
	}
}

// readSeen looks a key up, copies its bytes to dst if they are wanted, and says what the answer depends on. What is answered
// is a use of the key.
func (t *Table) readSeen(key string, dst []byte, bytes bool) (f Found, status Status, at seen) {
	h := hashOf(key, t.seed)
	s := t.stripeOf(h)
	finished := false
	s.mu.Lock()
	defer t.unlock(s, &finished)
	a := t.arena.Load()
	generation := t.control.generation.Load()
	home := a.home(h.high&t.mask, h.low)
	at = seen{a, generation, home, int(h.high & t.mask), home[BucketVersion].Load()}
	p := a.findLocked(home, h, key, generation)
	finished = true
	if !p.live {
		return Found{}, StatusAbsent, at
	}
	t.noteUse(p.slot)
	if !bytes {
		return a.row(p.units).foundLocked(), StatusOK, at
	}
	f, status = a.copyLocked(p.units, dst)
	return f, status, at
}

// Put stores a value with an expiry in monotonic nanoseconds, 0 for none. It fails as Table.Set does, and then has no effect.
func (tx *Tx) Put(t *Table, key string, v Value, expiry uint64) error {
	if err := t.admit(key, &v); err != nil {
		return err
	}
	tx.part(t).write(txWrite{Entry{key, v}, planPut, expiry})
	return nil
}

// Delete removes a key and says whether it was there.
func (tx *Tx) Delete(t *Table, key string) bool {
	_, live := tx.Find(t, key)
	if live {
		tx.part(t).write(txWrite{Entry{Key: key}, planRemove, 0})
	}
	return live
}

// Expire gives a key another expiry in monotonic nanoseconds, 0 for none, and says whether it is there. It needs no memory.
func (tx *Tx) Expire(t *Table, key string, expiry uint64) bool {
	if _, live := tx.Find(t, key); !live {
		return false
	}
	p := tx.part(t)
	if w := p.written(key); w != nil {
		w.expiry = expiry
	} else {
		p.write(txWrite{Entry{Key: key}, planTouch, expiry})
	}
	return true
}

// Clear removes all keys of a table.
func (tx *Tx) Clear(t *Table) {
	p := tx.part(t)
	p.cleared, p.writes, p.places = true, p.writes[:0], nil
}

// Pending visits what the transaction has done to a table so far: each key that it has stored or touched with true, each that it has removed
// with false. cleared says that it has removed all others.
func (tx *Tx) Pending(t *Table) (cleared bool, keys iter.Seq2[string, bool]) {
	p := tx.part(t)
	return p.cleared, func(yield func(string, bool) bool) {
		for i := range p.writes {
			if !yield(p.writes[i].Key, p.writes[i].op != planRemove) {
				return
			}
		}
	}
}

// Expiry is the expiry of what is written now with a ttl: 0 for Forever.
func Expiry(ttl time.Duration) uint64 { return expiryAfter(ttl) }
