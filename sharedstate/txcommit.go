package sharedstate

import (
	"cmp"
	"slices"
)

// commit ends a transaction; false when something that it has read is no longer so, and nothing was changed.
func (tx *Tx) commit() (done bool, err error) {
	if tx.stale {
		return false, nil
	}
	writing, last := 0, (*txPart)(nil)
	for _, p := range tx.parts {
		if len(p.writes) > 0 || p.cleared {
			writing, last = writing+1, p
		}
	}
	switch {
	case writing == 0:
		return tx.unchanged(), nil
	case writing == 1 && len(tx.parts) == 1 && len(last.writes) == 1 && !last.cleared && last.oneChain():
		return last.commitOne(tx)
	}
	return tx.commitMany()
}

// unchanged says whether all that was read was so at one moment: from the last read to the first look at the versions here, if none
// has moved by then and none of the rows has expired. What is of one chain at one version is of one moment, if nothing in it expires.
func (tx *Tx) unchanged() bool {
	if len(tx.parts) == 0 || len(tx.parts) == 1 && len(tx.parts[0].reads) <= 1 && tx.parts[0].soonest == 0 {
		return true
	}
	now := now()
	for _, p := range tx.parts {
		if len(p.reads) == 0 {
			continue
		}
		if p.soonest != 0 && now >= p.soonest || p.table.arena.Load() != p.at.arena || p.table.control.generation.Load() != p.at.generation {
			return false
		}
		for i := range p.reads {
			if p.reads[i].home[BucketVersion].Load() != p.reads[i].version {
				return false
			}
		}
	}
	return true
}

// oneChain says whether the transaction has read nothing but the chain that its one write goes to, and no row with an expiry.
func (p *txPart) oneChain() bool {
	if len(p.reads) == 0 {
		return p.writes[0].op == planPut
	}
	h := hashOf(p.writes[0].Key, p.table.seed)
	return len(p.reads) == 1 && p.soonest == 0 && p.writes[0].op != planTouch && p.reads[0].home == p.at.arena.home(h.high&p.table.mask, h.low)
}

// commitOne does one write whose conditions lie in its own chain.
func (p *txPart) commitOne(tx *Tx) (done bool, err error) {
	t, w := p.table, &p.writes[0]
	if w.op == planRemove {
		if err := t.usable(); err != nil {
			return false, err
		}
		return t.remove(w.Key, func(a *arena, _ place) bool {
			return p.reads[0].stillLocked(a, p.reads[0].home, t.control.generation.Load())
		}, tx)
	}
	put := write{key: w.Key, value: w.Value, expiry: w.expiry, by: tx}
	if len(p.reads) > 0 {
		put.when, put.seen = whenUnchanged, &p.reads[0]
	}
	_, done, err = t.put(&put)
	return done, err
}

// commitMany does all writes with the stripes of all that was read and is written held.
func (tx *Tx) commitMany() (done bool, err error) {
	slices.SortFunc(tx.parts, func(x, y *txPart) int { return cmp.Compare(x.table.ID(), y.table.ID()) })
	for _, p := range tx.parts {
		if err := p.plan(); err != nil {
			return false, err
		}
	}
	defer func() {
		for _, p := range tx.parts {
			p.many.drop()
		}
	}()
	for {
		switch tx.attempt() {
		case attemptStopped:
			return false, nil
		case attemptDone:
			tx.settle()
			return true, nil
		}
		for _, p := range tx.parts {
			if err := p.many.supply(p.missing); err != nil {
				return false, err
			}
		}
	}
}

// plan puts a part's writes in order.
func (p *txPart) plan() error {
	t := p.table
	a := p.at.arena
	if a == nil {
		a = t.arena.Load()
	}
	m := newMany(t, a, len(p.writes))
	p.many, p.stripes = m, p.stripes[:0]
	if len(p.writes) > 0 || p.cleared {
		if err := t.usable(); err != nil {
			return err
		}
	}
	for i := range p.writes {
		w := &p.writes[i]
		h := hashOf(w.Key, t.seed)
		m.entries[i] = planned{Entry: &w.Entry, hash: h, stripe: h.high & t.mask, op: w.op, expiry: w.expiry, wants: p.cleared}
		p.stripes = append(p.stripes, int(h.high&t.mask))
	}
	for i := range p.reads {
		p.stripes = append(p.stripes, p.reads[i].stripe)
	}
	if p.cleared {
		for i := range t.stripes {
			p.stripes = append(p.stripes, i)
		}
	}
	slices.Sort(p.stripes)
	p.stripes = slices.Compact(p.stripes)
	m.sortByChain()
	return nil
}

type attempted uint8

const (
	attemptDone attempted = iota
	attemptStopped
	attemptMissing
)

// attempt does everything if what was read is still so and nothing is missing; else it changes nothing.
func (tx *Tx) attempt() attempted {
	finished := false
	for _, p := range tx.parts {
		for _, i := range p.stripes {
			p.table.stripes[i].mu.Lock()
		}
	}
	defer func() {
		for _, p := range tx.parts {
			if !finished {
				p.table.control.closed.Or(ClosedDamaged)
			}
			for _, i := range p.stripes {
				p.table.stripes[i].mu.Unlock()
			}
		}
	}()
	result := attemptDone
	for _, p := range tx.parts {
		switch {
		case !p.stillLocked():
			finished = true
			return attemptStopped
		case p.missingLocked() != 0:
			result = attemptMissing
		}
	}
	if result == attemptDone && !tx.writeLocked() {
		result = attemptStopped
	}
	finished = true
	return result
}

// stillLocked says whether all that was read in a table is still so, but for what has expired.
func (p *txPart) stillLocked() bool {
	if len(p.reads) == 0 {
		return true
	}
	a, generation := p.table.arena.Load(), p.table.control.generation.Load()
	for i := range p.reads {
		if r := &p.reads[i]; !r.stillLocked(a, r.home, generation) {
			return false
		}
	}
	return true
}

// missingLocked is what the part lacks, as in mergeAttempt.
func (p *txPart) missingLocked() int {
	m := p.many
	switch {
	case p.table.arena.Load() != m.arena:
		p.missing = -1
	case p.cleared:
		p.missing = m.missingAllLocked()
		for i := range m.entries {
			if m.entries[i].got.row == 0 {
				p.missing = -1
			}
		}
	default:
		p.missing = m.missingLocked(p.table.control.generation.Load())
	}
	return p.missing
}

// writeLocked makes the versions of all that is written odd, changes it, and makes them even again. It looks for what has expired in
// between: no reader can have missed a row that the transaction has seen.
func (tx *Tx) writeLocked() bool {
	for _, p := range tx.parts {
		p.table.control.multi.Add(1) // pairs with the load in fs_read, after which it takes the lock
		p.many.beginLocked()
	}
	live, now := true, now()
	for _, p := range tx.parts {
		live = live && (p.soonest == 0 || now < p.soonest)
	}
	for _, p := range tx.parts {
		if live {
			generation := p.table.control.generation.Load()
			if p.cleared {
				generation = p.table.newGenerationLocked()
			}
			p.many.applyLocked(generation)
		}
	}
	for _, p := range tx.parts {
		p.many.endLocked()
		p.table.control.multi.Add(^uint64(0))
	}
	return live
}

// settle frees what was replaced and tells of what has changed.
func (tx *Tx) settle() {
	for _, p := range tx.parts {
		if len(p.many.entries) > 0 {
			p.many.settle()
		}
		if p.cleared {
			p.table.sweepSoon()
		}
	}
	for _, p := range tx.parts {
		if p.cleared {
			p.table.notify(Event{Op: OpClear, By: tx})
		}
		p.many.tell(tx)
	}
}
