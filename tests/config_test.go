package tests

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// frankenphp runs a command of the binary in the repository's folder and answers its exit code and output.
func frankenphp(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	binary := os.Getenv("FRANKENPHP")
	require.NotEmpty(t, binary, "FRANKENPHP names the binary to test: run make test-e2e")
	var out, err bytes.Buffer
	cmd := exec.Command(binary, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = "..", &out, &err
	var exit *exec.ExitError
	if failed := cmd.Run(); failed != nil {
		require.ErrorAs(t, failed, &exit)
	}
	return cmd.ProcessState.ExitCode(), out.String(), err.String()
}

// configFile writes a config and answers its path.
func configFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestExampleIsValid(t *testing.T) {
	code, _, stderr := frankenphp(t, "validate", "--config", "Caddyfile.example")
	require.Zero(t, code, stderr)
	code, _, stderr = frankenphp(t, "fmt", "--diff", "Caddyfile.example")
	require.Zero(t, code, stderr)
}

func TestAdaptedConfigIsTheSameShape(t *testing.T) {
	path := configFile(t, "Caddyfile", "{\n\tfrankenphp\n\tshared_state {\n\t\ttable carts {\n\t\t\tmemory 2MiB\n\t\t\tobjects deny\n\t\t}\n\t}\n}\n")
	code, stdout, stderr := frankenphp(t, "adapt", "--config", path)
	require.Zero(t, code, stderr)
	var adapted struct {
		Apps map[string]json.RawMessage
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &adapted))
	require.JSONEq(t, `{"tables": {"carts": {"memory": "2MiB", "objects": "deny"}}}`, string(adapted.Apps["shared_state"]))

	code, stdout, stderr = frankenphp(t, "validate", "--config", configFile(t, "caddy.json", stdout))
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "Valid configuration")
}

func TestValidatePrintsTheTables(t *testing.T) {
	path := configFile(t, "Caddyfile", "{\n\tfrankenphp\n\tshared_state {\n\t\ttable carts {\n\t\t\tmemory 2MiB\n\t\t\teviction lfu {\n\t\t\t\tbuffer 10%\n\t\t\t}\n\t\t}\n\t\tstrict_tables\n\t}\n}\n")
	code, stdout, stderr := frankenphp(t, "validate", "--config", path)
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "Valid configuration")
	for table, settings := range map[string][]any{"carts": {"2MiB", "lfu"}, "default": {"64MiB", "lru"}} {
		line := fmt.Sprintf(`"msg":"shared table","table":%q,"memory":%q,"max_value":"1MiB","eviction":%q`, table, settings[0], settings[1])
		require.Equal(t, 1, strings.Count(stderr, line), stderr)
	}
}

func TestBadConfigIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		command, file, config, message, place string
	}{
		"adapt": {"adapt", "Caddyfile", "{\n\tshared_state {\n\t\ttable default {\n\t\t\tmemory 12\n\t\t}\n\t}\n}\n",
			`table "default": memory "12" is not between 1MiB and`, "Caddyfile:4"},
		"adapt of a second block": {"adapt", "Caddyfile", "{\n\tshared_state\n\tshared_state {\n\t}\n}\n",
			`a second shared_state block: there is one store, so put all tables into the first, at `, "Caddyfile:3"},
		"validate": {"validate", "Caddyfile", "{\n\tshared_state {\n\t\tpersist 1s\n\t}\n}\n",
			`unrecognized option "persist": shared_state knows table, thread_cache, locks_memory, strict_tables, intervals, resp, at `, "Caddyfile:3"},
		"validate a placeholder": {"validate", "Caddyfile", "{\n\tshared_state {\n\t\ttable default {\n\t\t\tmemory {env.SHARED_NOT_SET}\n\t\t}\n\t}\n}\n",
			`memory "{env.SHARED_NOT_SET}"`, `table "default"`},
		"validate JSON": {"validate", "caddy.json", `{"apps": {"shared_state": {"tables": {"default": {"memory": 12}}}}}`,
			`memory "12" is not between 1MiB and`, `table "default"`},
		"validate JSON with an unknown field": {"validate", "caddy.json", `{"apps": {"shared_state": {"persist": "1s"}}}`,
			`unknown field "persist"`, "shared_state"},
	} {
		t.Run(name, func(t *testing.T) {
			code, _, stderr := frankenphp(t, c.command, "--config", configFile(t, c.file, c.config))
			require.Equal(t, 1, code, stderr)
			// In JSON logs quotes stand with a backslash.
			require.Contains(t, unescaped(stderr), c.message)
			require.Contains(t, unescaped(stderr), c.place)
		})
	}
}

func unescaped(s string) string {
	return string(bytes.ReplaceAll([]byte(s), []byte(`\"`), []byte(`"`)))
}
