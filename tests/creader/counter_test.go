package creader

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"github.com/frankenshare/frankenshare/sharedstate"
)

type counterOp struct {
	what   string // "add", "set", "get", "cas"
	by, to int64
}

type counterAnswer struct {
	n  int64
	ok bool
}

var counterModel = porcupine.Model{
	Init: func() any { return int64(0) },
	Step: func(s, in, out any) (bool, any) {
		n, i, o := s.(int64), in.(counterOp), out.(counterAnswer)
		switch i.what {
		case "add":
			return o.n == n+i.by, n + i.by
		case "set":
			return o.n == n, i.to
		case "cas":
			if n == i.by {
				return o.ok, i.to
			}
			return !o.ok, n
		}
		return o.n == n, n
	},
	DescribeOperation: func(in, out any) string { return fmt.Sprintf("%+v -> %+v", in, out) },
}

// counter is what Go's Word and C's Cell have in common.
type counter interface {
	Load() int64
	Swap(n int64) int64
	CompareAndSet(old, n int64) bool
}

func count(t *testing.T, w *sharedstate.Word, inC bool, in counterOp) counterAnswer {
	var c counter = w
	if inC {
		c = CellOf(w)
	}
	switch in.what {
	case "add":
		if inC {
			return counterAnswer{n: CellOf(w).Add(in.by)}
		}
		n, err := w.Add(in.by)
		if err != nil {
			t.Error(err)
		}
		return counterAnswer{n: n}
	case "set":
		return counterAnswer{n: c.Swap(in.to)}
	case "cas":
		return counterAnswer{ok: c.CompareAndSet(in.by, in.to)}
	}
	return counterAnswer{n: c.Load()}
}

// Go and C change one counter.
func TestCounterIsLinearizable(t *testing.T) {
	const clients, each = 6, 10
	s, err := sharedstate.NewStore()
	require.NoError(t, err)
	rounds := 400
	if soaking() {
		rounds = 20_000
	}
	for round := range rounds {
		w, err := s.OpenWord(sharedstate.SharedCounter, "", 0)
		require.NoError(t, err)
		var mu sync.Mutex
		var history []porcupine.Operation
		var all sync.WaitGroup
		start := time.Now()
		for id := range clients {
			dice := rand.New(rand.NewPCG(uint64(round), uint64(id)))
			all.Go(func() {
				for range each {
					in := counterOp{[]string{"add", "add", "set", "get", "cas"}[dice.IntN(5)], dice.Int64N(4), dice.Int64N(4)}
					from := time.Since(start).Nanoseconds()
					out := count(t, w, id%2 == 0, in)
					to := time.Since(start).Nanoseconds()
					mu.Lock()
					history = append(history, porcupine.Operation{ClientId: id, Input: in, Call: from, Output: out, Return: to})
					mu.Unlock()
				}
			})
		}
		all.Wait()
		w.Close()
		if res := porcupine.CheckOperationsTimeout(counterModel, history, 20*time.Second); res != porcupine.Ok {
			t.Fatalf("round %d: %v", round, res)
		}
	}
}
