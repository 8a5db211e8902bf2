//go:build !linux

package resp

import "net"

// direct leaves a connection as it is.
func direct(conn net.Conn) net.Conn { return conn }
