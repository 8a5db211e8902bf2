package sharedstate

import (
	"errors"
	"fmt"
)

// Check compares the table's whole structure with itself while every stripe is held: each row is in the chain of its key,
// no key twice, the counts are those of the rows, and each cell is a row's, a chunk's, a bucket's, retired, spare or free,
// and only one of these. Memory that a write in progress has taken is reported as lost: it is for a table at rest.
func (t *Table) Check() error {
	t.keeping.Lock()
	defer t.keeping.Unlock()
	t.lockAll()
	defer t.unlockAll()
	c := &checker{table: t, arena: t.arena.Load(), cells: map[uint64]string{}, generation: t.control.generation.Load()}
	for i := range t.stripes {
		c.stripe(i)
	}
	c.memory()
	if t.control.multi.Load() != 0 {
		c.fail("multi is %d at rest", t.control.multi.Load())
	}
	return errors.Join(c.errs...)
}

// checker is one Check; the table's stripes are held all the time.
type checker struct {
	table      *Table
	arena      *arena
	generation uint64
	cells      map[uint64]string
	errs       []error
}

func (c *checker) fail(format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf(format, args...))
}

// owns notes what a cell is used for.
func (c *checker) owns(units uint64, what string) {
	if had, twice := c.cells[units]; twice {
		c.fail("cell %d is %s and %s", units, had, what)
	}
	c.cells[units] = what
}

func (c *checker) row(units uint64, what string) {
	for i, u := range c.arena.pieces(units, nil) {
		if i > 0 {
			c.owns(u, "a chunk of "+what)
		} else {
			c.owns(u, what)
		}
	}
}

func (c *checker) stripe(i int) {
	s := &c.table.stripes[i]
	if s.version.Load()&1 != 0 {
		c.fail("stripe %d's version is odd at rest", i)
	}
	var rows, keyBytes, valueBytes, expiring, overflow int64
	for pos := range c.arena.homes {
		home := c.arena.homeAt(uint64(i), pos)
		if home[BucketVersion].Load()&1 != 0 {
			c.fail("the version of chain %d/%d is odd at rest", i, pos)
		}
		seen := map[string]bool{}
		c.arena.walk(home, func(b *bucket, first int) bool {
			if link := b[BucketLink].Load(); link != 0 {
				c.owns(link, "an overflow bucket")
				overflow++
			}
			for j := first; j < BucketLink; j++ {
				word := b[j].Load()
				if word == 0 {
					continue
				}
				units := slotUnits(word)
				c.row(units, "a row")
				r := c.arena.row(units)
				key := string(c.arena.appendBytes(nil, units, 0, int(r.keyLen)))
				h := hashOf(key, c.table.seed)
				if c.arena.home(h.high&c.table.mask, h.low) != home || h.high&c.table.mask != uint64(i) || word>>SlotTagShift != h.tag() {
					c.fail("key %q is in the wrong chain or has the wrong tag", key)
				}
				if seen[key] {
					c.fail("key %q is twice in its chain", key)
				}
				seen[key] = true
				if due := metaOf(&b[j]).due.Load(); due != dueOf(r.expiry.Load()) {
					c.fail("key %q expires at %d, its metadata says %d", key, r.expiry.Load(), due)
				} else if due != 0 && s.soonest > leastExpiry(due) {
					c.fail("key %q expires at %d, its stripe says not before %d", key, r.expiry.Load(), s.soonest)
				}
				if r.generation == c.generation {
					rows++
					if r.expiry.Load() != 0 {
						expiring++
					}
					keyBytes += int64(r.keyLen)
					valueBytes += int64(r.valueSize())
				}
			}
			return true
		})
	}
	s.syncLocked(c.generation)
	if s.rows != rows || s.keyBytes != keyBytes || s.valueBytes != valueBytes || s.expiring != expiring || s.overflow != overflow {
		c.fail("stripe %d counts %d rows, %d and %d bytes, %d that expire, %d overflow buckets; it has %d, %d, %d, %d and %d", i,
			s.rows, s.keyBytes, s.valueBytes, s.expiring, s.overflow, rows, keyBytes, valueBytes, expiring, overflow)
	}
	for _, u := range s.retired {
		c.owns(u, "retired")
	}
	for _, u := range s.spare[:s.spares] {
		c.owns(u, "spare")
	}
}

// memory checks the page table against the cells found.
func (c *checker) memory() {
	m := c.arena.cells
	inUse := make([]uint64, len(m.classes))
	for u := range c.cells {
		inUse[m.page[m.pageOf(u)].class]++
	}
	for k := range m.classes {
		if n := m.classes[k].inUse.Load(); n != inUse[k] {
			c.fail("class of %d bytes: %d cells are handed out, %d are known", m.classes[k].size, n, inUse[k])
		}
	}
	m.poolMu.Lock()
	defer m.poolMu.Unlock()
	pool := map[uint32]bool{}
	for _, n := range m.pool {
		if pool[n] {
			c.fail("page %d is twice in the pool", n)
		}
		pool[n] = true
	}
	for n := range m.fresh {
		if p := &m.page[n]; !pool[n] && !p.drained && (p.free > 0) != p.listed {
			c.fail("page %d has %d free cells and is listed: %v", n, p.free, p.listed)
		}
	}
}
