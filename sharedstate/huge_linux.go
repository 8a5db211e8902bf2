//go:build !race

package sharedstate

import "golang.org/x/sys/unix"

// wantHugePages asks for huge pages; a kernel that has none goes on with others.
func wantHugePages(mem []byte) { _ = unix.Madvise(mem, unix.MADV_HUGEPAGE) }
