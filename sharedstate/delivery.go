package sharedstate

import (
	"slices"
	"sync"
	"sync/atomic"
)

// Delivery is a value on its way to a receiver. Whoever has one ends it by Accept or Return.
type Delivery struct {
	Value   Value
	channel *Channel
	request uint64
	number  uint64
	ended   atomic.Bool
}

// deliveries are those that are on their way to PHP requests, for none may get lost with one.
type deliveries struct {
	mu   sync.Mutex
	of   map[uint64]*Delivery // by number
	last uint64
}

func (c *Channel) deliver(v Value, request uint64) *Delivery {
	d := &Delivery{Value: v, channel: c, request: request}
	if request != 0 {
		ds := &c.store.deliveries
		ds.mu.Lock()
		defer ds.mu.Unlock()
		ds.last++
		d.number = ds.last
		ds.of[d.number] = d
	}
	return d
}

// Number is that by which Store.Delivery knows a request's delivery.
func (d *Delivery) Number() uint64 { return d.number }

// Delivery is a request's delivery that has not ended; nil when there is none of that number.
func (s *Store) Delivery(number uint64) *Delivery {
	s.deliveries.mu.Lock()
	defer s.deliveries.mu.Unlock()
	return s.deliveries.of[number]
}

// end says whether a delivery had not ended before, as with its request.
func (d *Delivery) end() bool {
	if d.request != 0 {
		ds := &d.channel.store.deliveries
		ds.mu.Lock()
		delete(ds.of, d.number)
		ds.mu.Unlock()
	}
	return d.ended.CompareAndSwap(false, true)
}

// Accept ends a delivery: the value is the receiver's, and references that it held are gone. It says whether the delivery had not ended
// before.
func (d *Delivery) Accept() bool {
	if !d.end() {
		return false
	}
	d.channel.store.discard(d.Value)
	return true
}

// Return gives a value back that could not be received: to the first who waits, or to the head of the channel, from where it came.
func (d *Delivery) Return() {
	if !d.end() {
		return
	}
	c := d.channel
	if !c.takeBack(d.Value) {
		c.store.discard(d.Value)
	}
}

// takeBack is false when the channel is gone.
func (c *Channel) takeBack(v Value) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return false
	}
	if !c.handOverLocked(v) {
		c.messages = slices.Insert(c.messages, 0, v)
	}
	return true
}

// returnAll gives back what a request that has ended did not accept.
func (ds *deliveries) returnAll(request uint64) {
	ds.mu.Lock()
	var left []*Delivery
	for _, d := range ds.of {
		if d.request == request {
			left = append(left, d)
		}
	}
	ds.mu.Unlock()
	slices.SortFunc(left, func(x, y *Delivery) int { return int(y.number) - int(x.number) }) // the first comes to stand first
	for _, d := range left {
		d.Return()
	}
}
