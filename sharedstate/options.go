package sharedstate

import (
	"errors"
	"fmt"
	"math"
	"time"
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
	// ObjectClasses are the only classes whose objects may be stored; none for every class. As in PHP the case of a name does
	// not count, nor does a backslash before it.
	ObjectClasses []string
	// Eviction says what happens when the memory is used up.
	Eviction Eviction
	// Sweep is how often rows that have expired are taken out in the background, at least MinSweep. They are absent before.
	Sweep time.Duration
}

// Eviction is how a table makes room.
type Eviction struct {
	Policy EvictionPolicy
	// Buffer is the share of the memory that is kept free in the background, so that writes find room; 0 to 0.5.
	Buffer float64
	// Proportion is the share of the memory that one background pass evicts, above 0 and at most 0.5.
	Proportion float64
}

// The limits on Options.
const (
	MinMemory   = 1 << 20
	MaxMemory   = 64 << 30
	MaxMaxValue = math.MaxUint32 - MaxMaxKey
	MaxMaxKey   = 1 << 20
	MinSweep    = 10 * time.Millisecond
	MaxSweep    = 24 * time.Hour
)

// DefaultOptions are the settings of a table that says nothing else.
func DefaultOptions() Options {
	return Options{Memory: 64 << 20, MaxValue: 1 << 20, MaxKey: 64 << 10, Objects: ObjectsSerialize,
		Eviction: Eviction{Policy: EvictLRU, Buffer: 0.05, Proportion: 0.05}, Sweep: time.Second}
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
	errs = append(errs, ValidateClasses(o.Objects, o.ObjectClasses))
	e := o.Eviction
	if e.Policy > EvictNone {
		errs = append(errs, fmt.Errorf("eviction policy %d is unknown", e.Policy))
	}
	if e.Policy != EvictNone && !(e.Buffer >= 0 && e.Buffer <= 0.5) {
		errs = append(errs, fmt.Errorf("eviction buffer of %g is not between 0 and 0.5", e.Buffer))
	}
	if e.Policy != EvictNone && !(e.Proportion > 0 && e.Proportion <= 0.5) {
		errs = append(errs, fmt.Errorf("eviction proportion of %g is not above 0 and at most 0.5", e.Proportion))
	}
	if o.Sweep < MinSweep || o.Sweep > MaxSweep {
		errs = append(errs, fmt.Errorf("sweep interval of %s is not between %s and %s", o.Sweep, MinSweep, MaxSweep))
	}
	return errors.Join(errs...)
}
