package sharedstate

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"
	"weak"
)

// Store is a set of named tables and the records of the PHP threads that read them. phpbridge
// has the one that PHP sees.
type Store struct {
	seed       uint64
	threads    *threads
	grave      grave
	graph      waitGraph
	ends       *endings
	leases     leases
	locks      *locks
	registry   *registry
	words      words
	deliveries deliveries
	waits      *waits
	intervals  intervals

	mu            sync.Mutex
	tables        map[string]*Table
	atRun         map[string]bool // tables that Open made
	strict        bool            // Open makes none
	subscriptions []*subscription
	byID          atomic.Pointer[[]*Table] // every table there ever was, by its number
}

// DefaultTable is the table that callers get who name none, and whose settings tables made at run time have.
const DefaultTable = "default"

// MaxOpened is how many tables that Open made there can be.
const MaxOpened = 64

// MaxName is the longest table name in bytes.
const MaxName = 63

// NewStore makes a store without tables. It fails when the system has no memory for the thread records.
func NewStore() (*Store, error) {
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil {
		return nil, fmt.Errorf("seeding the hash: %w", err)
	}
	seed := binary.LittleEndian.Uint64(b[:])
	th, err := newThreads(seed)
	if err != nil {
		return nil, err
	}
	s := &Store{seed: seed, threads: th, graph: newWaitGraph(), ends: newEndings(), waits: newWaits(),
		intervals: intervals{all: map[intervalName]*interval{}, wake: make(chan struct{}, 1)}, tables: map[string]*Table{}, atRun: map[string]bool{}}
	s.leases, s.locks = newLeases(&s.graph), newLocks(&s.graph, s.ends)
	s.registry = newRegistry(s.locks)
	s.words.waits = s.waits
	s.deliveries.of = map[uint64]*Delivery{}
	s.byID.Store(&[]*Table{})
	s.SetThreadCache(DefaultThreadCacheEntries, DefaultThreadCacheBytes)
	go keepHouse(weak.Make(s))
	return s, nil
}

// The defaults of SetThreadCache.
const (
	DefaultThreadCacheEntries = 4096
	DefaultThreadCacheBytes   = 4 << 20
)

// SetThreadCache bounds the cache of decoded values that each PHP thread keeps; 0 entries switch it off.
func (s *Store) SetThreadCache(entries, bytes int64) {
	s.threads.word(ThreadsEntries).Store(uint64(max(entries, 0)))
	s.threads.word(ThreadsBytes).Store(uint64(max(bytes, 0)))
}

// ThreadCache answers what SetThreadCache set.
func (s *Store) ThreadCache() (entries, bytes int64) {
	return int64(s.threads.word(ThreadsEntries).Load()), int64(s.threads.word(ThreadsBytes).Load())
}

// Threads is the address of the thread records; valid as long as the process.
func (s *Store) Threads() uintptr { return uintptr(s.threads.base) }

// ValidateName says what is wrong with a table's name.
func ValidateName(name string) error {
	if len(name) == 0 || len(name) > MaxName {
		return fmt.Errorf("table name %q has %d bytes, not 1 to %d", name, len(name), MaxName)
	}
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '.', c == '-':
		default:
			return fmt.Errorf("table name %q may hold letters, digits, '_', '.' and '-' only", name)
		}
	}
	return nil
}

// Define makes a table. One that is there already is answered as it is: its settings change by Reconfigure and Resize.
func (s *Store) Define(name string, o Options) (*Table, error) {
	if err := ValidateName(name); err != nil {
		return nil, err
	}
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("table %q: %w", name, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.tables[name]; t != nil {
		return t, nil
	}
	return s.defineLocked(name, o)
}

func (s *Store) defineLocked(name string, o Options) (*Table, error) {
	byID := *s.byID.Load()
	t, err := newTable(s, name, uint32(len(byID)), o, runtime.GOMAXPROCS(0))
	if err != nil {
		return nil, fmt.Errorf("table %q: %w", name, err)
	}
	byID = append(slices.Clone(byID), t)
	s.byID.Store(&byID)
	s.tables[name] = t
	for _, l := range s.subscriptions {
		l.add(t)
	}
	return t, nil
}

// SetStrict says whether Open refuses names that no one has defined.
func (s *Store) SetStrict(strict bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.strict = strict
}

// Open answers a table and, unless the store is strict, makes one with the settings of DefaultTable for a name that is not
// known, MaxOpened of them at most. It fails with ErrUnknownTable.
func (s *Store) Open(name string) (*Table, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.tableLocked(name)
	parent := s.tables[DefaultTable]
	switch {
	case err == nil:
		return t, nil
	case s.strict || parent == nil:
		return nil, err
	case len(s.atRun) == MaxOpened:
		return nil, fmt.Errorf("%w %q: it cannot be made, %d tables were made at run time already", ErrUnknownTable, name, MaxOpened)
	}
	if bad := ValidateName(name); bad != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnknownTable, bad)
	}
	if t, err = s.defineLocked(name, parent.Options()); err == nil {
		s.atRun[name] = true
	}
	return t, err
}

// Table answers a table that there is, or fails with ErrUnknownTable.
func (s *Store) Table(name string) (*Table, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tableLocked(name)
}

func (s *Store) tableLocked(name string) (*Table, error) {
	if t := s.tables[name]; t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("%w %q: the tables are %q", ErrUnknownTable, name, slices.Sorted(maps.Keys(s.tables)))
}

// Tables lists the tables by name.
func (s *Store) Tables() []*Table {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.SortedFunc(maps.Values(s.tables), func(x, y *Table) int {
		return strings.Compare(x.name, y.name)
	})
}

// ByID is the table with a number that a control block holds, dropped or not; nil for a number never given.
func (s *Store) ByID(id uint32) *Table {
	if byID := *s.byID.Load(); int(id) < len(byID) {
		return byID[id]
	}
	return nil
}

// EndRequest lets go of what a PHP request held, whose number is never used again: leases, claims, mutexes, locks that end with it, and
// what it has not accepted of channels.
func (s *Store) EndRequest(request uint64) {
	s.leases.endAll(request)
	s.intervals.endAll(request)
	s.ends.end(request)
	s.deliveries.returnAll(request)
	s.Reclaim()
}

// Reclaim unmaps arenas that tables have left, by Resize or Drop, once no PHP thread can read them any more. It costs one
// load when there are none.
func (s *Store) Reclaim() { s.grave.sweep(s.threads) }

// Drop forgets a table: it opens no more, and handles that are open find it empty and refuse to write. Its memory goes back
// once no PHP thread can read it.
func (s *Store) Drop(name string) error {
	s.mu.Lock()
	t := s.tables[name]
	delete(s.tables, name)
	delete(s.atRun, name)
	s.mu.Unlock()
	if t == nil {
		return nil
	}
	return t.drain()
}

// addressOf is a pointer as the number that C keeps.
func addressOf[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }
