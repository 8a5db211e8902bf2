package sharedstate

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// Key is a key of a PHP array: an int or a string. The zero Key is the int 0. Keys may be compared with ==.
type Key struct {
	named  bool
	number int64
	name   string
}

// IntKey returns an int key.
func IntKey(n int64) Key { return Key{number: n} }

// StringKey returns the key that PHP makes of s: an int for a canonical decimal string ("12", "-3"; not "012" or
// "-0"), else the string.
func StringKey(s string) Key {
	if n, ok := canonicalInt(s); ok {
		return IntKey(n)
	}
	return Key{named: true, name: s}
}

// Int gives an int key, and false if the key is a string.
func (k Key) Int() (int64, bool) { return k.number, !k.named }

// String gives the key as a string; StringKey turns it back.
func (k Key) String() string {
	if k.named {
		return k.name
	}
	return strconv.FormatInt(k.number, 10)
}

// compare orders ints before strings.
func (k Key) compare(l Key) int {
	if k.named != l.named {
		if l.named {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(k.number, l.number), strings.Compare(k.name, l.name))
}

// canonicalInt tells whether PHP takes s for an int when it is an array key.
func canonicalInt(s string) (int64, bool) {
	if s == "" || len(s) > len("-9223372036854775808") || s[0] > '9' {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && strconv.FormatInt(n, 10) == s
}

// Pair is one element of a PHP array.
type Pair struct {
	Key   Key
	Value Value
}

// List returns a PHP list. It refuses objects, which PHP alone can put into an array, and nesting beyond MaxDepth.
func List(values ...Value) (Value, error) {
	e := newEncoder(true, len(values))
	for _, v := range values {
		if err := e.element(v, 1); err != nil {
			return Value{}, err
		}
	}
	return e.array(), nil
}

// Map returns a PHP array with these elements in this order. A key that comes again replaces the value at its first
// place, as in a PHP array. It refuses what List refuses.
func Map(pairs ...Pair) (Value, error) {
	place := make(map[Key]int, len(pairs))
	unique := make([]Pair, 0, len(pairs))
	isList := true
	for _, p := range pairs {
		i, again := place[p.Key]
		if again {
			unique[i].Value = p.Value
			continue
		}
		place[p.Key] = len(unique)
		isList = isList && p.Key == IntKey(int64(len(unique)))
		unique = append(unique, p)
	}
	e := newEncoder(isList, len(unique))
	for _, p := range unique {
		if !isList {
			e.key(p.Key)
		}
		if err := e.element(p.Value, 1); err != nil {
			return Value{}, fmt.Errorf("%w at key %q", err, p.Key)
		}
	}
	return e.array(), nil
}

// Pairs gives the elements of an array in their order. It fails if the value is no array or its bytes are damaged.
func (v Value) Pairs() ([]Pair, error) {
	if v.kind != KindArray {
		return nil, fmt.Errorf("%w: %s is not an array", ErrInvalidValue, v.Kind())
	}
	d := decoder{data: v.data}
	var pairs []Pair
	err := d.array(1, func(_ bool, n int) { pairs = make([]Pair, 0, n) }, func(k Key) error {
		e, err := d.element(1)
		pairs = append(pairs, Pair{k, e})
		return err
	})
	if err == nil {
		err = d.end()
	}
	if err != nil {
		return nil, err
	}
	return pairs, nil
}

func formatPairs(pairs []Pair) string {
	isList := true
	for i, p := range pairs {
		isList = isList && p.Key == IntKey(int64(i))
	}
	var b strings.Builder
	b.WriteByte('[')
	for i, p := range pairs {
		if i > 0 {
			b.WriteString(", ")
		}
		if p.Key.named {
			fmt.Fprintf(&b, "%q => ", p.Key.name)
		} else if !isList {
			fmt.Fprintf(&b, "%d => ", p.Key.number)
		}
		b.WriteString(p.Value.String())
	}
	b.WriteByte(']')
	return b.String()
}
