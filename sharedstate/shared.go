package sharedstate

import (
	"errors"
	"fmt"
	"sync"
)

// Counters, flags, mutexes and channels are shared objects: each has a number that no other gets in the life of the process, and
// perhaps a name, the same object for all who open it. One lives as long as somebody has it open, a stored value refers to it, or it
// has its name. The registry knows all of them; what a kind does is its own file's.

// The errors of shared objects.
var (
	ErrSharedFull  = errors.New("the memory for shared objects is used up")
	ErrStaleHandle = errors.New("the shared object is gone")
)

// sharedCost is what the registry takes for an object beside its name.
const sharedCost = 192

// Shared is an open shared object: a Word, a Mutex, a Channel.
type Shared interface {
	// ID is the object's number, never used again in this process.
	ID() uint64
	// Kind says which of the kinds it is.
	Kind() SharedKind
	// Close ends one opening. A named object stays as it is until its name is removed.
	Close()

	base() *shared
	// free gives back what the object has, and answers the values that it held. Nobody can reach it any more, and no lock of the
	// registry is held.
	free() []Value
}

// shared is what all kinds have, to be embedded.
type shared struct {
	registry *registry
	self     Shared
	kind     SharedKind
	id       uint64
	name     string
	cost     int64

	// Guarded by the registry's lock.
	opens int
	refs  int // values stored that refer to it
	named bool
}

func (o *shared) ID() uint64       { return o.id }
func (o *shared) Kind() SharedKind { return o.kind }
func (o *shared) base() *shared    { return o }

func (o *shared) Close() { o.registry.change(o, func() { o.opens-- }) }

type sharedName struct {
	kind SharedKind
	name string
}

// registry is one store's. Its lock is a leaf: stripes may be held.
type registry struct {
	locks    *locks // whose memory objects count to
	partings partings
	mu       sync.Mutex
	named    map[sharedName]*shared
	byID     map[uint64]*shared
	last     uint64
}

func newRegistry(l *locks) *registry {
	return &registry{locks: l, named: map[sharedName]*shared{}, byID: map[uint64]*shared{}}
}

// reserve takes bytes of locks_memory for something; false when it is used up.
func (l *locks) reserve(bytes int64) bool {
	if l.memory.Add(bytes) > l.limit.Load() && bytes > 0 {
		l.memory.Add(-bytes)
		return false
	}
	return true
}

// open opens the object of that name, or has one made that takes cost bytes beside its name. Without a name it is always a new one.
// It fails with ErrSharedFull.
func (r *registry) open(kind SharedKind, name string, cost int64, create func() (Shared, error)) (Shared, error) {
	object, err := r.tryOpen(kind, name, cost, create)
	if err != nil && r.parted(shortParting) {
		return r.tryOpen(kind, name, cost, create)
	}
	return object, err
}

func (r *registry) tryOpen(kind SharedKind, name string, cost int64, create func() (Shared, error)) (Shared, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if o := r.named[sharedName{kind, name}]; o != nil && name != "" {
		o.opens++
		return o.self, nil
	}
	cost += sharedCost + int64(len(name))
	if !r.locks.reserve(cost) {
		return nil, fmt.Errorf("%w: a %s of %d bytes, the limit is locks_memory = %d bytes", ErrSharedFull, kind, cost, r.locks.limit.Load())
	}
	object, err := create()
	if err != nil {
		r.locks.memory.Add(-cost)
		return nil, err
	}
	r.last++
	o := object.base()
	*o = shared{registry: r, self: object, kind: kind, id: r.last, cost: cost, opens: 1, named: name != ""}
	o.name = string([]byte(name)) // the caller's bytes may be C's
	r.byID[o.id] = o
	if o.named {
		r.named[sharedName{kind, o.name}] = o
	}
	return object, nil
}

// change changes an object's counts, and lets go of it if nothing keeps it any more.
func (r *registry) change(o *shared, how func()) {
	if r.changed(o, how) {
		r.release(o.self.free()...)
	}
}

func (r *registry) changed(o *shared, how func()) (gone bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	how()
	if o.opens > 0 || o.refs > 0 || o.named {
		return false
	}
	delete(r.byID, o.id)
	r.locks.memory.Add(-o.cost)
	return true
}

// admitValue checks a value that is in no table against the limit of DefaultTable.
func (s *Store) admitValue(of string, v *Value) error {
	limit := DefaultOptions().MaxValue
	if t, err := s.Table(DefaultTable); err == nil {
		limit = t.Options().MaxValue
	}
	if int64(len(v.data)) > limit {
		return fmt.Errorf("%w: %d bytes for %s, the limit of table %q is max_value = %d bytes", ErrValueTooLarge, len(v.data), of, DefaultTable, limit)
	}
	return nil
}

// find is an object by its number, nil when it is gone.
func (r *registry) find(id uint64) *shared {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.byID[id]
}

// Shared is an object by its number, for who has it open; nil when it is gone.
func (s *Store) Shared(id uint64) Shared {
	if o := s.registry.find(id); o != nil {
		return o.self
	}
	return nil
}

// OpenShared opens the object that a handle is of. It fails with ErrStaleHandle when it is gone.
func (s *Store) OpenShared(h Handle) (Shared, error) {
	r := s.registry
	r.mu.Lock()
	defer r.mu.Unlock()
	o := r.byID[h.ID]
	if o == nil || o.kind != h.Kind {
		return nil, fmt.Errorf("%w: %s", ErrStaleHandle, h)
	}
	o.opens++
	return o.self, nil
}

// RemoveShared takes an object's name away, so that who opens it next makes a new one. Who has the object open keeps it.
func (s *Store) RemoveShared(kind SharedKind, name string) bool {
	r := s.registry
	r.mu.Lock()
	o := r.named[sharedName{kind, name}]
	delete(r.named, sharedName{kind, name})
	r.mu.Unlock()
	if o == nil {
		return false
	}
	r.change(o, func() { o.named = false })
	return true
}

// Handle is what a stored value says of a shared object: Store.OpenShared opens that.
type Handle struct {
	Kind SharedKind
	ID   uint64
}

// String gives the kind and the number.
func (h Handle) String() string { return fmt.Sprintf("%s %d", h.Kind, h.ID) }

// MarshalText makes JSON show it as String does.
func (h Handle) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

var sharedKinds = [...]string{SharedCounter: "counter", SharedFlag: "flag", SharedMutex: "mutex", SharedChannel: "channel"}

// String names the kind.
func (k SharedKind) String() string {
	if k != 0 && int(k) < len(sharedKinds) {
		return sharedKinds[k]
	}
	return fmt.Sprintf("shared object of kind %d", uint8(k))
}
