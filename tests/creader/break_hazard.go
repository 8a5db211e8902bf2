//go:build break_hazard

package creader

// #cgo CFLAGS: -DFS_BREAK_NO_HAZARD
import "C"
