package sharedstate

import "time"

// Add stores a value if the key is absent, and says whether it did. Of several at once exactly one does. With a ttl of 0 or
// less the value would have expired already: it stores nothing, and answers whether the key was absent.
func (t *Table) Add(key string, v Value, ttl time.Duration) (bool, error) {
	_, added, err := t.AddWithReceipt(key, v, ttl)
	return added, err
}

// AddWithReceipt is Add with a receipt, when it stored the value.
func (t *Table) AddWithReceipt(key string, v Value, ttl time.Duration) (Receipt, bool, error) {
	if err := t.admit(key, &v); err != nil {
		return Receipt{}, false, err
	}
	if ttl <= 0 {
		return Receipt{}, !t.Has(key), nil
	}
	return t.put(&write{key: key, value: v, expiry: expiryAfter(ttl), when: whenAbsent})
}

// CompareAndSet stores a value over another one that is identical to old: of the same kind and with the same bytes, so that
// NaN equals itself and -0.0 is not 0.0. It keeps the key's expiry. Nothing is identical to an absent key.
func (t *Table) CompareAndSet(key string, old, v Value) (bool, error) {
	_, done, err := t.CompareAndSetWithReceipt(key, old, v)
	return done, err
}

// CompareAndSetWithReceipt is CompareAndSet with a receipt.
func (t *Table) CompareAndSetWithReceipt(key string, old, v Value) (Receipt, bool, error) {
	if err := t.admit(key, &v); err != nil {
		return Receipt{}, false, err
	}
	return t.put(&write{key: key, value: v, keep: true, when: whenSame, old: old})
}

// DeleteIfSame removes a key whose value is identical to old, and says whether it did.
func (t *Table) DeleteIfSame(key string, old Value) (bool, error) {
	if err := t.usable(); err != nil {
		return false, err
	}
	return t.remove(key, func(a *arena, p place) bool { return p.live && a.valueIs(p.units, &old) }, nil)
}

// Update replaces a key's value by what f makes of it, in one step: f runs with no lock held, on a value that is still the key's
// when its own takes its place, and is called again when another writer came between. ok is false for an absent key, which
// Update then makes, without expiry; a live one keeps its expiry. An error of f ends it and nothing changes.
func (t *Table) Update(key string, f func(old Value, ok bool) (Value, error)) (Value, error) {
	for {
		old, ok := t.Get(key)
		v, err := f(old, ok)
		if err != nil {
			return Value{}, err
		}
		var done bool
		if ok {
			done, err = t.CompareAndSet(key, old, v)
		} else {
			done, err = t.Add(key, v, Forever)
		}
		if done || err != nil {
			return v, err
		}
	}
}

// Pull removes a key and answers the value it had, in one step; false when it was absent.
func (t *Table) Pull(key string) (Value, bool, error) {
	var dst []byte
	for {
		f, status, err := t.PullInto(key, dst)
		switch {
		case err != nil || status == StatusAbsent:
			return Value{}, false, err
		case status == StatusOK:
			return Value{kind: f.Kind, flags: f.Flags, number: f.Number, data: stringOf(dst[:f.Len])}, true, nil
		}
		dst = make([]byte, f.Len)
	}
}

// PullInto is Pull that copies the value's bytes to dst. It answers StatusOK, StatusAbsent, or StatusGrow when dst is shorter
// than Found.Len, and then removes nothing.
func (t *Table) PullInto(key string, dst []byte) (f Found, status Status, err error) {
	if err := t.usable(); err != nil {
		return Found{}, StatusAbsent, err
	}
	status = StatusAbsent
	_, err = t.remove(key, func(a *arena, p place) bool {
		if p.live {
			f, status = a.copyLocked(p.units, dst)
		}
		return status == StatusOK
	}, nil)
	return f, status, err
}

// valueIs compares a row's value, whose stripe is held.
func (a *arena) valueIs(units uint64, v *Value) bool {
	r := a.row(units)
	if r.kind != v.kind {
		return false
	}
	if v.isNumber() {
		return r.number.Load() == v.number
	}
	return int(r.valueLen) == len(v.data) && a.bytesAre(units, int(r.keyLen), v.data)
}

// bytesAre compares the row's bytes from index pos on.
func (a *arena) bytesAre(units uint64, pos int, data string) bool {
	part, next := a.inlineBytes(units), uint64(a.row(units).chunk)
	for data != "" {
		if pos < len(part) {
			n := min(len(part)-pos, len(data))
			if string(part[pos:pos+n]) != data[:n] {
				return false
			}
			data = data[n:]
			pos = len(part)
		}
		pos -= len(part)
		if data != "" {
			part, next = a.chunkBytes(next), uint64(a.chunk(next).next)
		}
	}
	return true
}
