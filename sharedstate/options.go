package sharedstate

import (
	"errors"
	"fmt"
	"math"
)

// Options are a table's settings.
type Options struct {
	// Memory is the bound in bytes on everything the table holds, at least MinMemory.
	Memory int64
	// MaxValue is the largest encoded value in bytes.
	MaxValue int64
	// MaxKey is the longest key in bytes.
	MaxKey int
	// Objects says whether PHP objects may be stored.
	Objects ObjectPolicy
}

// The limits on Options.
const (
	MinMemory   = 1 << 20
	MaxMemory   = 64 << 30
	MaxMaxValue = math.MaxUint32 - MaxMaxKey
	MaxMaxKey   = 1 << 20
)

// DefaultOptions are the settings of a table that says nothing else.
func DefaultOptions() Options {
	return Options{Memory: 64 << 20, MaxValue: 1 << 20, MaxKey: 64 << 10, Objects: ObjectsSerialize}
}

// Validate says what is wrong with the options: each setting that is out of range, with its limits.
func (o Options) Validate() error {
	var errs []error
	check := func(name string, value, lo, hi int64) {
		if value < lo || value > hi {
			errs = append(errs, fmt.Errorf("%s of %d bytes is not between %d and %d", name, value, lo, hi))
		}
	}
	check("memory", o.Memory, MinMemory, MaxMemory)
	check("max_value", o.MaxValue, 1, MaxMaxValue)
	check("max_key", int64(o.MaxKey), 1, MaxMaxKey)
	if o.Objects != ObjectsSerialize && o.Objects != ObjectsDeny {
		errs = append(errs, fmt.Errorf("objects policy %d is unknown", o.Objects))
	}
	return errors.Join(errs...)
}
