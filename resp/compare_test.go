package resp

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Every reply to the command lines of testdata is, byte for byte, the one that redis-server 7 gives, in both protocols. Lines of a paragraph
// follow one another on empty tables.
func TestRepliesAreRedis(t *testing.T) {
	real := startRedis(t)
	ours := start(t, nil).address
	text, err := os.ReadFile("testdata/commands.txt")
	require.NoError(t, err)
	paragraphs, lines := 0, 0
	for proto := 2; proto <= 3; proto++ {
		for _, paragraph := range strings.Split(string(text), "\n\n") {
			var commands [][]string
			for _, line := range strings.Split(paragraph, "\n") {
				if line == "" || line[0] == '#' {
					continue
				}
				commands = append(commands, words(t, line))
			}
			if len(commands) == 0 {
				continue
			}
			paragraphs++
			lines += len(commands)
			a, b := dial(t, real), dial(t, ours)
			for _, p := range []*peer{a, b} {
				p.do("FLUSHALL")
				p.do("HELLO", fmt.Sprint(proto))
			}
			for _, args := range commands {
				want, got := a.do(args...), b.do(args...)
				if want != got {
					t.Errorf("protocol %d, after %q:\nredis  %q\nours   %q", proto, args, want, got)
				}
			}
			_ = a.Close()
			_ = b.Close()
		}
	}
	t.Logf("%d lines in %d paragraphs", lines, paragraphs)
	require.Greater(t, lines, 800)
}

// words splits a line as redis-cli does.
func words(t *testing.T, line string) (args []string) {
	b := []byte(line)
	spans, ok := splitWords(b, 0, nil)
	require.True(t, ok, "%s", line)
	for _, s := range spans {
		args = append(args, string(b[s.from:s.to]))
	}
	return args
}

// startRedis starts a redis-server that keeps nothing, and answers its address.
func startRedis(t testing.TB) string {
	t.Helper()
	binary, err := exec.LookPath("redis-server")
	if err != nil {
		t.Skip("there is no redis-server to compare with")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	require.NoError(t, l.Close())
	cmd := exec.Command(binary, "--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", t.TempDir())
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it keeps nothing
		_ = cmd.Wait()
	})
	address := "127.0.0.1:" + port
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	}, 10*time.Second, 20*time.Millisecond)
	return address
}

// The names of all commands are Redis', and so are arities and the places of keys.
func TestCommandTableIsRedis(t *testing.T) {
	real := dial(t, startRedis(t))
	for _, cmd := range allCommands() {
		for _, row := range append([]*command{cmd}, cmd.subs...) {
			if slices.Contains([]string{"client|setinfo", "client|no-touch"}, row.full) { // of 7.2
				continue
			}
			reply := strings.Split(real.do("COMMAND", "INFO", row.full), "\r\n")
			require.Greater(t, len(reply), 4, row.full)
			require.Equal(t, row.full, reply[3])
			require.Equal(t, fmt.Sprint(":", row.arity), reply[4], "arity of %s", row.full)
			at := slices.IndexFunc(reply[5:], func(s string) bool { return s != "" && s[0] == ':' }) + 5
			if len(reply) > at+2 {
				require.Equal(t, []string{fmt.Sprint(":", row.keys.first), fmt.Sprint(":", row.keys.last), fmt.Sprint(":", row.keys.step)}, reply[at:at+3], "keys of %s", row.full)
			}
		}
	}
}
