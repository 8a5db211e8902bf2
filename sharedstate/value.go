package sharedstate

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Value is one value of a table: what PHP calls null, bool, int, float, string, array, enum case, object or handle. It is
// immutable and may be copied and shared. The zero Value is null. Compare with Equal, not with ==.
type Value struct {
	_      [0]func() // == would tell NaN apart by its payload and text from string
	kind   Kind
	flags  uint8
	number uint64
	data   string
}

// Null returns PHP's null.
func Null() Value { return Value{kind: KindNull} }

// Bool returns a PHP bool.
func Bool(b bool) Value {
	if b {
		return Value{kind: KindTrue}
	}
	return Value{kind: KindFalse}
}

// Int returns a PHP int.
func Int(n int64) Value { return Value{kind: KindInt, number: uint64(n)} }

// Float returns a PHP float with exactly the bits of f.
func Float(f float64) Value { return Value{kind: KindFloat, number: math.Float64bits(f)} }

// String returns a PHP string; any bytes are allowed.
func String(s string) Value { return Value{kind: KindString, data: s} }

// Bytes returns a PHP string with a copy of b.
func Bytes(b []byte) Value { return String(string(b)) }

// Enum names a case of a PHP enum.
type Enum struct {
	Class string // fully qualified, without a leading backslash
	Case  string
}

// String gives the case as PHP writes it.
func (e Enum) String() string { return e.Class + "::" + e.Case }

// EnumCase returns a case of a PHP enum. Whether it exists is known only when PHP reads it.
func EnumCase(e Enum) Value {
	b := appendString([]byte{FormatVersion}, e.Class)
	return Value{kind: KindEnum, flags: FlagRunsCode, data: string(appendString(b, e.Case))}
}

// HandleOf returns a handle of a shared object, which a table, a mutex or a channel that holds it keeps alive.
func HandleOf(o Shared) Value { return Handle{o.Kind(), o.ID()}.value() }

func (h Handle) value() Value {
	b := binary.AppendUvarint([]byte{FormatVersion, byte(h.Kind)}, h.ID)
	return Value{kind: KindHandle, flags: FlagFresh | FlagHandles, data: string(b)}
}

// Raw makes a value from its stored parts. It is for the bridge and the store, which pass on what a codec wrote: a value
// of KindObject is unserialized by PHP, so only the bridge may make one, from bytes that PHP itself serialized. data is
// not checked here; the methods that look into it report damaged bytes.
func Raw(kind Kind, flags uint8, number uint64, data string) Value {
	return Value{kind: kind, flags: flags, number: number, data: data}
}

// RawParts gives the parts that Raw takes, as they are stored in a row.
func (v Value) RawParts() (kind Kind, flags uint8, number uint64, data string) {
	return v.Kind(), v.flags, v.number, v.data
}

// Kind tells what the value is.
func (v Value) Kind() Kind { return max(v.kind, KindNull) }

// IsNull reports whether the value is null.
func (v Value) IsNull() bool { return v.Kind() == KindNull }

// Bool gives a bool, and false if the value is none.
func (v Value) Bool() (b, ok bool) {
	return v.kind == KindTrue, v.kind == KindTrue || v.kind == KindFalse
}

// Int gives an int, and false if the value is none.
func (v Value) Int() (int64, bool) {
	if v.kind != KindInt {
		return 0, false
	}
	return int64(v.number), true
}

// Float gives a float, and false if the value is none; an int is not one.
func (v Value) Float() (float64, bool) {
	if v.kind != KindFloat {
		return 0, false
	}
	return math.Float64frombits(v.number), true
}

// Str gives the bytes of a string, and false if the value is none.
func (v Value) Str() (string, bool) {
	if v.kind != KindString && v.kind != KindText {
		return "", false
	}
	return v.data, true
}

// Enum gives an enum case, and false if the value is none or its bytes are damaged.
func (v Value) Enum() (Enum, bool) {
	if v.kind != KindEnum {
		return Enum{}, false
	}
	d := decoder{data: v.data}
	e, err := d.enum()
	if err != nil || d.end() != nil {
		return Enum{}, false
	}
	return e, true
}

// Handle gives a handle of a shared object, and false if the value is none or its bytes are damaged.
func (v Value) Handle() (Handle, bool) {
	if v.kind != KindHandle {
		return Handle{}, false
	}
	d := decoder{data: v.data}
	h, err := d.handle()
	if err != nil || d.end() != nil {
		return Handle{}, false
	}
	return h, true
}

// handles are all handles in a value, as often as they are in it.
func (v *Value) handles() []Handle {
	if v.flags&FlagHandles == 0 {
		return nil
	}
	return v.findHandles()
}

// findHandles is apart so that a value without handles, as most are, costs no memory.
func (v *Value) findHandles() (all []Handle) {
	d := decoder{data: v.data, met: func(h Handle) { all = append(all, h) }}
	if _, err := d.payload(v.kind, 0); err != nil {
		return nil // what cannot be decoded opens nothing
	}
	return all
}

// Equal compares as PHP's === does, but any NaN equals any other and -0.0 differs from 0.0. Objects are equal if PHP
// serialized them to the same bytes.
func (v Value) Equal(w Value) bool {
	if s, ok := v.Str(); ok {
		t, ok := w.Str()
		return ok && s == t
	}
	if v.Kind() != w.Kind() {
		return false
	}
	if f, ok := v.Float(); ok && math.IsNaN(f) {
		g, _ := w.Float()
		return math.IsNaN(g)
	}
	if v.number != w.number || len(v.data) != len(w.data) {
		return false
	}
	// An array has one encoding, but for the payloads of the NaNs in it.
	return v.data == w.data || v.kind == KindArray && sameButNaN(v.data, w.data)
}

// String gives the value in a form like PHP's, for logs and tests. A damaged array is shown as such.
func (v Value) String() string {
	switch v.Kind() {
	case KindNull:
		return "null"
	case KindFalse:
		return "false"
	case KindTrue:
		return "true"
	case KindInt:
		return strconv.FormatInt(int64(v.number), 10)
	case KindFloat:
		s := strconv.FormatFloat(math.Float64frombits(v.number), 'g', -1, 64)
		if !strings.ContainsAny(s, ".eIN") {
			s += ".0"
		}
		return s
	case KindString, KindText:
		return strconv.Quote(v.data)
	case KindArray:
		pairs, err := v.Pairs()
		if err != nil {
			return fmt.Sprintf("damaged array (%d bytes)", len(v.data))
		}
		return formatPairs(pairs)
	case KindEnum:
		if e, ok := v.Enum(); ok {
			return e.String()
		}
	case KindHandle:
		if h, ok := v.Handle(); ok {
			return h.String()
		}
	}
	return fmt.Sprintf("%s (%d bytes)", v.kind, len(v.data))
}

var kindNames = [...]string{
	"none", "null", "false", "true", "int", "float", "string", "array", "enum", "object", "handle", "text",
}

// String names the kind.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}
