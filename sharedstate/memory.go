//go:build !race

package sharedstate

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// hugeFrom is the size from which a mapping asks for huge pages: keys are spread over all of it, and each lookup would else wait for the
// page table. A smaller one would be touched whole for a few rows.
const hugeFrom = 16 << 20

// allocate maps n bytes of zeroed memory outside the Go heap. Pages cost nothing until they are touched.
func allocate(n int64) ([]byte, error) {
	mem, err := unix.Mmap(-1, 0, int(n), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, fmt.Errorf("mapping %d bytes: %w", n, err)
	}
	if n >= hugeFrom {
		wantHugePages(mem)
	}
	return mem, nil
}

// release gives memory from allocate back. Nobody may hold an address inside it.
func release(mem []byte) error {
	return unix.Munmap(mem)
}
