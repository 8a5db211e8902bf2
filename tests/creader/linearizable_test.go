//go:build faults

package creader

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"github.com/frankenshare/frankenshare/sharedstate"
)

// The history's operations. A value is an int; absent is noValue.
type op int

const (
	opGet op = iota
	opSet
	opDelete
	opPull
	opAdd
	opCompareAndSet
	opIncrement
	opTouch
	opMerge
	opReplace
	opClear
	opSnapshot
)

const (
	keys    = 4
	noValue = int64(-1)
	step    = 1000 // an increment's unit: above every other number of a round
)

type input struct {
	op  op
	key int
	all [keys]int64 // what is written; noValue leaves a key out of a merge or replace
	old int64       // of a compare-and-set
	ttl bool        // of a touch: far away, or else over
}

type output struct {
	value int64
	ok    bool
	all   [keys]int64
}

type state [keys]int64

var emptyState = state{noValue, noValue, noValue, noValue}

// model is the whole table, so that a merge seen in part is a violation.
var model = porcupine.Model{
	Init: func() any { return emptyState },
	Step: func(s, in, out any) (bool, any) {
		st, i, o := s.(state), in.(input), out.(output)
		switch i.op {
		case opGet:
			return st[i.key] == o.value, st
		case opSet:
			st[i.key] = i.all[i.key]
			return true, st
		case opDelete:
			had := st[i.key] != noValue
			st[i.key] = noValue
			return o.ok == had, st
		case opPull:
			had := st[i.key]
			st[i.key] = noValue
			return o.value == had, st
		case opAdd:
			absent := st[i.key] == noValue
			if absent {
				st[i.key] = i.all[i.key]
			}
			return o.ok == absent, st
		case opCompareAndSet:
			same := i.old != noValue && st[i.key] == i.old
			if same {
				st[i.key] = i.all[i.key]
			}
			return o.ok == same, st
		case opIncrement:
			if st[i.key] != noValue && !isInt(st[i.key]) {
				return !o.ok, st // refused: it is a text
			}
			st[i.key] = max(st[i.key], 0) + i.all[i.key]
			return o.ok && o.value == st[i.key], st
		case opTouch:
			had := st[i.key] != noValue
			if !i.ttl {
				st[i.key] = noValue
			}
			return o.ok == had, st
		case opMerge:
			for k, v := range i.all {
				if v != noValue {
					st[k] = v
				}
			}
			return true, st
		case opReplace:
			return o.all == st, state(i.all)
		case opClear:
			return true, emptyState
		default:
			return o.all == st, st
		}
	},
	DescribeOperation: func(in, out any) string { return fmt.Sprintf("%+v -> %+v", in, out) },
}

var names = [keys]string{"a", "b", "c", "d"}

// The table is so small, and each row so large, that cells are reused at once.
func newTable(t *testing.T) (*sharedstate.Store, *sharedstate.Table) {
	s, err := sharedstate.NewStore()
	require.NoError(t, err)
	o := sharedstate.DefaultOptions()
	o.Memory = sharedstate.MinMemory
	table, err := s.Define("t", o)
	require.NoError(t, err)
	return s, table
}

// encode stores a number either as an int (changed in place) or as a string that repeats it, so that a torn or foreign read
// shows.
func isInt(n int64) bool { return n%2 == 0 }

func encode(n int64) sharedstate.Value {
	if isInt(n) {
		return sharedstate.Int(n)
	}
	return sharedstate.String(fmt.Sprintf("%08d%08d%08d", n, n, n))
}

func decode(a Answer, v sharedstate.Value) (int64, error) {
	if a.Kind == sharedstate.KindInt {
		return int64(a.Number), nil
	}
	s, _ := v.Str()
	var x, y, z int64
	if _, err := fmt.Sscanf(s, "%08d%08d%08d", &x, &y, &z); err != nil || x != y || y != z {
		return 0, fmt.Errorf("torn or foreign value %q", s)
	}
	return x, nil
}

func rounds() int {
	if soaking() {
		return 20_000
	}
	return 400
}

// Histories of 8 writers, of which 4 change numbers in C where that can be, and 4 C readers with gates must be linearizable. With the build tag break_recheck or break_odd a
// violation must be found.
func TestHistoriesAreLinearizable(t *testing.T) {
	// Writers sleep inside their brackets, readers between any two steps: an overlap that a machine with few cores would
	// show once in a million happens all the time.
	sharedstate.SetFaultHook(func(string) {
		if rand.IntN(4) == 0 {
			time.Sleep(time.Microsecond)
		}
	})
	PauseAt(8, time.Microsecond)
	defer sharedstate.SetFaultHook(nil)
	defer PauseAt(0, 0)
	store, table := newTable(t)
	for round := range rounds() {
		require.NoError(t, table.Clear())
		history := runRound(t, store, table, uint64(round))
		if res := porcupine.CheckOperationsTimeout(model, history, 20*time.Second); res != porcupine.Ok {
			t.Fatalf("round %d with %d operations: %v", round, len(history), res)
		}
	}
	require.NoError(t, table.Check())
	require.Greater(t, inPlace.Load(), int64(rounds()), "numbers that C has changed in place")
}

func runRound(t *testing.T, store *sharedstate.Store, table *sharedstate.Table, seed uint64) []porcupine.Operation {
	const writers, readers, writes, reads = 8, 4, 6, 24
	var mu sync.Mutex
	var history []porcupine.Operation
	start := time.Now()
	var begin, end sync.WaitGroup
	begin.Add(1)
	record := func(client int, in input, call func() output) {
		from := time.Since(start).Nanoseconds()
		out := call()
		to := time.Since(start).Nanoseconds()
		mu.Lock()
		history = append(history, porcupine.Operation{ClientId: client, Input: in, Call: from, Output: out, Return: to})
		mu.Unlock()
	}
	var fresh int64
	next := func() int64 { mu.Lock(); defer mu.Unlock(); fresh++; return fresh }
	for w := range writers {
		end.Go(func() {
			dice := rand.New(rand.NewPCG(seed, uint64(w)))
			var numbers numbers = table
			if w%2 == 0 {
				c := New(store, table)
				defer c.Close()
				defer func() { inPlace.Add(int64(c.Changed())) }()
				numbers = c
			}
			begin.Wait()
			for range writes {
				write(t, table, numbers, dice, next, func(in input, call func() output) { record(w, in, call) })
			}
		})
	}
	for r := range readers {
		end.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			reader := New(store, table)
			defer reader.Close()
			dice := rand.New(rand.NewPCG(seed, uint64(100+r)))
			begin.Wait()
			var texts [keys]sharedstate.Value
			for range reads {
				k := dice.IntN(keys)
				record(writers+r, input{op: opGet, key: k}, func() output { return output{value: read(t, table, reader, &texts, k)} })
			}
		})
	}
	begin.Done()
	end.Wait()
	return history
}

// read answers through gate and reader; where those ask for the lock, through it.
func read(t *testing.T, table *sharedstate.Table, r *Reader, texts *[keys]sharedstate.Value, k int) int64 {
	a := r.Read(k, names[k])
	switch a.Status {
	case sharedstate.StatusAbsent:
		return noValue
	case sharedstate.StatusOK:
		if !a.Hit && a.Kind == sharedstate.KindString {
			texts[k] = sharedstate.String(string(a.Data))
		}
	default:
		v, ok := table.Get(names[k])
		return valueOf(t, v, ok)
	}
	value, err := decode(a, texts[k])
	if err != nil {
		t.Error(err)
	}
	return value
}

// valueOf is what a Go call has answered.
func valueOf(t *testing.T, v sharedstate.Value, ok bool) int64 {
	if !ok {
		return noValue
	}
	n, _ := v.Int()
	value, err := decode(Answer{Kind: v.Kind(), Number: uint64(n)}, v)
	if err != nil {
		t.Error(err)
	}
	return value
}

// numbers are the writes of which C does some itself.
type numbers interface {
	Set(key string, v sharedstate.Value) error
	CompareAndSet(key string, old, v sharedstate.Value) (bool, error)
	Increment(key string, by sharedstate.Value, ttl time.Duration) (sharedstate.Value, error)
}

// inPlace counts those.
var inPlace atomic.Int64

func write(t *testing.T, table *sharedstate.Table, numbers numbers, dice *rand.Rand, next func() int64, record func(input, func() output)) {
	in := input{key: dice.IntN(keys), all: emptyState}
	check := func(err error) {
		if err != nil {
			t.Error(err)
		}
	}
	entries := func() (list []sharedstate.Entry) {
		for k := range keys {
			if dice.IntN(2) == 0 {
				in.all[k] = next()
				list = append(list, sharedstate.Entry{Key: names[k], Value: encode(in.all[k])})
			}
		}
		return list
	}
	key := names[in.key]
	switch n := dice.IntN(32); {
	case n < 7:
		in.op, in.all[in.key] = opSet, next()
		record(in, func() output { check(numbers.Set(key, encode(in.all[in.key]))); return output{} })
	case n < 9:
		in.op = opDelete
		record(in, func() output {
			ok, err := table.Delete(key)
			check(err)
			return output{ok: ok}
		})
	case n < 11:
		in.op = opPull
		record(in, func() output {
			v, ok, err := table.Pull(key)
			check(err)
			return output{value: valueOf(t, v, ok)}
		})
	case n < 14:
		in.op, in.all[in.key] = opAdd, next()
		record(in, func() output {
			ok, err := table.Add(key, encode(in.all[in.key]), sharedstate.Forever)
			check(err)
			return output{ok: ok}
		})
	case n < 18: // over what has just been read, so that it often goes on
		v, ok := table.Get(key)
		in.op, in.old, in.all[in.key] = opCompareAndSet, valueOf(t, v, ok), next()
		if !ok {
			v = sharedstate.Null()
		}
		record(in, func() output {
			ok, err := numbers.CompareAndSet(key, v, encode(in.all[in.key]))
			check(err)
			return output{ok: ok}
		})
	case n < 22:
		in.op, in.all[in.key] = opIncrement, step*next() // even, and no other sum is the same
		record(in, func() output {
			v, err := numbers.Increment(key, sharedstate.Int(in.all[in.key]), sharedstate.Forever)
			if errors.Is(err, sharedstate.ErrNotNumber) {
				return output{}
			}
			check(err)
			return output{value: valueOf(t, v, true), ok: true}
		})
	case n < 24:
		in.op, in.ttl = opTouch, dice.IntN(3) > 0
		ttl := time.Duration(0)
		if in.ttl {
			ttl = time.Hour
		}
		record(in, func() output {
			ok, err := table.Touch(key, ttl)
			check(err)
			return output{ok: ok}
		})
	case n < 28:
		in.op = opMerge
		list := entries()
		record(in, func() output { check(table.Merge(list)); return output{} })
	case n < 29:
		in.op = opReplace
		list := entries()
		record(in, func() output {
			var rows sharedstate.Rows
			check(table.Replace(list, &rows))
			o := output{all: emptyState}
			for row := range rows.All() {
				fill(t, &o, row.Key, row.Value)
			}
			return o
		})
	case n < 30:
		in.op = opClear
		record(in, func() output { check(table.Clear()); return output{} })
	default:
		in.op = opSnapshot
		record(in, func() output {
			o := output{all: emptyState}
			for k, v := range table.Snapshot() {
				fill(t, &o, k, v)
			}
			return o
		})
	}
}

func fill(t *testing.T, o *output, key string, v sharedstate.Value) {
	o.all[key[0]-'a'] = valueOf(t, v, true)
}

// Adders and C readers: the sum is exact and no reader sees a number fall.
func TestIncrementsAreNotLost(t *testing.T) {
	store, table := newTable(t)
	const adders, each = 8, 20_000
	var add, look sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		look.Go(func() {
			runtime.LockOSThread()
			r := New(store, table)
			defer r.Close()
			last := uint64(0)
			for {
				select {
				case <-stop:
					return
				default:
				}
				if a := r.Read(0, "n"); a.Status == sharedstate.StatusOK {
					if a.Number < last {
						t.Errorf("fell from %d to %d", last, a.Number)
						return
					}
					last = a.Number
				}
			}
		})
	}
	for i := range adders {
		add.Go(func() {
			var numbers numbers = table
			if i%2 == 0 {
				c := New(store, table)
				defer c.Close()
				numbers = c
			}
			for range each {
				if _, err := numbers.Increment("n", sharedstate.Int(1), sharedstate.Forever); err != nil {
					t.Error(err)
				}
			}
		})
	}
	add.Wait()
	close(stop)
	look.Wait()
	v, _ := table.Get("n")
	n, _ := v.Int()
	require.EqualValues(t, adders*each, n)
}
