package resp

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// chopped gives its bytes in pieces whose lengths the fuzzer chooses.
type chopped struct {
	bytes, cuts []byte
	given       int
}

func (c *chopped) Read(b []byte) (int, error) {
	if len(c.bytes) == 0 {
		return 0, io.EOF
	}
	n := len(c.bytes)
	if len(c.cuts) > 0 {
		n, c.cuts = int(c.cuts[0])+1, c.cuts[1:]
	}
	n = copy(b, c.bytes[:min(n, len(c.bytes))])
	c.bytes = c.bytes[n:]
	c.given += n
	return n, nil
}

// Whatever comes, and however it is cut, the reader finds the same commands and the same end, and never keeps more than four times what came.
func FuzzReader(f *testing.F) {
	commands, _ := pipeline()
	f.Add(commands, []byte{1, 2, 3})
	f.Add([]byte("*2\r\n$3\r\nGET\r\n$100\r\nx"), []byte{0})
	f.Add([]byte("*1000000\r\n$1\r\na\r\n"), []byte{})
	f.Add([]byte("set \"a\\x0\" 'b\\'' \r\n*0\r\n*-5\r\n\n"), []byte{4, 4})
	f.Add([]byte("*1\r\n$4\r\nPINGxx*1\r\n"), []byte{})
	f.Fuzz(func(t *testing.T, sent, cuts []byte) {
		read := func(l limits, cuts []byte) (all [][]byte, end string) {
			source := &chopped{bytes: slices.Clone(sent), cuts: cuts}
			r := newReader(source, l)
			for {
				args, err := r.next()
				switch {
				case err != nil:
					var broken protocolError
					require.True(t, errors.As(err, &broken))
					return all, err.Error()
				case args != nil:
					require.LessOrEqual(t, len(args), l.args)
					for _, a := range args {
						require.LessOrEqual(t, len(a), max(l.bulk, maxInline))
					}
					all = append(all, bytes.Join(args, []byte{0}))
					continue
				}
				require.LessOrEqual(t, len(r.buf), 4*source.given+keptBuffer)
				if err := r.fill(); err == io.EOF {
					return all, "end"
				} else if err != nil {
					return all, "too large"
				}
			}
		}
		for _, l := range []limits{unauthenticated, {args: 1000, bulk: 1 << 20, request: 1 << 21}} {
			whole, end := read(l, nil)
			cut, cutEnd := read(l, cuts)
			require.Equal(t, whole, cut)
			require.Equal(t, end, cutEnd)
		}
	})
}

// Whatever a client sends, no handler panics.
func FuzzCommands(f *testing.F) {
	commands, _ := pipeline()
	f.Add(commands)
	for _, line := range []string{"MULTI\r\nSET a 1\r\nEXEC\r\n", "WATCH a\r\nGET a\r\n", "HELLO 3\r\nCOMMAND DOCS get\r\n", "SCAN 0 MATCH a* COUNT 5\r\n",
		"SET a 1 EX 5 GET\r\nGETEX a PERSIST\r\n", "OBJECT HELP\r\nCLIENT LIST\r\nINFO\r\n", "SETRANGE a 100 x\r\nINCRBYFLOAT a 1e300\r\n", "COPY a b DB 1\r\nSELECT metrics\r\n"} {
		f.Add([]byte(line))
	}
	s := start(f, nil)
	core, logs := observer.New(zap.ErrorLevel)
	s.SetLogger(zap.New(core))
	f.Fuzz(func(t *testing.T, sent []byte) {
		c := newClient(s.Server, &stream{pipeline: sent, left: 1})
		c.in.buf = make([]byte, len(sent)+1)
		c.serve()
		require.Empty(t, logs.All(), "%q", sent)
	})
}
