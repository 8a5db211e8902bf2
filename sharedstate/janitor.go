package sharedstate

import (
	"time"
	"weak"
)

// The janitor is a store's one goroutine of its own: it sweeps and relieves each table at the table's interval, moves the
// eviction policies' clock each second, lets go of arenas that no thread reads any more,
// and of what rows that are gone have referred to. It ends with the store.
const (
	janitorTick = time.Second
	// janitorShare is the most of its time that a table's sweeps take: after one of length d comes a pause of at least
	// (janitorShare-1) * d, unless it found a janitorHaste-th of the table expired.
	janitorShare = 5
	janitorHaste = 10
)

func keepHouse(ref weak.Pointer[Store]) {
	nextTick := time.Now().Add(janitorTick)
	for pause := time.Duration(0); ; {
		time.Sleep(pause)
		s := ref.Value()
		if s == nil {
			return
		}
		start := time.Now()
		tick := !start.Before(nextTick)
		if tick {
			nextTick = start.Add(janitorTick)
		}
		pause = time.Until(nextTick)
		for _, t := range s.Tables() {
			if tick {
				t.control.tick.Add(1)
			}
			pause = min(pause, t.keepHouse())
		}
		if tick {
			s.locks.sweep()
			s.registry.parted(parting)
		}
		s.Reclaim()
		pause = max(pause, MinSweep)
	}
}

// keep runs work in the background that has memory in its hands.
func (t *Table) keep(work func()) {
	t.keeping.Lock()
	defer t.keeping.Unlock()
	work()
}

// keepHouse does what is due and answers the time until the next.
func (t *Table) keepHouse() time.Duration {
	if wait := time.Until(t.nextSweep); wait > 0 {
		return wait
	}
	start, expired := time.Now(), 0
	t.keep(func() {
		expired = t.sweep()
		t.relieve()
	})
	took := time.Since(start)
	wait := t.options.Load().Sweep - took
	if expired < t.Len()/(janitorHaste-1) {
		wait = max(wait, (janitorShare-1)*took)
	}
	t.nextSweep = start.Add(took + wait)
	return wait
}
