//go:build poison

package sharedstate

import "unsafe"

// poison overwrites a cell before it is freed, so that a reader that still looks at it gives a wrong answer at once.
func poison(a *arena, units uint64) {
	b := unsafe.Slice((*byte)(a.at(units)), a.cells.sizeOf(units)) // the cell's own size
	for i := range b {
		b[i] = 0xDD
	}
}
