//go:build break_recheck

package creader

// #cgo CFLAGS: -DFS_BREAK_NO_RECHECK
import "C"
