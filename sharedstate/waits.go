package sharedstate

import "sync"

// waits ends what PHP threads wait for in Go when the server is to load another configuration: it is an edge, so that a configuration
// that is refused afterwards does no lasting harm. A wait that is made of several calls remembers when it began.
type waits struct {
	mu    sync.Mutex
	ended chan struct{} // closed by Drain
	count uint64        // of drains, and one: 0 is before all
}

func newWaits() *waits { return &waits{ended: make(chan struct{}), count: 1} }

// begin answers the channel that ends a wait that begins now or, when since is not 0, began then; nil when that wait has been ended
// already. It sets since.
func (w *waits) begin(since *uint64) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if since != nil {
		if *since != 0 && *since != w.count {
			return nil
		}
		*since = w.count
	}
	return w.ended
}

// Drain ends all waits that are in progress; a wait that begins later is not touched. It is called when a new configuration takes
// over, whose PHP threads cannot start while old ones wait.
func (s *Store) Drain() {
	w := s.waits
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.ended)
	w.ended = make(chan struct{})
	w.count++
}
