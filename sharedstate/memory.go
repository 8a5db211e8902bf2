//go:build !race

package sharedstate

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// allocate maps n bytes of zeroed memory outside the Go heap. Pages cost nothing until they are touched.
func allocate(n int64) ([]byte, error) {
	mem, err := unix.Mmap(-1, 0, int(n), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, fmt.Errorf("mapping %d bytes: %w", n, err)
	}
	return mem, nil
}

// release gives memory from allocate back. Nobody may hold an address inside it.
func release(mem []byte) error {
	return unix.Munmap(mem)
}
