package resp

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/frankenshare/frankenshare/sharedstate"
)

// classes of keyspace events, by the letters of notify-keyspace-events.
type classes uint32

const (
	classGeneric classes = 1 << iota // del, expire
	classString                      // set
	classExpired
	classEvicted
	classKeyspace // tell on the key's channel
	classKeyevent // tell on the event's channel
	classFirstOfOther
)

// classLetters are all that the parameter may have but A, in the order in which it is shown. There are no lists, sets, hashes, sorted
// sets, streams and modules, so nothing ever happens to one.
const classLetters = "g$lshzxetdKE"

// ofLetter is the class of a letter.
func ofLetter(i int) classes {
	switch classLetters[i] {
	case 'g':
		return classGeneric
	case '$':
		return classString
	case 'x':
		return classExpired
	case 'e':
		return classEvicted
	case 'K':
		return classKeyspace
	case 'E':
		return classKeyevent
	}
	return classFirstOfOther << i
}

// allClasses is A: what can happen, but not where it is told.
var allClasses = func() (all classes) {
	for i := range classLetters {
		all |= ofLetter(i)
	}
	return all &^ (classKeyspace | classKeyevent)
}()

// parseClasses reads notify-keyspace-events; false for a letter that there is not. The classes m, of misses, and n, of new keys, are
// among those: the store does not tell of them.
func parseClasses(text string) (all classes, ok bool) {
	for i := range len(text) {
		if text[i] == 'A' {
			all |= allClasses
		} else if at := strings.IndexByte(classLetters, text[i]); at >= 0 {
			all |= ofLetter(at)
		} else {
			return 0, false
		}
	}
	return all, true
}

func (all classes) String() string {
	var b strings.Builder
	hasAll := all&allClasses == allClasses
	if hasAll {
		b.WriteByte('A')
	}
	for i := range classLetters {
		if of := ofLetter(i); all&of != 0 && !(hasAll && of&allClasses != 0) {
			b.WriteByte(classLetters[i])
		}
	}
	return b.String()
}

// events hears of the changes of all tables, as long as a client wants to know of any: a store that nobody listens to has nothing to
// tell. It is called on the goroutine or PHP thread of the change, and waits for no client: see client.push.
type events struct {
	classes atomic.Uint32
	mu      sync.Mutex // guards cancel
	cancel  func()     // nil when it does not listen
}

// listen begins to listen to the store, or ends it, as clients want.
func (s *Server) listen() {
	e := &s.events
	e.mu.Lock()
	defer e.mu.Unlock()
	wanted := s.tracking.any() || classes(e.classes.Load())&(classKeyspace|classKeyevent) != 0 && s.pubsub.any()
	switch {
	case wanted && e.cancel == nil:
		e.cancel = s.store.Subscribe(s.changed)
	case !wanted && e.cancel != nil:
		e.cancel()
		e.cancel = nil
	}
}

func (s *Server) changed(t *sharedstate.Table, e sharedstate.Event) {
	s.tracking.changed(t, e)
	s.notify(t, e)
}

// eventNames are what a change is called, and its class. That a table was cleared is not told, as in Redis.
var eventNames = map[sharedstate.Op]struct {
	name  string
	class classes
}{
	sharedstate.OpSet:    {"set", classString},
	sharedstate.OpDelete: {"del", classGeneric},
	sharedstate.OpTouch:  {"expire", classGeneric},
	sharedstate.OpExpire: {"expired", classExpired},
	sharedstate.OpEvict:  {"evicted", classEvicted},
}

// notify sends keyspace notifications.
func (s *Server) notify(t *sharedstate.Table, e sharedstate.Event) {
	wanted := classes(s.events.classes.Load())
	event, known := eventNames[e.Op]
	if !known || wanted&event.class == 0 {
		return
	}
	if wanted&classKeyspace != 0 {
		s.pubsub.send(fmt.Sprintf("__keyspace@%d__:%s", s.number(t), e.Key), event.name)
	}
	if wanted&classKeyevent != 0 {
		s.pubsub.send(fmt.Sprintf("__keyevent@%d__:%s", s.number(t), event.name), e.Key)
	}
}
