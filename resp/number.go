package resp

import (
	"math/big"
	"strconv"
	"strings"
)

// parseInt reads a 64-bit int in its one canonical form: no plus sign, no leading zeros, no -0. So what it accepts reads back byte
// for byte.
func parseInt(b []byte) (int64, bool) {
	negative := len(b) > 0 && b[0] == '-'
	digits := b
	if negative {
		digits = b[1:]
	}
	if len(digits) == 0 || len(digits) > 19 || digits[0] == '0' && (len(digits) > 1 || negative) {
		return 0, false
	}
	n := uint64(0) // 19 digits fit
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	if negative {
		return -int64(n), n <= 1<<63
	}
	return int64(n), n < 1<<63
}

// parseUint reads a cursor.
func parseUint(b []byte) (uint64, bool) {
	n, err := strconv.ParseUint(string(b), 10, 64)
	return n, err == nil
}

// Redis computes INCRBYFLOAT in the 80-bit floats of x86, which 64 bits of precision stand for here, and shows 17 places.
const (
	longDoublePrecision = 64
	longDoubleExponent  = 16384
	longDoublePlaces    = 17
	longestFloat        = 5 << 10 // bytes of a number
)

// parseFloat reads a decimal number, or an infinity. What is too large for an 80-bit float is none.
func parseFloat(s string) (*big.Float, bool) {
	if s == "" || len(s) > longestFloat || strings.ContainsAny(s, "_pPxXbBoO") || isSpace(s[0]) {
		return nil, false
	}
	f, _, err := big.ParseFloat(strings.ToLower(s), 10, longDoublePrecision, big.ToNearestEven)
	if err != nil || !f.IsInf() && f.MantExp(nil) > longDoubleExponent {
		return nil, false
	}
	return f, true
}

// formatFloat writes a number without an exponent and without zeros at its end.
func formatFloat(f *big.Float) string {
	s := f.Text('f', longDoublePlaces)
	s = strings.TrimRight(s, "0")
	s = strings.TrimSuffix(s, ".")
	if s == "-0" {
		return "0"
	}
	return s
}
