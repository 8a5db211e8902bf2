package sharedstate

import (
	"fmt"
	"math"
)

// Increment adds by, an int or a float, to a key's number in one step and answers the result. A key that is absent counts
// as 0 and is made without expiry; a live one keeps its expiry. Int and int give an int, and ErrOverflow where that has no
// room; a float on either side gives a float, and ErrOverflow where finite numbers give none. A string that is an int's
// canonical decimal text counts as that int. Anything else is ErrNotNumber. On an error the old value stands.
func (t *Table) Increment(key string, by Value) (Value, error) {
	v, _, err := t.Add(key, by)
	return v, err
}

// Decrement is Increment with the sign of by turned; by = math.MinInt64 is not negated but subtracted.
func (t *Table) Decrement(key string, by Value) (Value, error) {
	v, _, err := t.add(key, by, true)
	return v, err
}

// Add is Increment with a receipt.
func (t *Table) Add(key string, by Value) (Value, Receipt, error) { return t.add(key, by, false) }

// Subtract is Decrement with a receipt.
func (t *Table) Subtract(key string, by Value) (Value, Receipt, error) { return t.add(key, by, true) }

func (t *Table) add(key string, by Value, subtract bool) (Value, Receipt, error) {
	if !by.isNumber() {
		return Value{}, Receipt{}, fmt.Errorf("%w: the step for key %s is neither an int nor a float", ErrNotNumber, quoteKey(key))
	}
	if err := t.admit(key, &by); err != nil {
		return Value{}, Receipt{}, err
	}
	h := hashOf(key, t.seed)
	s := t.stripeOf(h)
	var got reserve
	for {
		sum, done, missing, err := t.addAttempt(s, h, key, by, subtract, &got)
		if err != nil {
			t.drop(&got)
			return Value{}, Receipt{}, err
		}
		if missing == needNothing {
			t.settle(s, &got, done)
			t.notify(Event{OpSet, key})
			return sum, done.receipt, nil
		}
		if !t.supply(&got, missing, key, &by, 0) {
			t.drop(&got)
			return Value{}, Receipt{}, t.full(key, len(key))
		}
	}
}

func (t *Table) addAttempt(s *stripe, h hash, key string, by Value, subtract bool, got *reserve) (sum Value, done written, missing need, err error) {
	finished := false
	s.mu.Lock()
	defer t.unlock(s, &finished)
	a := t.arena.Load()
	generation := t.control.generation.Load()
	s.syncLocked(generation)
	home := a.home(h.high&t.mask, h.low)
	p := a.findLocked(home, h, key, generation)

	old, expiry := Int(0), uint64(0)
	if p.live {
		r := a.row(p.units)
		expiry = r.expiry.Load()
		if old, err = t.numberLocked(a, p.units, key); err != nil {
			finished = true
			return Value{}, written{}, needNothing, err
		}
	}
	if sum, err = addNumbers(old, by, subtract); err != nil {
		finished = true
		return Value{}, written{}, needNothing, fmt.Errorf("%w for key %s", err, quoteKey(key))
	}

	if p.live && a.row(p.units).kind == sum.kind {
		// The clock is read again inside the bracket: no reader can have taken the row for expired before this change.
		s.beginLocked(home)
		r := a.row(p.units)
		live := !r.dead(generation)
		if live {
			r.number.Store(sum.number) // pairs with the load in fs_read
		}
		s.endLocked(home)
		if live {
			s.writes++
			finished = true
			return sum, written{receipt: receiptLocked(home, generation)}, needNothing, nil
		}
		p.live, expiry = false, 0
		if sum, err = addNumbers(Int(0), by, subtract); err != nil {
			finished = true
			return Value{}, written{}, needNothing, fmt.Errorf("%w for key %s", err, quoteKey(key))
		}
	}

	if got.arena != a {
		t.drop(got)
	}
	if got.row == 0 {
		finished = true
		return Value{}, written{}, needRow, nil
	}
	if p, missing = t.slotLocked(a, home, p, generation, got); missing != needNothing {
		finished = true
		return Value{}, written{}, missing, nil
	}
	r := a.row(got.row) // built as an int or float for this key; now it gets its number
	r.kind, r.flags = sum.kind, 0
	r.number.Store(sum.number)
	r.expiry.Store(expiry)
	done = t.publishLocked(s, a, home, p, h, got, generation)
	finished = true
	return sum, done, needNothing, nil
}

// numberLocked is a live row's value as a number.
func (t *Table) numberLocked(a *arena, units uint64, key string) (Value, error) {
	r := a.row(units)
	switch r.kind {
	case KindInt, KindFloat:
		return Value{kind: r.kind, number: r.number.Load()}, nil
	case KindString, KindText:
		if r.valueLen <= 20 {
			var buf [20]byte
			if n, ok := canonicalInt(string(a.appendBytes(buf[:0], units, int(r.keyLen), int(r.keyLen+r.valueLen)))); ok {
				return Int(n), nil
			}
		}
	}
	return Value{}, fmt.Errorf("%w: key %s holds %s", ErrNotNumber, quoteKey(key), r.kind)
}

// addNumbers adds or subtracts as PHP would, but refuses to leave the range.
func addNumbers(old, by Value, subtract bool) (Value, error) {
	if old.kind == KindInt && by.kind == KindInt {
		x, y := int64(old.number), int64(by.number)
		sum, over := x+y, (x >= 0) == (y >= 0) && (x+y >= 0) != (x >= 0)
		op := "+"
		if subtract {
			sum, over, op = x-y, (x >= 0) != (y >= 0) && (x-y >= 0) != (x >= 0), "-"
		}
		if over {
			return Value{}, fmt.Errorf("%w: %d %s %d is no 64-bit int", ErrOverflow, x, op, y)
		}
		return Int(sum), nil
	}
	x, y := old.asFloat(), by.asFloat()
	if subtract {
		y = -y
	}
	sum := x + y
	if math.IsInf(sum, 0) && !math.IsInf(x, 0) && !math.IsInf(y, 0) {
		return Value{}, fmt.Errorf("%w: %g + %g is no float", ErrOverflow, x, y)
	}
	return Float(sum), nil
}

func (v *Value) asFloat() float64 {
	if v.kind == KindInt {
		return float64(int64(v.number))
	}
	return math.Float64frombits(v.number)
}
