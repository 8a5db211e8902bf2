//go:build !race

package creader

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// slowness is by how much a test is to do less.
const slowness = 1

// residentBytes is the process's resident memory.
func residentBytes(t *testing.T) int64 {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	require.NoError(t, err)
	var size, resident int64
	_, err = fmt.Sscan(string(text), &size, &resident)
	require.NoError(t, err)
	return resident * int64(os.Getpagesize())
}
