package sharedstate

// The numbers that cross the bridge to C besides the layout and the statuses; they are written to ext/layout.h as well.

// LeaseKind tells the leases of one key apart by what they are for.
type LeaseKind uint8

// The kinds of leases.
const (
	LeaseRemember LeaseKind = iota
	LeaseUpdate
)

// LeaseAnswer is what came of asking for a lease.
type LeaseAnswer int32

// The answers.
const (
	LeaseHeld    LeaseAnswer = iota // it is the caller's now, to be released
	LeaseAlready                    // it was the caller's before: a nested call
	LeaseFreed                      // another had it and let go: look whether the value is there, then ask again
	LeaseBusy                       // another still has it after the wait
	LeaseCircle                     // its holder waits, over others perhaps, for the caller: waiting would never end
	LeaseDrained                    // waits are over for now: the server loads another configuration
)

// Refreshers says who can compute an interval's value.
type Refreshers uint8

// The refreshers.
const (
	// AnyThread means that the callable has a name that every PHP thread knows.
	AnyThread Refreshers = iota
	// WorkerThreads means that the threads of the intervals worker have registered it themselves.
	WorkerThreads
	// OwnThread means that only the thread that has registered it knows it.
	OwnThread
)

// SharedKind tells the kinds of shared objects apart. The numbers are part of the format of stored handles.
type SharedKind uint8

// The kinds, named as PHP's classes.
const (
	SharedCounter SharedKind = 1 + iota
	SharedFlag
	SharedMutex
	SharedChannel
)
