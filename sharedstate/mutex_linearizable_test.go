package sharedstate

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"
)

// What a holder does with the register that a mutex protects: each reads it first.
const (
	holdCommit  = iota // sets it
	holdDiscard        // sets it, and dies before it commits
	holdLate           // commits after its request has ended
	holdTry            // sets it if nobody else has it
)

type holdInput struct {
	how int
	set int64
}

type holdOutput struct {
	busy bool // another one had it
	old  int64
}

var registerModel = porcupine.Model{
	Init: func() any { return int64(0) },
	Step: func(state, in, out any) (bool, any) {
		i, o := in.(holdInput), out.(holdOutput)
		switch {
		case o.busy:
			return true, state
		case i.how == holdCommit || i.how == holdTry:
			return o.old == state, i.set
		default:
			return o.old == state, state
		}
	},
	DescribeOperation: func(in, out any) string { return fmt.Sprintf("%+v -> %+v", in, out) },
}

func TestMutexIsLinearizable(t *testing.T) {
	rounds := 200
	if soaking() {
		rounds = 5000
	}
	s := newTestStore(t)
	for round := range rounds {
		m := newTestMutex(t, s, "", Int(0))
		const clients, each = 8, 12
		var mu sync.Mutex
		var history []porcupine.Operation
		var all sync.WaitGroup
		start := time.Now()
		for c := range clients {
			all.Go(func() {
				dice := rand.New(rand.NewPCG(uint64(round), uint64(c)))
				for i := range each {
					in := holdInput{dice.IntN(4), int64(c*each + i + 1)}
					from := time.Since(start).Nanoseconds()
					out := useRegister(t, m, uint64(round*clients*each+c*each+i+1), in)
					to := time.Since(start).Nanoseconds()
					mu.Lock()
					history = append(history, porcupine.Operation{ClientId: c, Input: in, Call: from, Output: out, Return: to})
					mu.Unlock()
				}
			})
		}
		all.Wait()
		require.Equal(t, porcupine.Ok, porcupine.CheckOperationsTimeout(registerModel, history, 20*time.Second), "round %d", round)
		m.Close()
	}
}

// useRegister is one holder.
func useRegister(t *testing.T, m *Mutex, request uint64, in holdInput) holdOutput {
	var token uint64
	var turn *Turn
	var err error
	if in.how == holdTry {
		if token, err = m.TryLock(request); err != nil {
			return holdOutput{busy: true}
		}
	} else if token, turn, err = m.Enqueue(request); turn != nil {
		token, err = turn.Wait(pass)
	}
	v, failed := m.Value(token)
	if err != nil || failed != nil {
		t.Error(err, failed)
	}
	old, _ := v.Int()
	switch in.how {
	case holdDiscard:
		m.Unlock(token)
	case holdLate:
		m.store.EndRequest(request)
		if m.Commit(token, Int(in.set)) == nil {
			t.Error("a late commit is taken")
		}
	default:
		if err := m.Commit(token, Int(in.set)); err != nil {
			t.Error(err)
		}
	}
	return holdOutput{old: old}
}
