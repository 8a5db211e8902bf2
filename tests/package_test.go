package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// plainPHP runs a script on a PHP without the extension.
func plainPHP(t *testing.T, args ...string) string {
	t.Helper()
	config := os.Getenv("PHP_CONFIG")
	require.NotEmpty(t, config, "PHP_CONFIG names the php-config of a PHP: run make test-e2e")
	binary, err := exec.Command(config, "--php-binary").Output()
	require.NoError(t, err)
	out, err := exec.Command(strings.TrimSpace(string(binary)), append([]string{"-n", "-d", "zend.assertions=1"}, args...)...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

// scenario is the script that prints what the real array or the fake answers to the same calls.
const scenario = "../php/tests/run.php"

func TestFakeAnswersAsTheRealOne(t *testing.T) {
	real, err := exec.Command(os.Getenv("FRANKENPHP"), "php-cli", scenario, "real").CombinedOutput()
	require.NoError(t, err, "%s", real)
	lines := strings.Split(string(real), "\n")
	require.Greater(t, len(lines), 1000, "%s", real)
	require.NotRegexp(t, complaint, string(real))
	requireLines(t, lines, plainPHP(t, scenario, "fake"))

	fake, err := exec.Command(os.Getenv("FRANKENPHP"), "php-cli", scenario, "fake").CombinedOutput()
	require.NoError(t, err, "%s", fake)
	requireLines(t, lines, string(fake)) // beside the extension
}

// requireLines compares line by line: a difference of two whole texts would be too long to read.
func requireLines(t *testing.T, expected []string, text string) {
	t.Helper()
	lines := strings.Split(text, "\n")
	for i := range min(len(expected), len(lines)) {
		require.Equal(t, expected[i], lines[i], "line %d, after %q", i+1, expected[max(0, i-5):i])
	}
	require.Len(t, lines, len(expected))
}

func TestExamplesWithTheFakeRun(t *testing.T) {
	for _, b := range blocksOf(t, "docs/php.md", "php fake") {
		script := filepath.Join(t.TempDir(), "example.php")
		require.NoError(t, os.WriteFile(script, []byte(b.text), 0o600))
		prelude := filepath.Join(t.TempDir(), "autoload.php")
		sources, err := filepath.Abs("../php/src/Testing")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(prelude, []byte("<?php foreach (['Clock', 'Value', 'ArraySharedLock', 'ArraySharedArray'] as $c) { require '"+sources+"/' . $c . '.php'; }"), 0o600))
		require.Empty(t, plainPHP(t, "-d", "auto_prepend_file="+prelude, script), "docs/php.md:%d", b.line)
	}
}

// The stubs are of no use to a tool that cannot parse them.
func TestStubsParse(t *testing.T) {
	require.Contains(t, plainPHP(t, "-l", "../php/stubs/frankenshare.php"), "No syntax errors")
}
