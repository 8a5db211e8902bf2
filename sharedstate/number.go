package sharedstate

import (
	"fmt"
	"math"
	"time"
)

// Increment adds by, an int or a float, to a key's number in one step and answers the result. A key that is absent counts
// as 0 and is made, with the ttl given (Forever for none); a live one keeps its expiry. Int and int give an int, and
// ErrOverflow where that has no room; a float on either side gives a float, and ErrOverflow where finite numbers give none. A
// string that is an int's canonical decimal text counts as that int. Anything else is ErrNotNumber. On an error the old value
// stands. A ttl of 0 or less makes a number that has expired already: none is made.
func (t *Table) Increment(key string, by Value, ttl time.Duration) (Value, error) {
	v, _, err := t.IncrementWithReceipt(key, by, false, ttl)
	return v, err
}

// Decrement is Increment with the sign of by turned; by = math.MinInt64 is not negated but subtracted.
func (t *Table) Decrement(key string, by Value, ttl time.Duration) (Value, error) {
	v, _, err := t.IncrementWithReceipt(key, by, true, ttl)
	return v, err
}

// addition is an Increment or Decrement on its way.
type addition struct {
	key      string
	by       Value
	subtract bool
	ttl      time.Duration // of a number that it makes
}

// IncrementWithReceipt is Increment, or with subtract Decrement, with a receipt.
func (t *Table) IncrementWithReceipt(key string, by Value, subtract bool, ttl time.Duration) (Value, Receipt, error) {
	if !by.isNumber() {
		return Value{}, Receipt{}, fmt.Errorf("%w: the step for key %s is neither an int nor a float", ErrNotNumber, quoteKey(key))
	}
	if err := t.admit(key, &by); err != nil {
		return Value{}, Receipt{}, err
	}
	h := hashOf(key, t.seed)
	s := t.stripeOf(h)
	w := &addition{key, by, subtract, ttl}
	var got reserve
	for {
		sum, done, missing, err := t.addAttempt(s, h, w, &got)
		if err != nil {
			t.drop(&got)
			return Value{}, Receipt{}, err
		}
		if missing == needNothing {
			t.settle(s, &got, done)
			t.tellLapsed(done.lapsed)
			if done.receipt.Home != 0 {
				t.notify(Event{Op: OpSet, Key: key})
			}
			return sum, done.receipt, nil
		}
		if !t.supply(&got, missing, h, key, &by, 0) {
			t.drop(&got)
			return Value{}, Receipt{}, t.full(key, len(key))
		}
	}
}

func (t *Table) addAttempt(s *stripe, h hash, w *addition, got *reserve) (sum Value, done written, missing need, err error) {
	finished := false
	fault("lock")
	s.mu.Lock()
	defer t.unlock(s, &finished)
	a := t.arena.Load()
	generation := t.control.generation.Load()
	s.syncLocked(generation)
	home := a.home(h.high&t.mask, h.low)
	p := a.findLocked(home, h, w.key, generation)

	expiry := uint64(0)
	if p.live {
		expiry = a.row(p.units).expiry.Load()
	}
	if sum, err = t.sumLocked(a, p, w); err != nil {
		finished = true
		return Value{}, written{}, needNothing, err
	}
	if p.live && a.row(p.units).kind == sum.kind {
		if t.setNumberLocked(s, a, home, p, sum.number, generation) {
			finished = true
			return sum, written{receipt: receiptLocked(home, generation, expiry)}, needNothing, nil
		}
		p.live = false
		if sum, err = t.sumLocked(a, p, w); err != nil {
			finished = true
			return Value{}, written{}, needNothing, err
		}
	}
	if !p.live {
		if w.ttl <= 0 {
			finished = true
			return sum, written{}, needNothing, nil
		}
		expiry = expiryAfter(w.ttl)
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

// sumLocked is what an addition comes to on what there is.
func (t *Table) sumLocked(a *arena, p place, w *addition) (Value, error) {
	old := Int(0)
	if p.live {
		var err error
		if old, err = t.numberLocked(a, p.units, w.key); err != nil {
			return Value{}, err
		}
	}
	sum, err := addNumbers(old, w.by, w.subtract)
	if err != nil {
		return Value{}, fmt.Errorf("%w for key %s", err, quoteKey(w.key))
	}
	return sum, nil
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
