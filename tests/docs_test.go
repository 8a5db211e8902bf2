package tests

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// block is a fenced block of a document, and the one that follows it.
type block struct {
	info, text string
	line       int
	next       *block
}

var fences = regexp.MustCompile("(?ms)^```([^\n]+)\n(.*?)^```$")

// blocksOf are a document's blocks with that info string.
func blocksOf(t *testing.T, document, info string) (found []*block) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", document))
	require.NoError(t, err)
	var last *block
	end := 0
	for _, m := range fences.FindAllSubmatchIndex(text, -1) {
		b := &block{string(text[m[2]:m[3]]), string(text[m[4]:m[5]]), 1 + bytes.Count(text[:m[0]], []byte("\n")), nil}
		if last != nil && len(bytes.TrimSpace(text[end:m[0]])) == 0 {
			last.next = b
		}
		if b.info == info {
			found = append(found, b)
		}
		last, end = b, m[1]
	}
	require.NotEmpty(t, found, "%s has no %s block", document, info)
	return found
}

// runs runs a command of the binary in a folder of its own that holds one file.
func runs(t *testing.T, file, text string, args ...string) string {
	t.Helper()
	cmd := exec.Command(os.Getenv("FRANKENPHP"), args...)
	cmd.Dir = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(cmd.Dir, file), []byte(text), 0o600))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s%s", out, stderr.String())
	return string(out)
}

func runPHP(t *testing.T, script string) string {
	t.Helper()
	return runs(t, "example.php", script, "php-cli", "example.php")
}

// complaint is how PHP begins what it has to say against a script.
var complaint = regexp.MustCompile(`(?m)^(PHP )?(Deprecated|Notice|Warning|Fatal error|Parse error): `)

func TestExamplesInPHPRunAsTheDocumentsSay(t *testing.T) {
	compared := 0
	for _, document := range []string{"docs/php.md", "README.md"} {
		for _, b := range blocksOf(t, document, "php") {
			script := b.text
			if !strings.HasPrefix(script, "<?php") {
				script = "<?php\n" + script
			}
			out := runPHP(t, script)
			require.NotRegexp(t, complaint, out, "%s:%d", document, b.line)
			if b.next != nil && b.next.info == "text" {
				require.Equal(t, b.next.text, out, "%s:%d", document, b.line)
				compared++
			}
		}
	}
	require.NotZero(t, compared, "no example shows its output")
}

// Their page needs a server; that the parser takes it is what a command can show.
func TestWorkerExamplesParse(t *testing.T) {
	for _, b := range blocksOf(t, "docs/php.md", "php worker") {
		require.NotContains(t, b.text, "\nPAGE;")
		out := runPHP(t, "<?php\ntoken_get_all(<<<'PAGE'\n"+b.text+"PAGE, TOKEN_PARSE);\necho 'parsed';\n")
		require.Equal(t, "parsed", out, "docs/php.md:%d", b.line)
	}
}

func TestDocumentNamesAllOfTheStub(t *testing.T) {
	stub, err := os.ReadFile("../ext/frankenshare.stub.php")
	require.NoError(t, err)
	document, err := os.ReadFile("../docs/php.md")
	require.NoError(t, err)

	// The methods of the interface end in a semicolon, those of the class in a body; but for what is not called by name they are the same.
	methods := signatures(stub, `public (?:static )?function (.+) \{\}`)
	declared := signatures(stub, `public function (.+);`)
	functions := signatures(stub, `(?m)^    function (.+) \{\}`)
	require.Len(t, slices.Concat(methods, declared, functions), bytes.Count(stub, []byte("function "))-bytes.Count(stub, []byte("private function ")), "a method that this test does not see")
	for _, f := range functions {
		require.Contains(t, string(document), f, "docs/php.md lacks a function")
	}
	for _, m := range methods {
		require.Contains(t, string(document), "`"+m+"`", "docs/php.md lacks a method")
	}
	shared, _, found := bytes.Cut(stub, []byte("final class SharedCounter")) // those before have an interface
	require.True(t, found)
	called := slices.DeleteFunc(signatures(shared, `public function (.+) \{\}`), func(m string) bool { return strings.HasPrefix(m, "__") })
	for i, m := range declared { // the class says which lock it makes
		declared[i] = strings.ReplaceAll(m, "SharedLockInterface", "SharedLock")
	}
	require.Equal(t, called, declared)
	classes := regexp.MustCompile(`(?m)^ +(?:(?:final )?class|interface) (\w+)`).FindAllSubmatch(stub, -1)
	require.NotEmpty(t, classes)
	for _, c := range classes {
		require.True(t, bytes.Contains(document, []byte("`"+string(c[1])+"`")), "docs/php.md lacks the class %s", c[1])
	}
	for _, heading := range regexp.MustCompile("(?m)^### `(.+)`$").FindAllSubmatch(document, -1) {
		require.True(t, bytes.Contains(stub, []byte("public function "+string(heading[1])+" {}")), "docs/php.md has %s, the stub has not", heading[1])
	}
}

func signatures(stub []byte, pattern string) (found []string) {
	for _, m := range regexp.MustCompile(pattern).FindAllSubmatch(stub, -1) {
		found = append(found, string(m[1]))
	}
	return found
}

func TestExamplesOfConfigurationsAreWhatTheySay(t *testing.T) {
	compared := 0
	for _, document := range []string{"docs/configuration.md", "docs/concepts.md", "README.md"} {
		for _, b := range blocksOf(t, document, "caddyfile") {
			out := runs(t, "Caddyfile", b.text, "adapt", "--config", "Caddyfile")
			if b.next == nil || b.next.info != "json" {
				continue
			}
			var adapted struct {
				Apps map[string]json.RawMessage
			}
			require.NoError(t, json.Unmarshal([]byte(out), &adapted))
			require.JSONEq(t, b.next.text, string(adapted.Apps["shared_state"]), "%s:%d", document, b.line)
			compared++
		}
	}
	require.NotZero(t, compared, "no example shows its JSON")
}

var link = regexp.MustCompile(`\]\(([^)#:]+\.md)?(#[^)]+)?\)`)

// anchor is what a heading's link ends in.
func anchor(heading string) string {
	kept := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(heading), "")
	return "#" + strings.ReplaceAll(kept, " ", "-")
}

func TestLinksBetweenDocumentsLead(t *testing.T) {
	documents, err := filepath.Glob("../docs/*.md")
	require.NoError(t, err)
	for _, document := range append(documents, "../README.md") {
		text, err := os.ReadFile(document)
		require.NoError(t, err)
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			to := document
			if m[1] != "" {
				to = filepath.Join(filepath.Dir(document), m[1])
			}
			target, err := os.ReadFile(to)
			require.NoError(t, err, "%s: %s", document, m[0])
			if m[2] == "" {
				continue
			}
			var anchors []string
			for _, h := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllSubmatch(target, -1) {
				anchors = append(anchors, anchor(string(h[1])))
			}
			require.Contains(t, anchors, m[2], "%s: %s", document, m[0])
		}
	}
}

// The image's FrankenPHP and the one that go.mod requires are built against the same PHP.
func TestDockerfileNamesTheVersionOfGoMod(t *testing.T) {
	mod, err := os.ReadFile("../go.mod")
	require.NoError(t, err)
	required := regexp.MustCompile(`github\.com/dunglas/frankenphp v(\S+)`).FindSubmatch(mod)
	require.NotNil(t, required)
	dockerfile, err := os.ReadFile("../Dockerfile")
	require.NoError(t, err)
	named := regexp.MustCompile(`(?m)^ARG FRANKENPHP=(.+)$`).FindSubmatch(dockerfile)
	require.NotNil(t, named)
	require.Equal(t, string(required[1]), string(named[1]))
}
