//go:build faults

package sharedstate

import "sync/atomic"

var faultHook atomic.Pointer[func(point string)]

// SetFaultHook has f called at each fault point, with its name and mostly, but for "lock", with a stripe held; nil ends that. Only in builds
// with the tag faults.
func SetFaultHook(f func(point string)) {
	if f == nil {
		faultHook.Store(nil)
	} else {
		faultHook.Store(&f)
	}
}

func fault(point string) {
	if f := faultHook.Load(); f != nil {
		(*f)(point)
	}
}
