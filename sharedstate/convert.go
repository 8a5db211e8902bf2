package sharedstate

import (
	"fmt"
	"math"
	"reflect"
	"slices"
)

// Of converts a plain Go value: nil, bools, all ints, uints that fit an int64, floats, strings, []byte, slices, arrays,
// maps with string or int keys, types derived from these, Enum, Handle, and Value itself. A slice becomes a list. A map becomes
// an array with ascending int keys, then ascending string keys; a nil slice or map an empty array. Nesting beyond
// MaxDepth, which a cyclic value has, is refused, as is everything else.
func Of(x any) (Value, error) {
	v, isScalar, err := scalarOf(x)
	if isScalar || err != nil {
		return v, err
	}
	var e encoder
	if err := e.composite(reflect.ValueOf(x), 1); err != nil {
		return Value{}, err
	}
	return e.array(), nil
}

// scalarOf converts what is no slice, array or map; it answers false for these.
func scalarOf(x any) (Value, bool, error) {
	switch x := x.(type) {
	case nil:
		return Null(), true, nil
	case Value:
		return x, true, nil
	case Enum:
		return EnumCase(x), true, nil
	case Handle:
		return x.value(), true, nil
	case []byte:
		return Bytes(x), true, nil
	}
	switch r := reflect.ValueOf(x); r.Kind() {
	case reflect.Bool:
		return Bool(r.Bool()), true, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return Int(r.Int()), true, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		n := r.Uint()
		if n > math.MaxInt64 {
			return Value{}, false, fmt.Errorf("%w: the uint %d is above PHP_INT_MAX (%d)", ErrInvalidValue, n, int64(math.MaxInt64))
		}
		return Int(int64(n)), true, nil
	case reflect.Float32, reflect.Float64:
		return Float(r.Float()), true, nil
	case reflect.String:
		return String(r.String()), true, nil
	case reflect.Slice, reflect.Array, reflect.Map:
		return Value{}, false, nil
	default:
		return Value{}, false, fmt.Errorf("%w: a Go %T", ErrInvalidValue, x)
	}
}

// convert appends x to an array at the given depth.
func (e *encoder) convert(x any, depth int) error {
	v, isScalar, err := scalarOf(x)
	if err != nil {
		return err
	}
	if isScalar {
		return e.element(v, depth)
	}
	e.buf = append(e.buf, byte(KindArray))
	return e.composite(reflect.ValueOf(x), depth+1)
}

// composite appends a slice, array or map as an array of the given depth.
func (e *encoder) composite(r reflect.Value, depth int) error {
	if depth > MaxDepth {
		return fmt.Errorf("%w: an array nested deeper than %d", ErrInvalidValue, MaxDepth)
	}
	if r.Kind() == reflect.Map {
		return e.goMap(r, depth)
	}
	e.header(true, r.Len())
	for i := range r.Len() {
		if err := e.convert(r.Index(i).Interface(), depth); err != nil {
			return err
		}
	}
	return nil
}

func (e *encoder) goMap(r reflect.Value, depth int) error {
	type pair struct {
		key   Key
		value reflect.Value
	}
	pairs := make([]pair, 0, r.Len())
	for iter := r.MapRange(); iter.Next(); {
		name, isScalar, err := scalarOf(iter.Key().Interface())
		if err != nil {
			return err
		}
		if n, ok := name.Int(); isScalar && ok {
			pairs = append(pairs, pair{IntKey(n), iter.Value()})
		} else if s, ok := name.Str(); isScalar && ok {
			pairs = append(pairs, pair{StringKey(s), iter.Value()})
		} else {
			return fmt.Errorf("%w: a Go %s (keys must be strings or ints)", ErrInvalidValue, r.Type())
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int { return a.key.compare(b.key) })
	isList := true
	for i, p := range pairs {
		if i > 0 && p.key == pairs[i-1].key {
			return fmt.Errorf("%w: a Go %s with the key %s twice, as a string and as an int", ErrInvalidValue, r.Type(), p.key)
		}
		isList = isList && p.key == IntKey(int64(i))
	}
	e.header(isList, len(pairs))
	for _, p := range pairs {
		if !isList {
			e.key(p.key)
		}
		if err := e.convert(p.value.Interface(), depth); err != nil {
			return fmt.Errorf("%w at key %q", err, p.key)
		}
	}
	return nil
}

// Any converts to plain Go: nil, bool, int64, float64, string, Enum, Handle, []any for a list, map[string]any for another array
// (its order is lost, int keys become decimal strings). Objects have no Go form and are refused.
func (v Value) Any() (any, error) {
	if v.Kind() != KindArray {
		return v.plain()
	}
	d := decoder{data: v.data}
	x, err := d.plainArray(1)
	if err == nil {
		err = d.end()
	}
	if err != nil {
		return nil, err
	}
	return x, nil
}

func (v Value) plain() (any, error) {
	switch v.Kind() {
	case KindNull:
		return nil, nil
	case KindFalse, KindTrue:
		return v.kind == KindTrue, nil
	case KindInt:
		return int64(v.number), nil
	case KindFloat:
		return math.Float64frombits(v.number), nil
	case KindString, KindText:
		return v.data, nil
	case KindEnum:
		if e, ok := v.Enum(); ok {
			return e, nil
		}
	case KindHandle:
		if h, ok := v.Handle(); ok {
			return h, nil
		}
	}
	return nil, fmt.Errorf("%w: the %s has no Go form", ErrInvalidValue, v)
}

func (d *decoder) plainArray(depth int) (x any, err error) {
	var list []any
	var dict map[string]any
	err = d.array(depth, func(isList bool, count int) {
		if isList {
			list = make([]any, 0, count)
		} else {
			dict = make(map[string]any, count)
		}
	}, func(k Key) error {
		x, err := d.plainElement(depth)
		if dict != nil {
			dict[k.String()] = x
		} else {
			list = append(list, x)
		}
		return err
	})
	if dict != nil {
		return dict, err
	}
	return list, err
}

// plainElement reads an element of an array at the given depth; arrays are read once, however deep they are.
func (d *decoder) plainElement(depth int) (any, error) {
	if d.pos < len(d.data) && Kind(d.data[d.pos]) == KindArray {
		d.pos++
		return d.plainArray(depth + 1)
	}
	v, err := d.element(depth)
	if err != nil {
		return nil, err
	}
	return v.plain()
}
