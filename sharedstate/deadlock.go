package sharedstate

import (
	"errors"
	"sync"
)

// Requests that wait for one another in a circle would wait for ever. The last of them is refused before its wait begins: whoever is to
// wait follows who has what it wants, what that one waits for, who has that, and so on, and may not come to itself. A request waits for
// one thing at a time, be it a mutex, a lock or a lease: its thread stands still meanwhile, with all of its fibers.

// ErrDeadlock says that a request was not let wait for what it has itself, or for one that waits, over others perhaps, for it.
var ErrDeadlock = errors.New("waiting would never end")

// exclusive is what one request has at a time and others wait for. Its own lock guards it, and while somebody waits for it the graph's
// too.
type exclusive struct {
	holder uint64 // 0 when nobody has it, or it will be free without its holder's doing
}

// waitGraph is the requests of a store that wait. It has no circle, for a request that is given what it waited for waits no more.
type waitGraph struct {
	mu    sync.Mutex
	waits map[uint64]*exclusive // what each request waits for
}

func newWaitGraph() waitGraph { return waitGraph{waits: map[uint64]*exclusive{}} }

// enter notes that a request waits, if that ends some time; x is locked. Request 0 is nobody's, and in no circle.
func (g *waitGraph) enter(request uint64, x *exclusive) error {
	if request == 0 {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for next := x; next != nil; next = g.waits[next.holder] {
		if next.holder == request {
			return ErrDeadlock
		}
	}
	g.waits[request] = x
	return nil
}

// leave notes that a request waits no more.
func (g *waitGraph) leave(request uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.waits, request)
}

// pass gives what is waited for another holder, and notes that the request that it was given to waits no more; x is locked.
func (g *waitGraph) pass(x *exclusive, holder, request uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	x.holder = holder
	delete(g.waits, request)
}
