//go:build faults

package sharedstate

import "sync/atomic"

// faultHook is called at each fault point with its name.
var faultHook atomic.Pointer[func(point string)]

func fault(point string) {
	if f := faultHook.Load(); f != nil {
		(*f)(point)
	}
}
