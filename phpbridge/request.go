package phpbridge

import (
	"slices"
	"sync"
	"sync/atomic"
)

var enders struct {
	mu   sync.Mutex
	list atomic.Pointer[[]func(uint64)]
}

// OnRequestEnd has f called at the end of every PHP request, however it ends, on the request's thread, with the request's
// number, which is never used again in this process. f must neither wait nor call PHP.
func OnRequestEnd(f func(request uint64)) {
	enders.mu.Lock()
	defer enders.mu.Unlock()
	var list []func(uint64)
	if old := enders.list.Load(); old != nil {
		list = slices.Clone(*old)
	}
	list = append(list, f)
	enders.list.Store(&list)
}

func requestEnded(request uint64) {
	store.Reclaim()
	if list := enders.list.Load(); list != nil {
		for _, f := range *list {
			f(request)
		}
	}
}
