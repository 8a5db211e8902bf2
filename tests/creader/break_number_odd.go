//go:build break_number_odd

package creader

// #cgo CFLAGS: -DFS_BREAK_NUMBER_NO_ODD
import "C"
