package sharedstate

// The memory layout that Go writes and the C reader reads, written down once. `go generate` turns the constants of this
// file and of status.go into ext/layout.h; reader.h asserts its structs against them, layout_test.go the Go side.
//
// All offsets inside an arena are counted in units of 16 bytes and fit 32 bits, so an arena has at most 64 GiB.

//go:generate go run ./internal/genlayout ../ext/layout.h

const (
	// Unit is the granularity of an offset in a slot word or a link.
	Unit = 16
	// LineSize is the cache line the layout is built around.
	LineSize = 64

	// A slot word: 0 is an empty slot; else the row's offset in units in the low bits and the key's tag above.
	SlotOffsetBits = 32
	SlotTagShift   = 48
	// SlotChained marks a row of more than one cell, for Go; readers take no notice of it.
	SlotChained = 1 << SlotOffsetBits

	// A bucket is two lines: what readers load, then for each slot a metadata word: a u32 for when the row is due to expire
	// and a u32 for its use.
	// Home bucket: word 0 the chain's version, 1..6 slots, 7 the link. Overflow bucket: 0..6 slots, 7 the link.
	BucketSize     = 128
	BucketVersion  = 0
	BucketHomeSlot = 1
	BucketLink     = 7
	BucketMeta     = 8

	// MetaDue, u32, atomic, written with the stripe held: the row's expiry in steps of 1 << DueShift nanoseconds, rounded up, 0 for
	// none. A row with the word d expires after (d-1) << DueShift.
	MetaDue  = 0
	DueShift = 26
	// MetaUse, u32, atomic, written by readers too: the tick of the last use above, a logarithmic count of uses below. Its
	// writers may overwrite one another; it only ranks rows.
	MetaUse      = 4
	UseTickShift = 8
	UseCountMask = 1<<UseTickShift - 1
	UseTickMask  = 1<<(32-UseTickShift) - 1
	// UseFirst is the count of a new row, so that it is not the next to go.
	UseFirst = 5
	// A count c grows with the chance 1 / (1 + (c-UseFirst) << UseRarity) and falls by one in every UseDecay ticks.
	UseRarity = 3
	UseDecay  = 32

	// BytesPerHome is the share of a table's memory that gets one home bucket.
	BytesPerHome = 1280
)

// A row: a header, then its key and value as one run of bytes, of which the first RowInline bytes follow the header
// and the rest stands in a chain of chunks.
const (
	RowExpiry     = 0  // u64, atomic: monotonic nanoseconds, 0 for none
	RowNumber     = 8  // u64, atomic: the value of an int or float
	RowGeneration = 16 // u64: the table's generation when the row was written
	RowValueLen   = 24 // u32
	RowKeyLen     = 28 // u32
	RowKind       = 32 // u8: a Kind
	RowFlags      = 33 // u8: Flag bits
	RowInline     = 34 // u16: bytes of key and value that follow the header
	RowChunk      = 36 // u32: the first chunk's offset in units, 0 for none
	RowHeader     = 40

	// A chunk: its link, its length, then bytes.
	ChunkNext   = 0 // u32: the next chunk's offset in units, 0 for none
	ChunkLen    = 4 // u32
	ChunkHeader = 8
)

// A table's control block, outside every arena and never unmapped. The first line changes with writes and has nothing
// else in it.
const (
	ControlGeneration = 0   // u64, atomic: raised by clear, replace, resize and drop
	ControlMulti      = 8   // u64, atomic: multi-key writes in progress
	ControlIntervals  = 24  // u64, atomic: keys that are intervals; a reader that misses its cache asks about them
	ControlTick       = 16  // u64, atomic: the eviction policies' clock, see Table.tick
	ControlDescriptor = 64  // u64, atomic: address of the current descriptor
	ControlID         = 72  // u32: the table's number, for the bridge
	ControlStripes    = 76  // u32: how many, a power of two
	ControlMaxValue   = 80  // u64: bytes of one encoded value
	ControlMaxKey     = 88  // u32: bytes of one key
	ControlEviction   = 92  // u32, atomic: an EvictionPolicy
	ControlName       = 96  // u8 length, then up to 63 bytes
	ControlObjects    = 160 // u64, atomic: 0 when every class may be stored, else the address of a list, see classList
	ControlClosed     = 168 // u64, atomic: Closed bits; other than 0 when the table takes no writes
	ControlListeners  = 176 // u64, atomic: how many are told of changes
	ControlStripe     = 192 // the stripes' lines, StripeSize each
	StripeVersion     = 0   // u64, atomic
	StripeLock        = 8   // u32, atomic: see stripeLock
	StripeWrites      = 16  // u64: numbers that C has changed in place; written with the stripe held
	StripeSize        = 64

	// Why a table takes no writes.
	ClosedDamaged = 1
	ClosedDropped = 2

	// The word of a stripe's lock.
	LockFree   = 0
	LockHeld   = 1
	LockWanted = 2 // held, and somebody may sleep until it is free

	// A descriptor says where the current arena is. It never changes; a resize stores another one's address.
	DescriptorBase    = 0  // u64: the arena's address
	DescriptorHomes   = 8  // u64: home buckets in one stripe
	DescriptorBuckets = 16 // u64: byte offset of the first home bucket; stripe s starts at s * homes
	DescriptorSize    = 64
)

// The cell of a counter or flag, CellSize bytes in a mapping of their own.
const (
	CellValue   = 0 // i64, atomic
	CellWaiters = 8 // i64, atomic
	CellSize    = LineSize
)

// The thread records, one for each PHP thread, process-wide and never unmapped.
const (
	ThreadsHigh     = 0  // u64, atomic: records below this number may be claimed
	ThreadsSequence = 8  // u64, atomic: the last claim's number
	ThreadsSeed     = 16 // u64: the process's hash seed
	ThreadsEntries  = 24 // u64, atomic: thread_cache, entries per thread
	ThreadsBytes    = 32 // u64, atomic: thread_cache, bytes per thread
	ThreadsHeader   = 128

	ThreadRecords = 1024
	ThreadClaim   = 0  // u64, atomic: the claim's number, 0 when free
	ThreadHazard  = 8  // u64, atomic: address of the row this thread reads
	ThreadChunk   = 16 // u64, atomic: address of the chunk this thread reads
	ThreadQuiet   = 24 // u64, atomic: the sequence when its last request ended; then it read nothing
	ThreadHits    = 64 // u64: reads the gate answered; written by the thread alone
	ThreadReads   = 72 // u64: reads that went to the table
	ThreadLocked  = 80 // u64: reads that took the locked path
	ThreadSize    = 128
)

// Kind is what a value is. The numbers are part of the format; those without a type yet are reserved.
type Kind uint8

// The kinds of values. Array, Enum, Object and Handle carry encoded bytes. Text is reserved: nothing makes it, and it is read as a
// string.
const (
	KindNone Kind = iota
	KindNull
	KindFalse
	KindTrue
	KindInt
	KindFloat
	KindString
	KindArray
	KindEnum
	KindObject
	KindHandle
	KindText
)

// Flag bits of a value.
const (
	// FlagFresh marks a value that holds an object or a handle and so is decoded anew for every read.
	FlagFresh = 1 << iota
	// FlagRunsCode marks a value whose decoding may run PHP code (an autoloader, __unserialize).
	FlagRunsCode
	// FlagHandles marks a value that holds handles of shared objects, which a row of it keeps alive.
	FlagHandles
)

// FormatVersion is the first byte of an encoded array, enum, object or handle.
const FormatVersion = 1

// MaxDepth is how deep arrays may nest.
const MaxDepth = 512

// EvictionPolicy says which rows go when a table's memory is used up.
type EvictionPolicy uint32

// The eviction policies.
const (
	// EvictLRU lets go of what was not used for the longest time.
	EvictLRU EvictionPolicy = iota
	// EvictLFU lets go of what is used least often; a use counts less the longer ago it was.
	EvictLFU
	// EvictTTL lets go of what would expire soonest, of what never expires last.
	EvictTTL
	// EvictNone lets go of nothing: a write that finds no room fails.
	EvictNone
)
