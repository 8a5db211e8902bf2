package tests

import "testing"

// Code that PHP runs in the middle of an operation (error handlers, __toString, __sleep) may use the store.
func TestReentry(t *testing.T) {
	s := shared(t)
	for _, part := range []string{"operand", "offset", "serialize", "unserialize", "depth"} {
		t.Run(part, func(t *testing.T) {
			inBothModes(t, func(t *testing.T, m mode) { s.check(t, m, "reentry_"+part) })
		})
	}
}
