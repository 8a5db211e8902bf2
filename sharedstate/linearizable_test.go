package sharedstate

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"
)

// Histories of what is shared beside tables. Those of tables and counters, with C readers and writers, are in tests/creader.

// history records operations of several clients.
type history struct {
	mu    sync.Mutex
	start time.Time
	ops   []porcupine.Operation
}

// do makes one operation; a nil output leaves it out, for it has had no effect.
func (h *history) do(client int, in any, call func() any) {
	from := time.Since(h.start).Nanoseconds()
	out := call()
	to := time.Since(h.start).Nanoseconds()
	if out == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ops = append(h.ops, porcupine.Operation{ClientId: client, Input: in, Call: from, Output: out, Return: to})
}

// checkHistories has clients make histories, each by its own dice, and checks them against a model.
func checkHistories(t *testing.T, model porcupine.Model, begin func() (client func(h *history, id int, dice *rand.Rand), end func())) {
	t.Helper()
	const clients = 6
	rounds := 300
	if soaking() {
		rounds = 20_000
	}
	for round := range rounds {
		h := &history{start: time.Now()}
		client, end := begin()
		var all sync.WaitGroup
		for id := range clients {
			all.Go(func() { client(h, id, rand.New(rand.NewPCG(uint64(round), uint64(id)))) })
		}
		all.Wait()
		end()
		if res := porcupine.CheckOperationsTimeout(model, h.ops, 20*time.Second); res != porcupine.Ok {
			t.Fatalf("round %d with %d operations: %v", round, len(h.ops), res)
		}
	}
}

func describe(in, out any) string { return fmt.Sprintf("%+v -> %+v", in, out) }

type lockOp struct {
	what  string // "take", "wait", "free"
	owner string
}

// lockModel is a lock without an expiry: its state is who has it. A token is higher than all before.
type lockState struct {
	owner string
	token uint64
}

type lockAnswer struct {
	token uint64 // 0 when it was not got
	done  bool
}

var lockModel = porcupine.Model{
	Init: func() any { return lockState{} },
	Step: func(s, in, out any) (bool, any) {
		st, i, o := s.(lockState), in.(lockOp), out.(lockAnswer)
		switch {
		case i.what == "free":
			has := st.owner == i.owner
			if has {
				st.owner = ""
			}
			return o.done == has, st
		case o.token == 0: // a wait whose time was over has no moment at which the lock must have been another's
			return i.what == "wait" || st.owner != "", st
		}
		return st.owner == "" && o.token > st.token, lockState{i.owner, o.token}
	},
	DescribeOperation: describe,
}

func TestLockIsLinearizable(t *testing.T) {
	s := newTestStore(t)
	table, err := s.Define("t", DefaultOptions())
	require.NoError(t, err)
	checkHistories(t, lockModel, func() (func(*history, int, *rand.Rand), func()) {
		return func(h *history, id int, dice *rand.Rand) {
			for n := range 8 {
				r := LockRequest{Name: "l", Owner: fmt.Sprint(id), TTL: Forever}
				switch dice.IntN(4) {
				case 0:
					h.do(id, lockOp{"take", r.Owner}, func() any {
						token, err := table.Lock(r)
						if err != nil {
							t.Error(err)
						}
						return lockAnswer{token: token}
					})
				case 1:
					h.do(id, lockOp{"wait", r.Owner}, func() any {
						token, _ := table.LockWithin(r, time.Duration(n)*20*time.Microsecond)
						return lockAnswer{token: token}
					})
				default:
					h.do(id, lockOp{"free", r.Owner}, func() any { return lockAnswer{done: table.Unlock("l", r.Owner)} })
				}
			}
		}, func() { table.UnlockAll() }
	})
}

// With direct hand-over the lock is never free while somebody waits, so those who wait get it in the order of coming.
func TestLockHandsOverInOrder(t *testing.T) {
	s := newTestStore(t)
	table, err := s.Define("t", DefaultOptions())
	require.NoError(t, err)
	ask := func(owner int) LockRequest {
		return LockRequest{Name: "l", Owner: fmt.Sprint(owner), TTL: Forever, Request: uint64(owner + 1)}
	}
	for range 100 {
		dice := rand.New(rand.NewPCG(rand.Uint64(), 1))
		token, err := table.Lock(ask(0))
		require.NoError(t, err)
		require.NotZero(t, token)
		var line []int // of owners that wait
		has := 0
		waits := map[int]interface{ Leave() uint64 }{}
		for next := 1; next < 20 || len(line) > 0; {
			switch {
			case next < 20 && dice.IntN(2) == 0:
				token, w, err := table.Enqueue(ask(next))
				require.NoError(t, err)
				require.Zero(t, token, "it is never free while it is handed over")
				waits[next] = w
				line = append(line, next)
				next++
			case len(line) > 0 && dice.IntN(4) == 0: // somebody gives up
				i := dice.IntN(len(line))
				require.Zero(t, waits[line[i]].Leave())
				line = slices.Delete(line, i, i+1)
			case len(line) > 0:
				require.True(t, table.Unlock("l", fmt.Sprint(has)))
				has, line = line[0], line[1:]
				state, held := table.LockHeld("l")
				require.True(t, held)
				require.Equal(t, fmt.Sprint(has), state.Owner)
				require.Equal(t, state.Token, waits[has].Leave())
			}
		}
		require.True(t, table.Unlock("l", fmt.Sprint(has)))
	}
}

// channelState is a FIFO of at most channelRoom values, and whether it is closed. Comparable, as a string of bytes.
type channelState struct {
	values string
	closed bool
}

const channelRoom = 2

type channelOp struct {
	what  string // "send", "recv", "close"
	value byte
	wait  bool
}

type channelAnswer struct {
	value  byte
	result string // "ok", "not now", "closed"
}

var channelModel = porcupine.Model{
	Init: func() any { return channelState{} },
	Step: func(s, in, out any) (bool, any) {
		st, i, o := s.(channelState), in.(channelOp), out.(channelAnswer)
		switch i.what {
		case "close":
			was := st.closed
			st.closed = true
			return (o.result == "ok") == !was, st
		case "send":
			switch o.result {
			case "closed":
				return st.closed, st
			case "not now": // a wait may have been over at any moment
				return i.wait || !st.closed && len(st.values) == channelRoom, st
			}
			if st.closed || len(st.values) == channelRoom {
				return false, st
			}
			st.values += string([]byte{i.value})
			return true, st
		}
		switch o.result {
		case "closed":
			return st.closed && st.values == "", st
		case "not now":
			return i.wait || !st.closed && st.values == "", st
		}
		if st.values == "" || st.values[0] != o.value {
			return false, st
		}
		st.values = st.values[1:]
		return true, st
	},
	DescribeOperation: describe,
}

func resultOf(err error) string {
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, ErrChannelClosed):
		return "closed"
	}
	return "not now"
}

func TestChannelIsLinearizable(t *testing.T) {
	s := newTestStore(t)
	checkHistories(t, channelModel, func() (func(*history, int, *rand.Rand), func()) {
		c, err := s.OpenChannel("", channelRoom)
		require.NoError(t, err)
		return func(h *history, id int, dice *rand.Rand) {
			for n := range 8 {
				in := channelOp{what: []string{"send", "recv"}[dice.IntN(2)], value: byte(1 + id*8 + n), wait: dice.IntN(2) == 0}
				if dice.IntN(40) == 0 {
					in.what = "close"
				}
				h.do(id, in, func() any { return channelDo(c, in) })
			}
		}, c.Close
	})
}

func channelDo(c *Channel, in channelOp) channelAnswer {
	const patience = 50 * time.Microsecond
	switch in.what {
	case "close":
		if c.Shut() {
			return channelAnswer{result: "ok"}
		}
		return channelAnswer{result: "closed"}
	case "send":
		w, err := c.StartSend(Int(int64(in.value)), in.wait)
		if w != nil {
			_, _ = w.Wait(patience)
			err = w.Sent()
		}
		return channelAnswer{result: resultOf(err)}
	}
	d, w, err := c.StartReceive(in.wait, 0)
	if w != nil {
		_, _ = w.Wait(patience)
		d, err = w.Received()
	}
	if err != nil {
		return channelAnswer{result: resultOf(err)}
	}
	d.Accept()
	n, _ := d.Value.Int()
	return channelAnswer{value: byte(n), result: "ok"}
}
