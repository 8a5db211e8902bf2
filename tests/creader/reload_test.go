package creader

import (
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/frankenshare/frankenshare/sharedstate"
)

// soaking says that the tests' long forms are to run.
func soaking() bool { return os.Getenv("FRANKENSHARE_SOAK") != "" }

// A register is a key with one writer, whose n-th operation leaves what after(n) says. So a reader knows what it may find: what
// one of the operations left that had not been overwritten before the read began and had begun before it ended.
type register struct {
	key         string
	begun, done atomic.Uint64
}

// present says whether the key is there after operation n.
func present(n uint64) bool { return n%8 != 0 }

// after is the value that operation n leaves: a number, or a text that names its key and operation and ends with its checksum.
func (r *register) after(n uint64) sharedstate.Value {
	if n%8 == 4 || n%8 == 5 {
		return sharedstate.Int(int64(n))
	}
	size := []int{10, 200, 1000, 5000, 20_000}[n%5]
	return sharedstate.String(checked(fmt.Sprintf("%s %d %s", r.key, n, strings.Repeat("x", size))))
}

func checked(text string) string {
	return fmt.Sprintf("%s %08x", text, crc32.ChecksumIEEE([]byte(text)))
}

// write does the next operation.
func (r *register) write(t *sharedstate.Table) error {
	n := r.begun.Add(1)
	var err error
	if present(n) {
		err = t.Set(r.key, r.after(n))
	} else {
		_, err = t.Delete(r.key)
	}
	r.done.Store(n)
	return err
}

// operation finds the one that left a value, and says what is wrong with it.
func (r *register) operation(v sharedstate.Value) (n uint64, err error) {
	if i, ok := v.Int(); ok {
		n = uint64(i)
	} else {
		text, _ := v.Str()
		if err := intact(text); err != nil {
			return 0, err
		}
		var key string
		if _, err := fmt.Sscan(text, &key, &n); err != nil || key != r.key {
			return 0, fmt.Errorf("%q is another key's", text)
		}
	}
	if !present(n) || !r.after(n).Equal(v) {
		return 0, fmt.Errorf("not what operation %d left", n)
	}
	return n, nil
}

// intact checks a text's sum.
func intact(text string) error {
	if len(text) < 9 || checked(text[:len(text)-9]) != text {
		return fmt.Errorf("torn: %.40q of %d bytes", text, len(text))
	}
	return nil
}

// check says whether a read that began when `done` operations were done may have found v, or with ok false nothing.
func (r *register) check(done uint64, v sharedstate.Value, ok bool) error {
	begun := r.begun.Load()
	if !ok {
		for n := done; n <= begun; n++ {
			if !present(n) {
				return nil
			}
		}
		return fmt.Errorf("%s is absent after operations %d to %d", r.key, done, begun)
	}
	n, err := r.operation(v)
	if err == nil && (n < done || n > begun) {
		err = fmt.Errorf("operation %d when those from %d to %d could be", n, done, begun)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", r.key, err)
	}
	return nil
}

// look reads a key as a PHP thread does: by the gate, the reader, and where that asks for it the lock. remembered is what the
// gate has for it.
func look(table *sharedstate.Table, r *Reader, slot int, key string, remembered *sharedstate.Value) (v sharedstate.Value, ok bool) {
	a := r.Read(slot, key)
	switch {
	case a.Status == sharedstate.StatusAbsent:
		return sharedstate.Value{}, false
	case a.Status != sharedstate.StatusOK:
		return table.Get(key)
	case a.Hit:
		return *remembered, true
	case a.Kind == sharedstate.KindInt:
		v = sharedstate.Int(int64(a.Number))
	default:
		v = sharedstate.String(string(a.Data))
	}
	*remembered = v
	return v, true
}

// A table goes from 64 to 96 to 32 MiB and back, again and again, under 4 writers and 8 lock-free readers that end a request
// now and then. No read is torn, foreign, stale or of the future, all rows stay while they fit, and the old memory is given back.
func TestReloadsUnderLoad(t *testing.T) {
	rounds := max(5/slowness, 1)
	if soaking() {
		rounds = 100 / slowness
	}
	const writers, readers, registers, lasting, mib = 4, 8, 64, 16_000 / slowness, 1 << 20 / slowness
	PauseAt(5000, 20*time.Millisecond) // inside a read, while the memory under it goes
	defer PauseAt(0, 0)
	store, err := sharedstate.NewStore()
	require.NoError(t, err)
	o := sharedstate.DefaultOptions()
	o.Memory, o.Eviction.Policy = 64*mib, sharedstate.EvictNone
	table, err := store.Define("t", o)
	require.NoError(t, err)

	// Rows that nobody writes again, half of the least memory, and the registers.
	last := func(i int) string { return checked(fmt.Sprintf("lasting-%d %s", i, strings.Repeat("y", 40+i%2000))) }
	for i := range lasting {
		require.NoError(t, table.Set(fmt.Sprint("lasting-", i), sharedstate.String(last(i))))
	}
	regs := make([]register, registers)
	for i := range regs {
		regs[i].key = fmt.Sprint("register-", i)
	}

	var stop atomic.Bool
	var wg sync.WaitGroup
	var reads, writes atomic.Uint64
	fail := func(err error) bool {
		if err != nil && !stop.Swap(true) {
			t.Error(err)
		}
		return err != nil
	}
	for w := range writers {
		wg.Go(func() {
			for !stop.Load() {
				for i := w; i < registers; i += writers {
					if fail(regs[i].write(table)) {
						return
					}
					writes.Add(1)
				}
			}
		})
	}
	for n := range readers {
		wg.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			reader := New(store, table)
			defer reader.Close()
			dice := rand.New(rand.NewPCG(uint64(n), 1))
			var remembered [registers]sharedstate.Value
			for request := 0; !stop.Load(); request++ {
				for range 50 {
					i := dice.IntN(registers)
					done := regs[i].done.Load()
					v, ok := look(table, reader, i, regs[i].key, &remembered[i])
					if fail(regs[i].check(done, v, ok)) {
						return
					}
					i = dice.IntN(lasting)
					var none sharedstate.Value
					v, ok = look(table, reader, NoGate, fmt.Sprint("lasting-", i), &none)
					if text, _ := v.Str(); !ok || text != last(i) {
						fail(fmt.Errorf("lasting-%d is there: %v, with %d bytes", i, ok, len(text)))
						return
					}
				}
				reads.Add(100)
				reader.Quiet()
			}
		})
	}
	resident := residentBytes(t)
	for range rounds {
		for _, memory := range []int64{96 * mib, 32 * mib, 64 * mib} {
			dropped, err := table.Resize(memory)
			require.NoError(t, err)
			require.Zero(t, dropped, "rows at %d bytes", memory)
			require.Eventually(t, func() bool { return stop.Load() || table.Stats().Buried == 0 }, time.Minute, time.Millisecond, "the old memory is held")
			st := table.Stats()
			require.EqualValues(t, memory, st.MemoryLimit)
			require.LessOrEqual(t, st.MemoryUsed, st.MemoryLimit)
		}
		if stop.Load() {
			break
		}
	}
	stop.Store(true)
	wg.Wait()
	for _, r := range store.ThreadStats() {
		t.Errorf("record %d is still claimed", r.Record)
	}
	require.NoError(t, table.Check())
	require.Eventually(t, func() bool { debug.FreeOSMemory(); return residentBytes(t) <= resident+(64<<20) }, 10*time.Second,
		10*time.Millisecond, "the process had %d bytes before, now %d", resident, residentBytes(t))
	for i := range regs {
		v, ok := table.Get(regs[i].key)
		require.NoError(t, regs[i].check(regs[i].done.Load(), v, ok))
	}
	t.Logf("%d resizes, %d reads, %d writes", 3*rounds, reads.Load(), writes.Load())
}
