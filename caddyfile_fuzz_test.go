package frankenshare

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/stretchr/testify/require"
)

var place = regexp.MustCompile(`at Caddyfile:\d+`)

// Whatever the text: a block that is refused is refused with its line; one that is taken comes to JSON that means the same, to
// settings that the store takes, and to no error later but for a placeholder.
func FuzzCaddyfile(f *testing.F) {
	files, err := filepath.Glob("testdata/*.caddyfiletest")
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(f, err)
		input, _, _ := strings.Cut(string(data), "----------\n")
		_, block, found := strings.Cut(input, "shared_state")
		if found {
			f.Add(block)
		}
	}
	f.Fuzz(func(t *testing.T, block string) {
		tokens, err := caddyfile.Tokenize([]byte("{\n\tshared_state"+block), "Caddyfile")
		if err != nil || len(tokens) < 2 || tokens[1].Text != "shared_state" {
			return
		}
		d := caddyfile.NewDispenser(tokens[1:])
		var taken App
		if err := taken.UnmarshalCaddyfile(d); err != nil {
			require.Regexp(t, place, err.Error())
			return
		}
		text, err := json.Marshal(taken)
		require.NoError(t, err)
		var again App
		require.NoError(t, caddy.StrictUnmarshalJSON(text, &again))
		require.NoError(t, taken.resolve(nil))
		require.NoError(t, again.resolve(nil))
		require.Equal(t, taken.settings, again.settings)
		for name, o := range again.settings.tables {
			require.NoError(t, o.Validate(), name)
		}
	})
}
