package sharedstate

import (
	"maps"
	"slices"
	"sync/atomic"
)

// Cut is a moment in a table's life: its generation and the raw versions of its stripes. The zero Cut is before every
// moment.
type Cut struct {
	Generation uint64
	Versions   []uint64
}

const (
	unseen       = ^uint64(0)
	chainsPerHop = 256 // home buckets visited in one hold of a stripe
)

// Snapshot answers all keys and values as they were at one moment.
func (t *Table) Snapshot() map[string]Value {
	var rows Rows
	_ = t.SnapshotInto(&Cut{}, nil, &rows) // Grow is nil, so there is no error
	return rows.values()
}

// Keys answers all keys as they were at one moment, in no order.
func (t *Table) Keys() []string { return slices.Collect(maps.Keys(t.Snapshot())) }

// SnapshotInto moves cut to a later moment and appends to rows the live rows, at that moment, of every stripe that changed
// since the cut given. changed, if not nil, has one byte for each stripe and is set to 1 for those. Stripes are copied a
// few chains at a time; what changed meanwhile is copied again, the third time with all such stripes held.
func (t *Table) SnapshotInto(cut *Cut, changed []byte, rows *Rows) error {
	c := collector{table: t, cut: cut, rows: rows, start: len(rows.Bytes), segments: make([]segment, len(t.stripes))}
	if err := c.run(); err != nil {
		return err
	}
	c.compact()
	if changed != nil {
		for i := range c.segments {
			changed[i] = 0
			if c.segments[i].copied {
				changed[i] = 1
			}
		}
	}
	return nil
}

// Stripes is the number of stripes, the length of a Cut's versions.
func (t *Table) Stripes() int { return len(t.stripes) }

type segment struct {
	copied   bool
	from, to int
}

// collector copies stripes into rows until all copies are of one moment.
type collector struct {
	table    *Table
	cut      *Cut
	rows     *Rows
	start    int
	segments []segment // by stripe: where the copy that counts stands in rows
	held     []int     // stripes that are copied while held, in ascending order
}

func (c *collector) run() error {
	for round := 0; ; round++ {
		c.syncGeneration()
		stale := c.stale(nil)
		if len(stale) == 0 && c.table.control.generation.Load() == c.cut.Generation {
			return nil
		}
		if round < 2 {
			for _, i := range stale {
				if err := c.copyStripe(i); err != nil {
					return err
				}
			}
		} else if done, err := c.copyHeld(stale); done || err != nil {
			return err
		}
	}
}

// syncGeneration starts over when the table was cleared, replaced or resized.
func (c *collector) syncGeneration() {
	if g := c.table.control.generation.Load(); g != c.cut.Generation || len(c.cut.Versions) != len(c.table.stripes) {
		c.cut.Generation = g
		c.cut.Versions = slices.Grow(c.cut.Versions[:0], len(c.table.stripes))[:len(c.table.stripes)]
		for i := range c.cut.Versions {
			c.cut.Versions[i] = unseen
		}
		clear(c.segments)
		c.rows.Bytes = c.rows.Bytes[:c.start]
	}
}

// stale lists the stripes whose copy is not of their present version.
func (c *collector) stale(dst []int) []int {
	for i := range c.table.stripes {
		if c.table.stripes[i].version.Load() != c.cut.Versions[i] {
			dst = append(dst, i)
		}
	}
	return dst
}

// copyStripe copies one stripe in short holds. A write in between makes the copy stale, which the next round finds.
func (c *collector) copyStripe(i int) error {
	s := &c.table.stripes[i]
	from := len(c.rows.Bytes)
	for pos := uint64(0); ; {
		next, short, version := c.hop(s, i, pos)
		if short > 0 {
			if err := c.rows.reserve(short); err != nil {
				return err
			}
			continue
		}
		if pos == 0 {
			c.cut.Versions[i] = version
		}
		if pos = next; pos == 0 {
			break
		}
	}
	c.segments[i] = segment{true, from, len(c.rows.Bytes)}
	return nil
}

// hop copies the next few chains under the stripe's lock. next is 0 at the end; short is the room that it
// takes where there is less.
func (c *collector) hop(s *stripe, i int, pos uint64) (next uint64, short int, version uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := c.table.arena.Load()
	end := min(pos+chainsPerHop, a.homes)
	if need := c.needLocked(a, i, pos, end); need > c.rows.room() {
		return pos, need, 0
	}
	c.addLocked(a, i, pos, end)
	if end < a.homes {
		next = end
	}
	return next, 0, s.version.Load()
}

// needLocked is how many bytes the rows of chains pos to end take.
func (c *collector) needLocked(a *arena, i int, pos, end uint64) (need int) {
	for ; pos < end; pos++ {
		a.liveLocked(a.homeAt(uint64(i), pos), c.cut.Generation, func(_ *atomic.Uint64, u uint64) {
			r := a.row(u)
			need += rowBytes(int(r.keyLen), int(r.valueLen))
		})
	}
	return need
}

func (c *collector) addLocked(a *arena, i int, pos, end uint64) {
	room := cap(c.rows.Bytes)
	for ; pos < end; pos++ {
		a.liveLocked(a.homeAt(uint64(i), pos), c.cut.Generation, func(_ *atomic.Uint64, u uint64) {
			// A row that expired since it was counted leaves room; one never comes back to life under the lock.
			if r := a.row(u); len(c.rows.Bytes)+rowBytes(int(r.keyLen), int(r.valueLen)) <= room {
				c.rows.addLocked(a, u, i, false)
			}
		})
	}
}

// copyHeld copies the stale stripes, and those it held before, while holding all of them. It is done when the others have
// not changed either; as the set only grows, it ends.
func (c *collector) copyHeld(stale []int) (done bool, err error) {
	for _, i := range stale {
		if at, found := slices.BinarySearch(c.held, i); !found {
			c.held = slices.Insert(c.held, at, i)
		}
	}
	for {
		short, done := c.holdAndCopy()
		if short == 0 {
			return done, nil
		}
		if err := c.rows.reserve(short + short/4); err != nil {
			return false, err
		}
	}
}

// holdAndCopy copies all of c.held at once, or says how much room that takes where there is less.
func (c *collector) holdAndCopy() (short int, done bool) {
	t := c.table
	for _, i := range c.held {
		t.stripes[i].mu.Lock()
	}
	defer func() {
		for _, i := range c.held {
			t.stripes[i].mu.Unlock()
		}
	}()
	a := t.arena.Load()
	if t.control.generation.Load() != c.cut.Generation {
		return 0, false
	}
	for _, i := range c.held {
		short += c.needLocked(a, i, 0, a.homes)
	}
	if short > c.rows.room() {
		return short, false
	}
	for _, i := range c.held {
		from := len(c.rows.Bytes)
		c.addLocked(a, i, 0, a.homes)
		c.segments[i] = segment{true, from, len(c.rows.Bytes)}
		c.cut.Versions[i] = t.stripes[i].version.Load()
	}
	return 0, len(c.stale(nil)) == 0
}

// compact drops the copies that were replaced by later ones.
func (c *collector) compact() {
	order := make([]int, 0, len(c.segments))
	for i := range c.segments {
		if c.segments[i].copied {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(x, y int) int { return c.segments[x].from - c.segments[y].from })
	end := c.start
	for _, i := range order {
		end += copy(c.rows.Bytes[end:], c.rows.Bytes[c.segments[i].from:c.segments[i].to])
	}
	c.rows.Bytes = c.rows.Bytes[:end]
}

// ScanInto appends up to limit rows whose key begins with prefix, or their keys alone. A key that is there all the time is
// found exactly once; one that comes or goes meanwhile may be found or not.
func (t *Table) ScanInto(prefix string, limit int, keysOnly bool, rows *Rows) error {
	for i := range t.stripes {
		mark, left := len(rows.Bytes), limit
		var at scanned
		for limit > 0 && !at.end {
			next, found, short := t.scanHop(i, at, prefix, limit, keysOnly, rows)
			switch {
			case short > 0:
				if err := rows.reserve(short); err != nil {
					return err
				}
			case at.arena != nil && next.arena != at.arena: // a resize came between, and chains are other ones: once more
				rows.Bytes, limit, at = rows.Bytes[:mark], left, scanned{}
			default:
				limit -= found
				at = next
			}
		}
	}
	return nil
}

// scanned is how far a scan has come in a stripe.
type scanned struct {
	arena *arena
	pos   uint64
	end   bool
}

// scanHop visits the next few chains. short is the room that rows lack.
func (t *Table) scanHop(i int, at scanned, prefix string, limit int, keysOnly bool, rows *Rows) (next scanned, found, short int) {
	s := &t.stripes[i]
	s.mu.Lock()
	defer s.mu.Unlock()
	a := t.arena.Load()
	if at.arena != nil && a != at.arena {
		return scanned{arena: a}, 0, 0
	}
	pos := at.pos
	generation := t.control.generation.Load()
	mark := len(rows.Bytes)
	end := min(pos+chainsPerHop, a.homes)
	for ; pos < end && found < limit; pos++ {
		a.liveLocked(a.homeAt(uint64(i), pos), generation, func(_ *atomic.Uint64, u uint64) {
			if found == limit || !a.hasPrefix(u, prefix) {
				return
			}
			r := a.row(u)
			size := rowBytes(int(r.keyLen), 0)
			if !keysOnly {
				size = rowBytes(int(r.keyLen), int(r.valueLen))
			}
			found++
			if short += size; mark+short <= cap(rows.Bytes) {
				rows.addLocked(a, u, i, keysOnly)
			}
		})
	}
	if mark+short > cap(rows.Bytes) {
		rows.Bytes = rows.Bytes[:mark]
		return at, 0, short
	}
	return scanned{a, end, end == a.homes}, found, 0
}

func (a *arena) hasPrefix(units uint64, prefix string) bool {
	if int(a.row(units).keyLen) < len(prefix) {
		return false
	}
	if part := a.inlineBytes(units); len(part) >= len(prefix) {
		return string(part[:len(prefix)]) == prefix
	}
	return string(a.appendBytes(nil, units, 0, len(prefix))) == prefix
}

// Scan answers up to limit keys that begin with prefix, with their values; see ScanInto for what it sees of concurrent
// changes.
func (t *Table) Scan(prefix string, limit int) map[string]Value {
	var rows Rows
	_ = t.ScanInto(prefix, limit, false, &rows) // Grow is nil, so there is no error
	return rows.values()
}

// DeletePrefix removes the keys that begin with prefix and counts them.
func (t *Table) DeletePrefix(prefix string) (removed int, err error) {
	var rows Rows
	_ = t.ScanInto(prefix, int(^uint(0)>>1), true, &rows) // Grow is nil, so there is no error
	for r := range rows.All() {
		gone, err := t.Delete(r.Key)
		if err != nil {
			return removed, err
		}
		if gone {
			removed++
		}
	}
	return removed, nil
}
