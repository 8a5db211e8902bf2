package resp

import (
	"io"
	"net"
	"syscall"
	"unsafe"
)

// socket reads and writes a connection's file descriptor, which never blocks, without telling Go's scheduler of a system call: it would
// hand the processor on and wake another thread, which costs more than the call.
type socket struct {
	net.Conn
	raw syscall.RawConn

	in, out       []byte
	inN, outN     int
	inErr, outErr syscall.Errno
	read, write   func(fd uintptr) bool // made once
}

// direct gives a connection that is a socket its short way, and another as it is.
func direct(conn net.Conn) net.Conn {
	s, ok := conn.(syscall.Conn)
	if !ok {
		return conn
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return conn
	}
	d := &socket{Conn: conn, raw: raw}
	d.read, d.write = d.readOnce, d.writeOnce
	return d
}

// readOnce reads what there is; false when that is nothing yet. len(in) is not 0.
func (s *socket) readOnce(fd uintptr) bool {
	s.inN, s.inErr = call(syscall.SYS_READ, fd, s.in)
	return s.inErr != syscall.EAGAIN
}

// Read is as of a net.Conn.
func (s *socket) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	s.in = b
	err := s.raw.Read(s.read)
	s.in = nil
	switch {
	case err != nil:
		return 0, err
	case s.inErr != 0:
		return 0, s.inErr
	case s.inN == 0:
		return 0, io.EOF
	}
	return s.inN, nil
}

// writeOnce writes what there is room for; false when some is left.
func (s *socket) writeOnce(fd uintptr) bool {
	for s.outN < len(s.out) {
		n, err := call(syscall.SYS_WRITE, fd, s.out[s.outN:])
		if err != 0 {
			s.outErr = err
			return err != syscall.EAGAIN
		}
		s.outN += n
	}
	s.outErr = 0
	return true
}

// Write is as of a net.Conn.
func (s *socket) Write(b []byte) (int, error) {
	s.out, s.outN, s.outErr = b, 0, 0
	err := s.raw.Write(s.write)
	s.out = nil
	switch {
	case err != nil:
		return s.outN, err
	case s.outErr != 0:
		return s.outN, s.outErr
	}
	return s.outN, nil
}

// call reads into or writes from b, which is not empty and stays alive during the call; again when a signal has interrupted it.
func call(number, fd uintptr, b []byte) (int, syscall.Errno) {
	for {
		n, _, err := syscall.RawSyscall(number, fd, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
		if err != syscall.EINTR {
			return int(n), err
		}
	}
}
