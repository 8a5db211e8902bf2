package sharedstate

import (
	"sync/atomic"
	"unsafe"
)

// control overlays a table's control block, what C holds an address of. It outlives the table, so that a handle in a PHP
// thread never points to nothing.
type control struct {
	generation atomic.Uint64
	multi      atomic.Uint64
	tick       atomic.Uint64
	intervals  atomic.Uint64
	_          [4]uint64
	descriptor atomic.Uint64
	id         uint32
	stripes    uint32
	maxValue   atomic.Uint64
	maxKey     atomic.Uint32
	eviction   atomic.Uint32
	nameLen    uint8
	name       [63]byte
	objects    atomic.Uint64
	closed     atomic.Uint64
	listeners  atomic.Uint64
	_          [1]uint64
}

// stripeLine is a stripe's cache line after the control block.
type stripeLine struct {
	version atomic.Uint64
	lock    atomic.Uint32
	_       uint32
	writes  uint64 // see StripeWrites
	_       [StripeSize - 24]byte
}

func controlBytes(stripes int) int64 { return ControlStripe + int64(stripes)*StripeSize }

func newControl(name string, id uint32, stripes int) (*control, error) {
	mem, err := allocate(controlBytes(stripes))
	if err != nil {
		return nil, err
	}
	c := (*control)(unsafe.Pointer(unsafe.SliceData(mem))) // its size is ControlStripe, the least that controlBytes answers
	c.id, c.stripes = id, uint32(stripes)
	c.nameLen = uint8(copy(c.name[:], name))
	return c, nil
}

// line is the line of stripe i < c.stripes.
func (c *control) line(i int) *stripeLine {
	return (*stripeLine)(unsafe.Add(unsafe.Pointer(c), ControlStripe+i*StripeSize))
}
