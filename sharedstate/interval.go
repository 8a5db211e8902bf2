package sharedstate

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// An interval is a key whose value is computed anew from time to time. The store keeps the clock and sees to it that one
// refresher at a time is at work: whoever refreshes claims the interval, computes, and commits. A claim ends with its request,
// or goes stale; a refresher that has lost its claim writes nothing.

// The limits on intervals.
const (
	MinInterval  = 10 * time.Millisecond
	MaxIntervals = 4096 // of one store
	// StaleClaim is the least time after which a claim counts no more; twice the interval if that is longer.
	StaleClaim = 5 * time.Minute
	// nudgeEvery is how often readers are told again that an interval is due which nobody has refreshed.
	nudgeEvery = time.Second
	// retryAfter is how long after a failed refresh the next one comes.
	retryAfter = time.Second
)

// ErrClaimLost says that a refresh took so long that another one has taken its place.
var ErrClaimLost = errors.New("the claim on the interval was lost")

type intervalName struct {
	table *Table
	key   string
}

type interval struct {
	callable  string // "" for one that only threads know that have registered it
	by        Refreshers
	every     time.Duration
	refreshed uint64 // when a value was last committed, 0 for never
	claim     uint64 // 0 for none
	claimed   uint64 // when
	owner     uint64
	retry     uint64 // a refresh has failed: the next one comes no sooner
	told      uint64 // when readers were last told that it is due
}

// intervals are those of one store.
type intervals struct {
	mu     sync.Mutex
	all    map[intervalName]*interval
	claims uint64            // the last one's number
	open   atomic.Int64      // claims that may be in force, so that a look costs one load
	ended  atomic.Uint64     // claims that their owners have ended, with a value or without
	worker *IntervalWorker   // nil when there is none
	coming []*IntervalWorker // those whose threads may have begun to run, see AddIntervalWorker
	wake   chan struct{}     // has the clock look again
	once   sync.Once
}

// Claim is the right and duty to compute an interval's value.
type Claim struct {
	Table    *Table
	Key      string
	Callable string // the name that it was registered with, or ""
	Number   uint64
}

// Register makes a key an interval, or changes one: its cadence, and a refresh in progress, go on. It computes nothing. It fails
// with ErrTableFull when there are MaxIntervals.
func (t *Table) Register(key, callable string, by Refreshers, every time.Duration) error {
	if every < MinInterval {
		return fmt.Errorf("%w: the interval of key %s is %s, the least is %s", ErrInvalidValue, quoteKey(key), every, MinInterval)
	}
	if err := t.admit(key, &Value{}); err != nil {
		return err
	}
	iv := &t.store.intervals
	iv.mu.Lock()
	defer iv.mu.Unlock()
	n := intervalName{t, key}
	i := iv.all[n]
	if i == nil {
		if len(iv.all) == MaxIntervals {
			return fmt.Errorf("%w: key %s would be interval %d, the limit is %d", ErrTableFull, quoteKey(key), len(iv.all)+1, MaxIntervals)
		}
		i = &interval{}
		iv.all[intervalName{t, string([]byte(key))}] = i
		t.control.intervals.Add(1)
	}
	i.callable, i.by, i.every = string([]byte(callable)), by, every
	t.nudge(key) // threads that know of its absence ask again
	iv.once.Do(func() { go keepIntervals(t.store) })
	iv.kick()
	return nil
}

// IntervalWorker is what refreshes intervals that are due. Without one PHP threads do it when they read.
type IntervalWorker struct {
	// Run has a thread of the worker refresh what ClaimAny gives it, and returns when that is nothing more.
	Run func()
	// Script is the file that its threads run, absolute.
	Script string
	// Threads is how many may run at once, at least 1.
	Threads int
}

// AddIntervalWorker says that a worker's threads may start: what they register is theirs, though they are not woken yet. Until
// RemoveIntervalWorker.
func (s *Store) AddIntervalWorker(w *IntervalWorker) {
	iv := &s.intervals
	iv.mu.Lock()
	defer iv.mu.Unlock()
	iv.coming = append(iv.coming, w)
}

// RemoveIntervalWorker says that a worker's threads are gone, or never came. If it was at work, its work ends.
func (s *Store) RemoveIntervalWorker(w *IntervalWorker) {
	iv := &s.intervals
	iv.mu.Lock()
	defer iv.mu.Unlock()
	iv.coming = slices.DeleteFunc(iv.coming, func(x *IntervalWorker) bool { return x == w })
	if iv.worker == w {
		iv.worker = nil
		iv.kick()
	}
}

// RunsIntervals says whether a script is a worker's, and whether there is a worker at all.
func (s *Store) RunsIntervals(script string) (itself, any bool) {
	iv := &s.intervals
	iv.mu.Lock()
	defer iv.mu.Unlock()
	return slices.ContainsFunc(iv.coming, func(w *IntervalWorker) bool { return w.Script == script }), len(iv.coming) > 0
}

// SetIntervalWorker puts a worker to work in the place of another.
func (s *Store) SetIntervalWorker(w *IntervalWorker) {
	iv := &s.intervals
	iv.mu.Lock()
	defer iv.mu.Unlock()
	iv.worker = w
	iv.kick()
}

func (iv *intervals) kick() {
	select {
	case iv.wake <- struct{}{}:
	default: // it will look anyway
	}
}

// wait is the time until an interval is due, 0 or less when it is.
func (i *interval) wait(now uint64) time.Duration {
	wait := time.Duration(i.retry - now)
	if i.refreshed != 0 {
		wait = max(wait, i.every-time.Duration(now-i.refreshed))
	}
	return wait
}

// claimable says whether no refresher is at work.
func (i *interval) claimable(now uint64) bool {
	return i.claim == 0 || time.Duration(now-i.claimed) > max(StaleClaim, 2*i.every)
}

func (iv *intervals) claimLocked(n intervalName, i *interval, owner, now uint64) Claim {
	iv.claims++
	if i.claim == 0 {
		iv.open.Add(1)
	}
	i.claim, i.claimed, i.owner = iv.claims, now, owner
	return Claim{n.table, n.key, i.callable, iv.claims}
}

// ClaimAny claims an interval that is due, the one that has been so for longest, of those that a thread of the intervals worker
// can refresh; false when there is none.
func (s *Store) ClaimAny(owner uint64) (Claim, bool) {
	iv := &s.intervals
	iv.mu.Lock()
	defer iv.mu.Unlock()
	now := now()
	var first intervalName
	var found *interval
	for n, i := range iv.all {
		if i.by != OwnThread && i.wait(now) <= 0 && i.claimable(now) && (found == nil || i.wait(now) < found.wait(now)) {
			first, found = n, i
		}
	}
	if found == nil {
		return Claim{}, false
	}
	return iv.claimLocked(first, found, owner, now), true
}

// Interval is what a reader learns of an interval.
type Interval struct {
	Exists bool
	Due    bool // and readers are to refresh it, for nobody does
	Named  bool // every thread can refresh it
}

// Interval says what there is to know of a key as an interval.
func (t *Table) Interval(key string) Interval {
	iv := &t.store.intervals
	iv.mu.Lock()
	defer iv.mu.Unlock()
	i := iv.all[intervalName{t, key}]
	if i == nil {
		return Interval{}
	}
	now := now()
	others := iv.worker != nil && i.by != OwnThread
	return Interval{Exists: true, Due: !others && i.wait(now) <= 0 && i.claimable(now), Named: i.by == AnyThread}
}

// Claim claims one interval for a reader: when it is due or, with early, before; false when it is not, or somebody is at work.
func (t *Table) Claim(key string, owner uint64, early bool) (Claim, bool) {
	iv := &t.store.intervals
	iv.mu.Lock()
	defer iv.mu.Unlock()
	i := iv.all[intervalName{t, key}]
	now := now()
	if i == nil || !i.claimable(now) || !early && i.wait(now) > 0 {
		return Claim{}, false
	}
	return iv.claimLocked(intervalName{t, key}, i, owner, now), true
}

// Commit stores the value that was computed under a claim. It fails with ErrClaimLost, or as Set does, and then the interval
// stays due.
func (t *Table) Commit(key string, claim uint64, v Value) error {
	iv := &t.store.intervals
	if !iv.own(t, key, claim) {
		return fmt.Errorf("%w: key %s", ErrClaimLost, quoteKey(key))
	}
	if err := t.Set(key, v); err != nil {
		iv.end(t, key, claim, false)
		return err
	}
	iv.end(t, key, claim, true)
	return nil
}

// GiveUp ends a claim without a value.
func (t *Table) GiveUp(key string, claim uint64) { t.store.intervals.end(t, key, claim, false) }

func (iv *intervals) own(t *Table, key string, claim uint64) bool {
	iv.mu.Lock()
	defer iv.mu.Unlock()
	i := iv.all[intervalName{t, key}]
	return i != nil && i.claim == claim
}

// end ends a claim; the cadence counts from a value's commit.
func (iv *intervals) end(t *Table, key string, claim uint64, committed bool) {
	iv.mu.Lock()
	defer iv.mu.Unlock()
	i := iv.all[intervalName{t, key}]
	if i == nil || i.claim != claim {
		return
	}
	iv.letGoLocked(i)
	iv.ended.Add(1)
	if i.told = 0; committed {
		i.refreshed, i.retry = now(), 0
	} else {
		i.retry = now() + uint64(retryAfter)
	}
	iv.kick()
}

func (iv *intervals) letGoLocked(i *interval) {
	i.claim = 0
	iv.open.Add(-1)
}

// endAll ends the claims of a request that has ended.
func (iv *intervals) endAll(owner uint64) {
	if iv.open.Load() == 0 {
		return
	}
	iv.mu.Lock()
	defer iv.mu.Unlock()
	for _, i := range iv.all {
		if i.claim != 0 && i.owner == owner {
			iv.letGoLocked(i)
			iv.kick()
		}
	}
}

// forget drops the intervals of a table.
func (iv *intervals) forget(t *Table) {
	iv.mu.Lock()
	defer iv.mu.Unlock()
	maps.DeleteFunc(iv.all, func(n intervalName, i *interval) bool {
		if n.table == t && i.claim != 0 {
			iv.letGoLocked(i)
		}
		return n.table == t
	})
	t.control.intervals.Store(0)
}

// keepIntervals is the intervals' clock; it runs as long as the process, from the first Register on.
func keepIntervals(s *Store) {
	iv := &s.intervals
	var busy atomic.Int64 // runs of a worker
	for {
		l := iv.look()
		for _, n := range l.tell {
			n.table.nudge(n.key)
		}
		for ; l.due > 0 && busy.Load() < int64(l.worker.Threads); l.due-- {
			busy.Add(1)
			go func() {
				before := iv.ended.Load()
				l.worker.Run()
				if iv.ended.Load() == before && iv.look().due > 0 { // the worker has failed, or is not there
					time.Sleep(nudgeEvery)
				}
				busy.Add(-1)
				iv.kick()
			}()
		}
		timer := time.NewTimer(max(l.pause, MinInterval))
		select {
		case <-timer.C:
		case <-iv.wake:
			timer.Stop()
		}
	}
}

// looked is what the clock finds.
type looked struct {
	pause  time.Duration // in which nothing will be due
	due    int           // intervals for the worker
	worker *IntervalWorker
	tell   []intervalName // intervals that readers are to be told of
}

func (iv *intervals) look() looked {
	iv.mu.Lock()
	defer iv.mu.Unlock()
	l := looked{pause: time.Hour, worker: iv.worker}
	now := now()
	for n, i := range iv.all {
		wait := i.wait(now)
		if wait > 0 {
			l.pause = min(l.pause, wait)
			continue
		}
		l.pause = min(l.pause, nudgeEvery)
		switch {
		case !i.claimable(now):
		case iv.worker != nil && i.by != OwnThread:
			l.due++
		case i.told == 0 || time.Duration(now-i.told) >= nudgeEvery:
			i.told = now
			l.tell = append(l.tell, n)
		}
	}
	return l
}

// nudge makes every thread read a key again, whose value has not changed: no stripe's version does.
func (t *Table) nudge(key string) {
	h := hashOf(key, t.seed)
	s := t.stripeOf(h)
	finished := false
	s.mu.Lock()
	defer t.unlock(s, &finished)
	home := t.arena.Load().home(h.high&t.mask, h.low)
	openLocked(&home[BucketVersion])
	closeLocked(&home[BucketVersion])
	finished = true
}

// Intervals lists the keys of a table that are intervals, sorted.
func (t *Table) Intervals() []string {
	iv := &t.store.intervals
	iv.mu.Lock()
	defer iv.mu.Unlock()
	var keys []string
	for n := range iv.all {
		if n.table == t {
			keys = append(keys, n.key)
		}
	}
	return slices.Sorted(slices.Values(keys))
}
