//go:build race || !linux

package creader

import "testing"

// slowness is by how much a test is to do less: the detector slows it down.
const slowness = 8

// residentBytes answers nothing here: under the race detector arenas are in the Go heap, which keeps what it has.
func residentBytes(*testing.T) int64 { return 0 }
