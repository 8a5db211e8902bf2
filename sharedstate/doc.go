// Package sharedstate is a striped, bounded key-value store outside the Go heap, shared by every PHP thread of a
// FrankenPHP process and by its Go code.
//
// A [Store] holds named tables. A [Table] maps keys (strings of any bytes) to [Value]s in one memory mapping of a fixed
// size, and never uses more. All changes are made by Go under the lock of one of the table's stripes; PHP threads read
// without a lock through the C code in ext/reader.h, Go callers take the stripe's lock for the time of a copy.
//
// Every method is safe for concurrent use and every operation is linearizable. Methods that store fail with an error
// that wraps one of this package's ErrXxx values and names the key, the size and the limit; the old value then stands.
package sharedstate
