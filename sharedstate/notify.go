package sharedstate

import (
	"slices"
	"sync"
	"sync/atomic"
)

// Op is a kind of change.
type Op uint8

// The changes that an Event tells of. OpClear has no key: every key is gone, or was replaced. OpExpire comes when an expired row
// is taken out, some time after it expired. OpTouch is a change of the expiry alone.
const (
	OpSet Op = iota + 1
	OpDelete
	OpClear
	OpExpire
	OpEvict
	OpTouch
)

// Event says that a key changed. Its order among other events is not that of the changes: who needs the value reads it.
type Event struct {
	Op  Op
	Key string // valid only during the call
	By  *Tx    // the transaction that made the change; nil for another way
}

type listener struct{ call func(Event) }

type listeners struct {
	mu    sync.Mutex
	list  atomic.Pointer[[]*listener]
	count *atomic.Uint64 // of the list, in the control block: C looks there after a write of its own
}

// Subscribe has f called after every change of the table, on the goroutine or PHP thread that made it, with no lock held.
// f must be quick and must not keep the event's key. The returned function ends it.
func (t *Table) Subscribe(f func(Event)) (cancel func()) {
	l := &listener{f}
	t.listeners.edit(func(list []*listener) []*listener { return append(list, l) })
	return func() {
		t.listeners.edit(func(list []*listener) []*listener {
			return slices.DeleteFunc(list, func(x *listener) bool { return x == l })
		})
	}
}

// subscription is a listener to all tables of a store.
type subscription struct {
	call    func(*Table, Event)
	cancels []func() // of the tables; guarded by the store's mu
}

func (l *subscription) add(t *Table) {
	l.cancels = append(l.cancels, t.Subscribe(func(e Event) { l.call(t, e) }))
}

// Subscribe has f called after every change of every table there is or will be, as [Table.Subscribe] does.
func (s *Store) Subscribe(f func(*Table, Event)) (cancel func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := &subscription{call: f}
	for _, t := range s.tables {
		l.add(t)
	}
	s.subscriptions = append(s.subscriptions, l)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.subscriptions = slices.DeleteFunc(s.subscriptions, func(x *subscription) bool { return x == l })
		for _, cancel := range l.cancels {
			cancel()
		}
	}
}

func (ls *listeners) edit(change func([]*listener) []*listener) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	var list []*listener
	if old := ls.list.Load(); old != nil {
		list = slices.Clone(*old)
	}
	list = change(list)
	ls.list.Store(&list)
	ls.count.Store(uint64(len(list)))
}

// listened says whether an event would have a listener.
func (t *Table) listened() bool {
	list := t.listeners.list.Load()
	return list != nil && len(*list) > 0
}

// notify is the one point that every change passes, after its lock.
func (t *Table) notify(e Event) {
	if list := t.listeners.list.Load(); list != nil {
		for _, l := range *list {
			l.call(e)
		}
	}
}

// Changed tells of a change that C has made.
func (t *Table) Changed(key string) { t.notify(Event{Op: OpSet, Key: key}) }

// WakeStripe has one of those look again who sleep until a stripe is free, after C has freed it.
func (t *Table) WakeStripe(i uint64) { t.stripes[i&t.mask].mu.Wake() }
