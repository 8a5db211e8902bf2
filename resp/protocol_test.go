package resp

import (
	"bytes"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

// pipeline is a stream of commands and their replies.
func pipeline() (commands []byte, replies string) {
	add := func(reply string, args ...string) {
		commands = append(commands, encode(args...)...)
		replies += reply
	}
	add("+OK\r\n", "SET", "a", "1")
	add(":2\r\n", "INCR", "a")
	add("$1\r\n2\r\n", "GET", "a")
	commands = append(commands, "*0\r\n*-1\r\n\r\nset b \"x\\r\\n\\x00\" \r\nget  'b'\n"...)
	replies += "+OK\r\n$4\r\nx\r\n\x00\r\n"
	add("+OK\r\n", "SET", "c", strings.Repeat("x\r\n", 50))
	add("*2\r\n$4\r\nx\r\n\x00\r\n$-1\r\n", "MGET", "b", "nosuch")
	add("$0\r\n\r\n", "ECHO", "")
	add("+PONG\r\n", "PING")
	return commands, replies
}

// A pipeline may be cut anywhere: fault 107.
func TestFault107PipelinesCutAtEveryByte(t *testing.T) {
	commands, replies := pipeline()
	s := start(t, nil)
	p := dial(t, s.address)
	for cut := range commands {
		p.send(commands[:cut])
		p.send(commands[cut:])
		got := make([]byte, len(replies))
		for i := range got {
			b, err := p.in.ReadByte()
			require.NoError(t, err)
			got[i] = b
		}
		require.Equal(t, replies, string(got), "cut at byte %d", cut)
		require.Equal(t, ":3\r\n", p.ask("DEL a b c"))
	}
	require.Equal(t, "+PONG\r\n", p.ask("PING"))
}

// However the bytes come, the reader finds the same commands.
func TestReaderFindsTheSameCommands(t *testing.T) {
	commands, _ := pipeline()
	read := func(r *reader) (all []string) {
		for {
			args, err := r.next()
			require.NoError(t, err)
			if args != nil {
				all = append(all, fmt.Sprintf("%q", args))
			} else if r.fill() != nil {
				return all
			}
		}
	}
	whole := read(newReader(bytes.NewReader(commands), limits{100, 1000, 10000}))
	require.Len(t, whole, 9)
	require.Equal(t, whole, read(newReader(iotest.OneByteReader(bytes.NewReader(commands)), limits{100, 1000, 10000})))
	require.Equal(t, whole, read(newReader(iotest.HalfReader(bytes.NewReader(commands)), limits{100, 1000, 10000})))
}

// What breaks the protocol is told and ends the connection.
func TestBrokenProtocolEndsTheConnection(t *testing.T) {
	s := start(t, nil)
	for sent, message := range map[string]string{
		"*x\r\n":                                  "invalid multibulk length",
		"*1048577\r\n":                            "invalid multibulk length",
		"*99999999999999999999\r\n":               "invalid multibulk length",
		"*3000000000\r\n":                         "invalid multibulk length",
		"*1\r\nGET\r\n":                           "expected '$', got 'G'",
		"*1\r\n\x01":                              "expected '$', got '\\x01'",
		"*1\r\n$-1\r\n":                           "invalid bulk length",
		"*1\r\n$x\r\n":                            "invalid bulk length",
		"*1\r\n$9999999999\r\n":                   "invalid bulk length",
		"*1\r\n$4\r\nPINGxx":                      "expected CRLF after the bulk",
		"*1\n$4\r\n":                              "expected CRLF after a length",
		"get \"a\r\n":                             "unbalanced quotes in request",
		"get \"a\"b\r\n":                          "unbalanced quotes in request",
		strings.Repeat("x", maxInline+2):          "too big inline request",
		"*" + strings.Repeat("1", maxInline+2):    "too big mbulk count string",
		"*1\r\n$" + strings.Repeat("1", 70<<10):   "too big bulk count string",
		"PING\r\n*1\r\n$4\r\nPING\r\n*1\r\n+\r\n": "expected '$', got '+'",
	} {
		p := dial(t, s.address)
		p.send([]byte(sent))
		require.Contains(t, p.closed(), "-ERR Protocol error: "+message+"\r\n", "%.40q", sent)
	}
	require.Equal(t, "+PONG\r\n", dial(t, s.address).ask("PING"))
}

// Who has given no password sends little: fault 107.
func TestFault107LimitsBeforeThePassword(t *testing.T) {
	s := start(t, func(o *Options) { o.Users = []User{{Name: DefaultUser, Password: "pw"}} })
	for sent, message := range map[string]string{
		"*11\r\n":                         "unauthenticated multibulk length",
		"*2\r\n$16385\r\n":                "unauthenticated bulk length",
		"a b c d e f g h i j k\r\n":       "unauthenticated multibulk length",
		strings.Repeat("x", maxInline+10): "too big inline request",
	} {
		p := dial(t, s.address)
		p.send([]byte(sent))
		require.Equal(t, "-ERR Protocol error: "+message+"\r\n", p.closed(), "%.40q", sent)
	}
	p := dial(t, s.address)
	require.Equal(t, "-NOAUTH Authentication required.\r\n", p.ask("GET a"))
	require.Equal(t, "-WRONGPASS invalid username-password pair or user is disabled.\r\n", p.ask("AUTH wrong"))
	require.Equal(t, "+OK\r\n", p.ask("AUTH pw"))
	require.Equal(t, "+OK\r\n", p.do("SET", "a", strings.Repeat("x", 20000)))
	require.Equal(t, ":1\r\n", p.do(append([]string{"EXISTS"}, strings.Fields("a b c d e f g h i j k l m n")...)...))
}

// Values and keys around the sizes of buffers come back as they were, in any protocol: fault 107.
func TestFault107SizesAroundBuffers(t *testing.T) {
	s := start(t, nil)
	p := dial(t, s.address)
	for _, size := range []int{firstBuffer, 4 << 10, keptBuffer, 32 << 10, 64 << 10, 128 << 10, 1<<20 - 16} {
		for n := size - 16; n <= size+16; n++ {
			value := strings.Repeat("0123456789\r\n$*", n/14+1)[:n]
			key := value[:min(n, 60<<10)]
			require.Equal(t, "+OK\r\n", p.do("SET", key, value))
			require.Equal(t, "$"+strconv.Itoa(n)+"\r\n"+value+"\r\n", p.do("GET", key), "%d bytes", n)
			require.Equal(t, ":1\r\n", p.do("DEL", key))
		}
	}
	require.Contains(t, p.do("SET", "k", strings.Repeat("x", 1<<20+1)), "-ERR value is too large")
	require.Contains(t, p.do("SET", strings.Repeat("x", 64<<10+1), "v"), "-ERR key is too long")
	require.Equal(t, "+PONG\r\n", p.ask("PING"))
}

// A pipeline of 100,000 commands is answered in full, also when the client reads only after it has sent all: fault 107.
func TestFault107DeepPipeline(t *testing.T) {
	s := start(t, nil)
	p := dial(t, s.address)
	const depth = 100000
	go func() {
		_, err := p.Write(bytes.Repeat(encode("INCR", "n"), depth))
		if err != nil {
			t.Error(err)
		}
	}()
	for i := 1; i <= depth; i++ {
		require.Equal(t, fmt.Sprintf(":%d\r\n", i), p.reply())
	}
}

// A pipeline is answered in one write, and a command takes no memory of its own from the heap.
func TestPipelineIsOneWrite(t *testing.T) {
	s := start(t, nil)
	const depth, times = 500, 20
	for _, args := range [][]string{{"PING"}, {"GET", "a"}, {"SET", "a", "xxx"}, {"INCR", "n"}} {
		conn := &stream{pipeline: bytes.Repeat(encode(args...), depth), left: times}
		c := newClient(s.Server, conn)
		c.in.buf = make([]byte, len(conn.pipeline)+1)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		c.serve()
		runtime.ReadMemStats(&after)
		require.Equal(t, times, conn.writes, args)
		require.Less(t, after.Mallocs-before.Mallocs, uint64(depth*times/2), args) // the store keeps lists of what it frees
	}
}
