package resp

import (
	"bytes"
	"io"
	"net"
	"testing"
	"time"
)

// stream is a connection that gives the same pipeline again and again and takes all replies.
type stream struct {
	net.Conn
	pipeline []byte
	left     int
	writes   int
}

func (s *stream) Read(b []byte) (int, error) {
	if s.left--; s.left < 0 {
		return 0, io.EOF
	}
	return copy(b, s.pipeline), nil
}

func (s *stream) Write(b []byte) (int, error) {
	s.writes++
	return len(b), nil
}

func (s *stream) Close() error                     { return nil }
func (s *stream) SetReadDeadline(time.Time) error  { return nil }
func (s *stream) SetWriteDeadline(time.Time) error { return nil }
func (s *stream) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (s *stream) RemoteAddr() net.Addr             { return &net.TCPAddr{} }

// What commands cost without the network, as redis-benchmark sends them: 16 in a pipeline.
func BenchmarkCommands(b *testing.B) {
	mset := []string{"MSET"}
	for range 10 {
		mset = append(mset, "key:__rand_int__", "xxx")
	}
	for _, args := range [][]string{{"PING"}, {"GET", "key:__rand_int__"}, {"SET", "key:__rand_int__", "xxx"}, {"INCR", "counter:__rand_int__"}, mset} {
		b.Run(args[0], func(b *testing.B) {
			s := start(b, nil)
			dial(b, s.address).do("SET", "key:__rand_int__", "xxx")
			const depth = 16
			c := newClient(s.Server, &stream{pipeline: bytes.Repeat(encode(args...), depth), left: b.N/depth + 1})
			c.in.buf = make([]byte, keptBuffer)
			b.ReportAllocs()
			b.ResetTimer()
			c.serve()
		})
	}
}
