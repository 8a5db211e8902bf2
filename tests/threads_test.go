package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A thread that PHP code starts runs beside its request's, in the same server context: it must not be taken for it. The extension that
// starts them does what ext-parallel does.
func TestFault010ThreadsOfARequest(t *testing.T) {
	library := filepath.Join(t.TempDir(), "threads.so")
	includes, err := exec.Command(os.Getenv("PHP_CONFIG"), "--includes").Output()
	require.NoError(t, err)
	args := append(strings.Fields(string(includes)), "-D_GNU_SOURCE", "-DZEND_ENABLE_STATIC_TSRMLS_CACHE=1", "-DCOMPILE_DL_THREADS", "-O2", "-Wall", "-Werror",
		"-shared", "-fPIC", "-o", library, "threads/threads.c")
	out, err := exec.Command("gcc", args...).CombinedOutput()
	require.NoError(t, err, "%s", out)

	s := start(t, settings{SharedState: "shared_state", INI: map[string]string{"extension": library}})
	inBothModes(t, func(t *testing.T, m mode) { s.check(t, m, "fault_010") })
	for range 3 {
		require.NoError(t, s.reload())
		s.check(t, single, "fault_010")
	}
}
