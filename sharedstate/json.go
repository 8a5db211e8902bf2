package sharedstate

import (
	"encoding/json"
	"math"
	"unicode/utf8"
)

// AppendJSON appends the value as JSON, as PHP's json_encode would: a list is an array, another array an object with its keys in their order,
// a float has as many digits as it needs. Where JSON has no form: NAN and the infinities are strings of these names, an enum case
// is the string Class::Case, and bytes that are no UTF-8 become U+FFFD. Objects have none and are refused.
func (v Value) AppendJSON(b []byte) ([]byte, error) {
	if v.Kind() != KindArray {
		return v.appendScalar(b)
	}
	d := decoder{data: v.data}
	b, err := d.json(b, 1)
	if err == nil {
		err = d.end()
	}
	return b, err
}

func (v Value) appendScalar(b []byte) ([]byte, error) {
	x, err := v.plain()
	if err != nil {
		return b, err
	}
	switch x := x.(type) {
	case float64:
		switch {
		case math.IsNaN(x):
			return append(b, `"NAN"`...), nil
		case math.IsInf(x, 1):
			return append(b, `"INF"`...), nil
		case math.IsInf(x, -1):
			return append(b, `"-INF"`...), nil
		}
	case string:
		return appendJSONString(b, x), nil
	case Enum:
		return appendJSONString(b, x.String()), nil
	}
	text, err := json.Marshal(x)
	return append(b, text...), err
}

// json reads an array at the given depth.
func (d *decoder) json(b []byte, depth int) ([]byte, error) {
	end := byte(']')
	first := true
	isList := true
	err := d.array(depth, func(list bool, _ int) {
		if isList = list; list {
			b = append(b, '[')
		} else {
			b, end = append(b, '{'), '}'
		}
	}, func(k Key) (err error) {
		if !first {
			b = append(b, ',')
		}
		first = false
		if !isList {
			b = append(appendJSONString(b, k.String()), ':')
		}
		if d.pos < len(d.data) && Kind(d.data[d.pos]) == KindArray {
			d.pos++
			b, err = d.json(b, depth+1)
			return err
		}
		v, err := d.element(depth)
		if err == nil {
			b, err = v.appendScalar(b)
		}
		return err
	})
	return append(b, end), err
}

func appendJSONString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for _, r := range s { // a byte that is no UTF-8 is U+FFFD
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, '\\', 'n')
		case r == '\r':
			b = append(b, '\\', 'r')
		case r == '\t':
			b = append(b, '\\', 't')
		case r < ' ':
			b = append(b, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}
