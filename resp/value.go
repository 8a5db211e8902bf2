package resp

import (
	"math"
	"strconv"
	"unsafe"

	"github.com/frankenshare/frankenshare/sharedstate"
)

const (
	wrongType  = "WRONGTYPE Operation against a key holding the wrong kind of value"
	onlyForPHP = "WRONGTYPE Operation against a key holding a PHP object, which only PHP can read"
	syntax     = "ERR syntax error"
	notInteger = "ERR value is not an integer or out of range"
	notFloat   = "ERR value is not a valid float"
	noSuchKey  = "ERR no such key"
	tooLong    = "ERR string exceeds maximum allowed size (proto-max-bulk-len)"
)

// view is an argument as a string without a copy, valid as long as the argument.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// valueOf is what a text is stored as: an int when it is one's canonical text, so that it reads back byte for byte, else a string.
func valueOf(b []byte) sharedstate.Value {
	if n, ok := parseInt(b); ok {
		return sharedstate.Int(n)
	}
	return sharedstate.String(view(b))
}

// isPlain says whether a value is a string or a number, which Redis' string commands may change.
func isPlain(k sharedstate.Kind) bool {
	switch k {
	case sharedstate.KindInt, sharedstate.KindFloat, sharedstate.KindString, sharedstate.KindText:
		return true
	}
	return false
}

// appendText appends what a value reads as; false for an object. Strings and numbers are their text, all else is JSON, but for an
// enum case, which is Class::Case.
func appendText(b []byte, v sharedstate.Value) ([]byte, bool) {
	switch v.Kind() {
	case sharedstate.KindInt:
		n, _ := v.Int()
		return strconv.AppendInt(b, n, 10), true
	case sharedstate.KindFloat:
		f, _ := v.Float()
		return appendFloat(b, f), true
	case sharedstate.KindString, sharedstate.KindText:
		s, _ := v.Str()
		return append(b, s...), true
	case sharedstate.KindEnum:
		e, ok := v.Enum()
		return append(b, e.String()...), ok
	case sharedstate.KindObject, sharedstate.KindHandle:
		return b, false
	}
	b, err := v.AppendJSON(b)
	return b, err == nil
}

// appendFloat writes a float with as many digits as it needs, without an exponent unless it is very large or small.
func appendFloat(b []byte, f float64) []byte {
	switch abs := math.Abs(f); {
	case math.IsNaN(f):
		return append(b, "nan"...)
	case math.IsInf(f, 0):
		if f < 0 {
			b = append(b, '-')
		}
		return append(b, "inf"...)
	case abs != 0 && (abs < 1e-17 || abs >= 1e21):
		return strconv.AppendFloat(b, f, 'e', -1, 64)
	}
	return strconv.AppendFloat(b, f, 'f', -1, 64)
}

// reply answers a value as a bulk string.
func (c *client) reply(v sharedstate.Value) {
	if s, ok := v.Str(); ok {
		c.out.text(s)
		return
	}
	if text, ok := c.text(v); ok {
		c.out.bulk(text)
	} else {
		c.out.error(onlyForPHP)
	}
}

// text is what a value reads as, valid until the next call.
func (c *client) text(v sharedstate.Value) ([]byte, bool) {
	if cap(c.scratch) > flushAt {
		c.scratch = nil
	}
	var ok bool
	c.scratch, ok = appendText(c.scratch[:0], v)
	return c.scratch, ok
}

// typeName is what TYPE answers: a string for whatever Redis would call one.
func typeName(k sharedstate.Kind) string {
	switch k {
	case sharedstate.KindArray, sharedstate.KindEnum, sharedstate.KindObject, sharedstate.KindHandle:
		return k.String()
	}
	return "string"
}

// embedded is the longest string that Redis keeps beside its header.
const embedded = 44

// encodingName is what OBJECT ENCODING answers: what PHP has stored.
func encodingName(f sharedstate.Found) string {
	switch f.Kind {
	case sharedstate.KindFalse, sharedstate.KindTrue:
		return "bool"
	case sharedstate.KindString, sharedstate.KindText:
		if f.Len <= embedded {
			return "embstr"
		}
		return "raw"
	}
	return f.Kind.String()
}
