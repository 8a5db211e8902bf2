// Package ext is the Zend extension: FrankenPHP\SharedArray in C. It knows the Go side only as the table of function
// pointers that it is given.
package ext

// The paths of PHP's headers come with CGO_CFLAGS, from the php-config of the PHP that FrankenPHP is built with.

// #cgo CFLAGS: -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Wno-unused-parameter
// #cgo pkg-config: libxxhash
// #cgo LDFLAGS: -lphp
// #include "bridge.h"
import "C"

import "unsafe"

// Install puts the extension into every start of the PHP engine in this process. bridge points to a C fs_bridge, which
// is copied. To be called once, from an init function.
func Install(bridge unsafe.Pointer) {
	C.fs_install((*C.fs_bridge)(bridge))
}
