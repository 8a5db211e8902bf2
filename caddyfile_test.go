package frankenshare

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/stretchr/testify/require"
)

// Each file holds a Caddyfile, a line of ten dashes, and the JSON it comes to or a part of the error it is refused with.
func TestCaddyfile(t *testing.T) {
	files, err := filepath.Glob("testdata/*.caddyfiletest")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".caddyfiletest"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			input, expected, found := strings.Cut(string(data), "----------\n")
			require.True(t, found, "no line of dashes")
			expected = strings.TrimSpace(expected)
			require.NotEmpty(t, expected)
			adapted, warnings, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(input), nil)
			if expected[0] != '{' {
				require.ErrorContains(t, err, expected)
				return
			}
			require.NoError(t, err)
			require.Empty(t, warnings)
			require.JSONEq(t, expected, string(adapted))
		})
	}
}
