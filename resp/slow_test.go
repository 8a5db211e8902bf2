package resp

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSlowlog(t *testing.T) {
	s := start(t, nil)
	p := dial(t, s.address)
	p.ask("CLIENT SETNAME me")
	require.Equal(t, "+OK\r\n", p.ask("CONFIG SET slowlog-log-slower-than 0"))
	many := strings.Fields("MGET " + strings.Repeat("k ", 40))
	long := strings.Repeat("x", 200)
	p.do(many...)
	p.do("SET", "a", long)
	p.ask("AUTH default secret")
	p.ask("HELLO 2 AUTH default secret")
	p.ask("CONFIG SET slowlog-log-slower-than -1")
	p.ask("PING")
	require.Equal(t, ":3\r\n", p.ask("SLOWLOG LEN"))
	log := p.ask("SLOWLOG GET -1")
	require.NotContains(t, log, "secret")
	require.NotContains(t, log, "PING")
	require.Contains(t, log, bulk(long[:128]+"... (72 more bytes)"))
	require.Contains(t, log, "*32\r\n"+bulk("MGET"))
	require.Contains(t, log, bulk("... (10 more arguments)"))
	require.Regexp(t, regexp.MustCompile(`^\*3\r\n\*6\r\n:2\r\n:\d+\r\n:\d+\r\n\*3\r\n`), log)
	require.Contains(t, log, bulk(p.LocalAddr().String())+bulk("me"))
	require.Equal(t, "+OK\r\n", p.ask("CONFIG SET slowlog-max-len 2"))
	require.Equal(t, ":2\r\n", p.ask("SLOWLOG LEN"))
	require.True(t, strings.HasPrefix(p.ask("SLOWLOG GET 1"), "*1\r\n*6\r\n:2\r\n"))
	p.ask("SLOWLOG RESET")
	require.Equal(t, "*0\r\n", p.ask("SLOWLOG GET"))
}

// A command that takes long is kept with its time, and not those before and after it in its pipeline.
func TestLongCommandIsKept(t *testing.T) {
	cmd := &command{name: "sleep", full: "sleep", arity: 1, run: func(c *client, _ [][]byte) {
		time.Sleep(20 * time.Millisecond)
		c.out.ok()
	}}
	commands["sleep"] = cmd
	t.Cleanup(func() { delete(commands, "sleep") })
	s := start(t, nil)
	p := dial(t, s.address)
	require.Contains(t, p.ask("LATENCY DOCTOR"), "not kept")
	p.ask("CONFIG SET latency-monitor-threshold 10")
	require.Contains(t, p.ask("LATENCY DOCTOR"), "No command has taken 10 milliseconds")
	p.send(append(encode("PING"), append(encode("SLEEP"), encode("PING")...)...))
	for range 3 {
		p.reply()
	}
	require.Equal(t, ":1\r\n", p.ask("SLOWLOG LEN"))
	log := p.ask("SLOWLOG GET")
	require.Contains(t, log, "*1\r\n"+bulk("SLEEP"))
	require.Regexp(t, `^\*1\r\n\*4\r\n\$7\r\ncommand\r\n:\d+\r\n:\d\d+\r\n:\d\d+\r\n$`, p.ask("LATENCY LATEST"))
	require.Regexp(t, `^\*1\r\n\*2\r\n:\d+\r\n:\d\d+\r\n$`, p.ask("LATENCY HISTORY command"))
	require.Contains(t, p.ask("LATENCY DOCTOR"), "command: 1 seconds with a long time")
	require.Equal(t, ":1\r\n", p.ask("LATENCY RESET command nosuch"))
	require.Equal(t, "*0\r\n", p.ask("LATENCY LATEST"))
}
