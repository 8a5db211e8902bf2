package sharedstate

import (
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// Both sides measure expiry on CLOCK_MONOTONIC. Go reads that clock without a system call, but only relative to a moment
// of its own, so that moment's place on the clock is found once: the narrowest of a few readings taken between two of
// Go's, which is right to some tens of nanoseconds.
var (
	clockStart = time.Now()
	clockBase  = calibrate()
)

func calibrate() int64 {
	best, base := time.Duration(1<<62), int64(0)
	for range 64 {
		before := time.Since(clockStart)
		var t unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
			panic("sharedstate: no monotonic clock: " + err.Error())
		}
		after := time.Since(clockStart)
		if after-before < best {
			best = after - before
			base = t.Nano() - int64(before+best/2)
		}
	}
	return base
}

// skew lets tests move time on; C does not know of it.
var skew atomic.Int64

// now is CLOCK_MONOTONIC in nanoseconds, the unit and origin of a row's expiry.
func now() uint64 {
	return uint64(clockBase + int64(time.Since(clockStart)) + skew.Load())
}

// monotonic is what now answered at a moment that time.Now did.
func monotonic(moment time.Time) uint64 {
	return uint64(clockBase + int64(moment.Sub(clockStart)) + skew.Load())
}
