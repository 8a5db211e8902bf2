//go:build break_number

package creader

// #cgo CFLAGS: -DFS_BREAK_NUMBER_NO_LOCK
import "C"
