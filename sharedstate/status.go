package sharedstate

import "errors"

// Status is the outcome of a call over the bridge to C, one for each error and exception. The numbers are written to
// ext/layout.h with the layout.
type Status int32

// The statuses. OK, Absent and Grow are answers; the rest are failures.
const (
	StatusOK               Status = iota
	StatusAbsent                  // no such key
	StatusGrow                    // the caller's buffer is too small; the size needed is in the answer
	StatusLocked                  // only inside the reader: take the locked path
	StatusFull                    // ErrTableFull
	StatusValueSize               // ErrValueTooLarge
	StatusKeySize                 // ErrKeyTooLong
	StatusValue                   // ErrInvalidValue
	StatusNotNumber               // ErrNotNumber
	StatusOverflow                // ErrOverflow
	StatusUnknownTable            // ErrUnknownTable
	StatusUnavailable             // ErrUnavailable
	StatusDamaged                 // ErrDamaged
	StatusClaimLost               // ErrClaimLost
	StatusSharedFull              // ErrSharedFull
	StatusStaleHandle             // ErrStaleHandle
	StatusLocksFull               // ErrLocksFull
	StatusDeadlock                // ErrDeadlock
	StatusWaitEnded               // ErrWaitEnded
	StatusLockTimeout             // ErrLockTimeout
	StatusChannelFull             // ErrChannelFull
	StatusChannelEmpty            // ErrChannelEmpty
	StatusChannelClosed           // ErrChannelClosed
	StatusOperationTimeout        // ErrOperationTimeout
	StatusContention              // ErrContention
	StatusCorrupted               // ErrCorrupted
	StatusPanic                   // any other failure: a recovered panic
)

// The errors of this package. Those that a caller's input causes come wrapped with the thing, the value and the limit.
var (
	ErrTableFull     = errors.New("table is full")
	ErrValueTooLarge = errors.New("value is too large")
	ErrKeyTooLong    = errors.New("key is too long")
	ErrInvalidValue  = errors.New("value cannot be stored")
	ErrNotNumber     = errors.New("value is not a number")
	ErrOverflow      = errors.New("result is out of range")
	ErrUnknownTable  = errors.New("unknown table")
	ErrUnavailable   = errors.New("shared state is not available")
	ErrDamaged       = errors.New("table is damaged by an internal failure and refuses writes")
)

var statusErrors = [...]error{
	StatusFull:             ErrTableFull,
	StatusValueSize:        ErrValueTooLarge,
	StatusKeySize:          ErrKeyTooLong,
	StatusValue:            ErrInvalidValue,
	StatusNotNumber:        ErrNotNumber,
	StatusOverflow:         ErrOverflow,
	StatusUnknownTable:     ErrUnknownTable,
	StatusUnavailable:      ErrUnavailable,
	StatusDamaged:          ErrDamaged,
	StatusClaimLost:        ErrClaimLost,
	StatusSharedFull:       ErrSharedFull,
	StatusStaleHandle:      ErrStaleHandle,
	StatusLocksFull:        ErrLocksFull,
	StatusDeadlock:         ErrDeadlock,
	StatusWaitEnded:        ErrWaitEnded,
	StatusLockTimeout:      ErrLockTimeout,
	StatusChannelFull:      ErrChannelFull,
	StatusChannelEmpty:     ErrChannelEmpty,
	StatusChannelClosed:    ErrChannelClosed,
	StatusOperationTimeout: ErrOperationTimeout,
	StatusContention:       ErrContention,
	StatusCorrupted:        ErrCorrupted,
}

// StatusOf gives the status that stands for err over the bridge.
func StatusOf(err error) Status {
	if err == nil {
		return StatusOK
	}
	for s, e := range statusErrors {
		if e != nil && errors.Is(err, e) {
			return Status(s)
		}
	}
	return StatusPanic
}
