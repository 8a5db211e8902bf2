package sharedstate

// Found is a row's value as it stands in the store, without its bytes.
type Found struct {
	Kind   Kind
	Flags  uint8
	Number uint64
	Len    int    // of its bytes
	Expiry uint64 // monotonic nanoseconds, 0 for none
}

// Get answers a key's value, and false when there is none.
func (t *Table) Get(key string) (Value, bool) {
	var dst []byte
	for {
		f, status := t.ReadInto(key, dst)
		switch status {
		case StatusOK:
			return Value{kind: f.Kind, flags: f.Flags, number: f.Number, data: stringOf(dst[:f.Len])}, true
		case StatusGrow:
			dst = make([]byte, f.Len)
		default:
			return Value{}, false
		}
	}
}

// ReadInto copies a value's bytes to dst under the key's stripe. It answers StatusOK, StatusAbsent, or StatusGrow when dst
// is shorter than Found.Len.
func (t *Table) ReadInto(key string, dst []byte) (Found, Status) {
	f, status := Found{}, StatusAbsent
	t.look(key, func(a *arena, p place) {
		t.noteUse(p.slot)
		f, status = a.copyLocked(p.units, dst)
	})
	return f, status
}

// Peek answers what ReadInto does, without the value's bytes and with StatusOK or StatusAbsent alone. It is no use of the key for the
// eviction policies.
func (t *Table) Peek(key string) (Found, Status) {
	f, status := Found{}, StatusAbsent
	t.look(key, func(a *arena, p place) {
		f, _ = a.copyLocked(p.units, nil)
		status = StatusOK
	})
	return f, status
}

// look runs f with the key's stripe held, if the key is there.
func (t *Table) look(key string, f func(a *arena, p place)) {
	h := hashOf(key, t.seed)
	s := t.stripeOf(h)
	finished := false
	s.mu.Lock()
	defer t.unlock(s, &finished)
	a := t.arena.Load()
	p := a.findLocked(a.home(h.high&t.mask, h.low), h, key, t.control.generation.Load())
	finished = true
	if p.live {
		f(a, p)
	}
}

// foundLocked is what a row says without its bytes.
func (r *row) foundLocked() Found {
	f := Found{Kind: r.kind, Flags: r.flags, Expiry: r.expiry.Load(), Len: int(r.valueLen)}
	if r.kind == KindInt || r.kind == KindFloat {
		f.Number = r.number.Load()
	}
	return f
}

// copyLocked copies a row's value to dst, or answers StatusGrow.
func (a *arena) copyLocked(units uint64, dst []byte) (Found, Status) {
	r := a.row(units)
	f := r.foundLocked()
	if f.Len > len(dst) {
		return f, StatusGrow
	}
	a.appendBytes(dst[:0], units, int(r.keyLen), int(r.keyLen+r.valueLen))
	return f, StatusOK
}

// Has says whether a key is there, whatever its value.
func (t *Table) Has(key string) bool {
	_, status := t.ReadInto(key, nil)
	return status != StatusAbsent
}

// Len counts the keys at one moment. Where rows may have expired since the last sweep it sweeps.
func (t *Table) Len() int {
	t.sweep()
	for range 2 {
		if n, ok := t.tryLen(); ok {
			return n
		}
	}
	t.lockAll()
	defer t.unlockAll()
	n := 0
	generation := t.control.generation.Load()
	for i := range t.stripes {
		t.stripes[i].syncLocked(generation)
		n += int(t.stripes[i].rows)
	}
	return n
}

// tryLen adds the stripes up one at a time; true when none changed meanwhile, so that the sum was right at one moment.
func (t *Table) tryLen() (int, bool) {
	before := t.Version()
	generation := t.control.generation.Load()
	n := 0
	for i := range t.stripes {
		n += int(t.countsOf(&t.stripes[i]).rows)
	}
	return n, t.Version() == before && t.control.generation.Load() == generation
}
