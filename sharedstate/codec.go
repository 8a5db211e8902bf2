package sharedstate

import (
	"encoding/binary"
	"fmt"
	"math"
)

// The encoding of arrays, enums and handles, which ext/encode.c and ext/decode.c have too (testdata/values.txt holds both to it):
//
//	array    FormatVersion, uvarint(count<<1 | hash), then count elements, each after its key if hash is 1
//	enum     FormatVersion, string class, string case
//	handle   FormatVersion, a SharedKind, uvarint(number)
//	key      KindInt and an int, or KindString and a string that is no canonical decimal
//	element  a Kind, then: int, float, string, array, enum or handle; nothing for null and the bools
//	int      zigzag varint
//	float    its 8 bytes, little endian
//	string   uvarint(length), then its bytes
//
// A value has exactly one encoding: varints are minimal, keys differ, and an array whose keys are 0, 1, 2, … is a list.
// Objects stand alone, never in an encoded array: PHP's serializer takes the whole value, so that identity within it is kept.

func appendInt(b []byte, n int64) []byte {
	return binary.AppendUvarint(b, uint64(n)<<1^uint64(n>>63))
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// encoder builds the bytes of one array.
type encoder struct {
	buf   []byte
	flags uint8
}

func newEncoder(isList bool, count int) *encoder {
	e := new(encoder)
	e.header(isList, count)
	return e
}

func (e *encoder) header(isList bool, count int) {
	head := uint64(count) << 1
	if !isList {
		head |= 1
	}
	e.buf = binary.AppendUvarint(append(e.buf, FormatVersion), head)
}

func (e *encoder) key(k Key) {
	if k.named {
		e.buf = appendString(append(e.buf, byte(KindString)), k.name)
	} else {
		e.buf = appendInt(append(e.buf, byte(KindInt)), k.number)
	}
}

// element appends v to an array at the given depth; the outermost array has depth 1.
func (e *encoder) element(v Value, depth int) error {
	kind := v.Kind()
	if kind == KindText {
		kind = KindString
	}
	e.buf = append(e.buf, byte(kind))
	switch kind {
	case KindNull, KindFalse, KindTrue:
	case KindInt:
		e.buf = appendInt(e.buf, int64(v.number))
	case KindFloat:
		e.buf = binary.LittleEndian.AppendUint64(e.buf, v.number)
	case KindString:
		e.buf = appendString(e.buf, v.data)
	case KindArray, KindEnum, KindHandle:
		d := decoder{data: v.data}
		if _, err := d.payload(kind, depth); err != nil {
			return err
		}
		if err := d.end(); err != nil {
			return err
		}
		e.buf = append(e.buf, v.data...)
		e.flags |= d.flags
	default:
		return fmt.Errorf("%w: %s in an array that Go makes", ErrInvalidValue, kind)
	}
	return nil
}

func (e *encoder) array() Value { return Value{kind: KindArray, flags: e.flags, data: string(e.buf)} }

// decoder reads an encoded array, enum or handle. It trusts nothing: every length is checked against the bytes that are there.
type decoder struct {
	data    string
	pos     int
	claimed int              // elements announced so far; each takes a byte at least
	flags   uint8            // FlagRunsCode once an enum was met, those of handles once one was
	float   func(offset int) // called for each float if set
	met     func(Handle)     // called for each handle if set
}

func (d *decoder) fail(what string) error {
	return fmt.Errorf("%w: its bytes are damaged: %s at byte %d of %d", ErrInvalidValue, what, d.pos, len(d.data))
}

func (d *decoder) end() error {
	if d.pos != len(d.data) {
		return d.fail("surplus bytes")
	}
	return nil
}

func (d *decoder) byte() (byte, error) {
	if d.pos == len(d.data) {
		return 0, d.fail("end")
	}
	d.pos++
	return d.data[d.pos-1], nil
}

func (d *decoder) version() error {
	if b, err := d.byte(); err != nil {
		return err
	} else if b != FormatVersion {
		return d.fail(fmt.Sprintf("format version %d, not %d,", b, FormatVersion))
	}
	return nil
}

func (d *decoder) uvarint() (uint64, error) {
	var n uint64
	for shift := 0; ; shift += 7 {
		b, err := d.byte()
		if err != nil {
			return 0, err
		}
		if shift > 0 && b == 0 || shift == 63 && b > 1 {
			return 0, d.fail("a varint that is not minimal or too large")
		}
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return n, nil
		}
	}
}

func (d *decoder) int() (int64, error) {
	n, err := d.uvarint()
	return int64(n>>1) ^ -int64(n&1), err
}

func (d *decoder) bytes(n uint64) (string, error) {
	if n > uint64(len(d.data)-d.pos) {
		return "", d.fail("a length beyond the end")
	}
	start := d.pos
	d.pos += int(n)
	return d.data[start:d.pos], nil
}

func (d *decoder) string() (string, error) {
	n, err := d.uvarint()
	if err != nil {
		return "", err
	}
	return d.bytes(n)
}

func (d *decoder) enum() (e Enum, err error) {
	d.flags |= FlagRunsCode
	if err = d.version(); err != nil {
		return e, err
	}
	if e.Class, err = d.string(); err != nil {
		return e, err
	}
	e.Case, err = d.string()
	return e, err
}

func (d *decoder) handle() (h Handle, err error) {
	d.flags |= FlagFresh | FlagHandles
	if err = d.version(); err != nil {
		return h, err
	}
	kind, err := d.byte()
	if err != nil {
		return h, err
	}
	h.Kind = SharedKind(kind)
	if h.Kind < SharedCounter || h.Kind > SharedChannel {
		return h, d.fail(fmt.Sprintf("a handle of kind %d", kind))
	}
	if h.ID, err = d.uvarint(); err == nil && h.ID == 0 {
		err = d.fail("a handle of number 0")
	}
	if err == nil && d.met != nil {
		d.met(h)
	}
	return h, err
}

func (d *decoder) key() (Key, error) {
	tag, err := d.byte()
	if err != nil {
		return Key{}, err
	}
	switch Kind(tag) {
	case KindInt:
		n, err := d.int()
		return IntKey(n), err
	case KindString:
		s, err := d.string()
		if err != nil {
			return Key{}, err
		}
		if k := StringKey(s); k.named {
			return k, nil
		}
		return Key{}, d.fail("a decimal string as a key")
	}
	return Key{}, d.fail(fmt.Sprintf("key tag %d", tag))
}

// array reads one array. start, if not nil, learns what is coming; each must consume the element that follows its key.
func (d *decoder) array(depth int, start func(isList bool, count int), each func(Key) error) error {
	if depth > MaxDepth {
		return fmt.Errorf("%w: an array nested deeper than %d", ErrInvalidValue, MaxDepth)
	}
	if err := d.version(); err != nil {
		return err
	}
	head, err := d.uvarint()
	if err != nil {
		return err
	}
	isList := head&1 == 0
	if head>>1 > uint64(len(d.data)-d.claimed) {
		return d.fail("a count beyond the end")
	}
	count := int(head >> 1)
	d.claimed += count
	if start != nil {
		start(isList, count)
	}
	if isList {
		for i := range count {
			if err := each(IntKey(int64(i))); err != nil {
				return err
			}
		}
		return nil
	}
	seen := make(map[Key]struct{}, count)
	ordinal := true
	for i := range count {
		k, err := d.key()
		if err != nil {
			return err
		}
		if _, again := seen[k]; again {
			return d.fail("a key that was there before")
		}
		seen[k] = struct{}{}
		ordinal = ordinal && k == IntKey(int64(i))
		if err := each(k); err != nil {
			return err
		}
	}
	if ordinal {
		return d.fail("a list written as a hash")
	}
	return nil
}

// element reads one element of an array at the given depth. Strings and arrays share the bytes of data.
func (d *decoder) element(depth int) (Value, error) {
	tag, err := d.byte()
	if err != nil {
		return Value{}, err
	}
	return d.payload(Kind(tag), depth)
}

// payload reads what follows the tag kind of an element in an array at the given depth; 0 stands for no array.
func (d *decoder) payload(kind Kind, depth int) (v Value, err error) {
	start, outer := d.pos, d.flags
	d.flags = 0
	v.kind = kind
	switch kind {
	case KindNull, KindFalse, KindTrue:
	case KindInt:
		var n int64
		n, err = d.int()
		v.number = uint64(n)
	case KindFloat:
		if d.float != nil {
			d.float(d.pos)
		}
		var bits string
		if bits, err = d.bytes(8); err == nil {
			v.number = binary.LittleEndian.Uint64([]byte(bits))
		}
	case KindString:
		v.data, err = d.string()
	case KindEnum:
		_, err = d.enum()
		v.data = d.data[start:d.pos]
	case KindHandle:
		_, err = d.handle()
		v.data = d.data[start:d.pos]
	case KindArray:
		err = d.array(depth+1, nil, func(Key) error {
			_, err := d.element(depth + 1)
			return err
		})
		v.data = d.data[start:d.pos]
	default:
		err = d.fail(fmt.Sprintf("element tag %d", kind))
	}
	v.flags = d.flags
	d.flags |= outer
	return v, err
}

// sameButNaN compares two encoded arrays of equal length, taking all NaNs for one.
func sameButNaN(a, b string) bool {
	x, errA := withoutNaN(a)
	y, errB := withoutNaN(b)
	return errA == nil && errB == nil && x == y
}

func withoutNaN(data string) (string, error) {
	out := []byte(data)
	d := decoder{data: data}
	d.float = func(offset int) {
		if len(out)-offset >= 8 && math.IsNaN(math.Float64frombits(binary.LittleEndian.Uint64(out[offset:]))) {
			binary.LittleEndian.PutUint64(out[offset:], math.Float64bits(math.NaN()))
		}
	}
	_, err := d.payload(KindArray, 0)
	return string(out), err
}
