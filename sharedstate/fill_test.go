package sharedstate

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// filled is what a table held when it refused a write for the first time.
type filled struct {
	keys    float64
	payload float64 // bytes of keys and values
	memory  float64 // the bound
	used    float64 // of the bound
}

// overhead is what each row took of the bound beside its key and value.
func (f filled) overhead() float64 { return (f.memory - f.payload) / f.keys }

// fillUp writes rows that next makes to a noeviction table until it refuses one.
func fillUp(t *testing.T, memory int64, next func(i int) (key string, size int)) filled {
	t.Helper()
	table := newTestTable(t, memory)
	text := strings.Repeat("x", 64<<10)
	var f filled
	for i := 0; ; i++ {
		key, size := next(i)
		if err := table.Set(key, String(text[:size])); err != nil {
			require.ErrorIs(t, err, ErrTableFull)
			f.memory, f.used = float64(memory), float64(table.Stats().MemoryUsed)
			return f
		}
		f.keys++
		f.payload += float64(len(key) + size)
	}
}

// A table of sizes from 10 bytes to 64 KiB, as many of each doubling, refuses nothing before six tenths of its memory are keys
// and values.
func TestMixedSizesFillATable(t *testing.T) {
	seeds := 3
	if soaking() {
		seeds = 50
	}
	least := 1.0
	for seed := range seeds {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		f := fillUp(t, 8<<20, func(i int) (string, int) {
			return fmt.Sprint("key-", i), int(10 * math.Pow(64<<10/10, r.Float64()))
		})
		require.GreaterOrEqual(t, f.payload/f.memory, 0.6, "seed %d", seed)
		least = min(least, f.payload/f.memory)
	}
	t.Logf("at least %.1f %% of the memory is payload when the first row is refused", 100*least)
}

// A table of 1 MiB with rows of one size refuses no row that would leave less than 85 % of its memory to keys and values, if the rows
// have 2,000 bytes or more. Smaller ones cannot reach that, since the index takes a tenth of the memory and a row's header 40 bytes:
// they take no more than 96 bytes of the bound beside their key and value, and above 64 bytes 15 % of these.
func TestOneSizeFillsATable(t *testing.T) {
	least := 1.0
	for size := 2000; size <= 64<<10; size += max(17, size/64) {
		f := fillUp(t, MinMemory, func(i int) (string, int) { return fmt.Sprint("key-", i), size })
		share := (f.payload + float64(size)) / f.memory
		require.GreaterOrEqual(t, share, 0.85, "rows of %d bytes", size)
		least = min(least, share)
	}
	t.Logf("from 2,000 bytes on, a refused row would make it at least %.1f %%", 100*least)

	for _, size := range []int{8, 20, 50, 100, 200, 500, 1000} {
		f := fillUp(t, MinMemory, func(i int) (string, int) { return fmt.Sprint("key-", i), size })
		t.Logf("%d bytes: %.0f rows, %.1f %% payload, %.0f bytes a row beside it", size, f.keys, 100*f.payload/f.memory, f.overhead())
		limit := 96.0
		if row := f.payload / f.keys; row > 64 {
			limit += 0.15 * row
		}
		require.LessOrEqual(t, f.overhead(), limit, "rows of %d bytes", size)
	}
}

// However alike the keys are, nothing is refused before 95 % of the memory is in use: fault 22.
func TestFault022KeysThatAreAlike(t *testing.T) {
	var bits [64]byte
	for name, key := range map[string]func(i int) string{
		"decimal":     func(i int) string { return fmt.Sprint(i) },
		"big endian":  func(i int) string { return string(binary.BigEndian.AppendUint64(nil, uint64(i))) },
		"high bits":   func(i int) string { return string(binary.LittleEndian.AppendUint64(nil, uint64(i)<<40)) },
		"long prefix": func(i int) string { return strings.Repeat("p", 200) + fmt.Sprint(i) },
		"zeros":       func(i int) string { return strings.Repeat("\x00", i%1000) + fmt.Sprint(i/1000) },
		"few bits": func(i int) string {
			k := bits
			for n := range 3 {
				b := i >> (9 * n) & 511
				k[b/8] ^= 1 << (b % 8)
			}
			return string(k[:]) + fmt.Sprint(i>>27)
		},
		// h*33 + c is the same for these, whatever their order.
		"times 33": func(i int) string {
			var k strings.Builder
			for n := range 24 {
				k.WriteString([]string{"Ez", "FY"}[i>>n&1])
			}
			return k.String()
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := fillUp(t, 4<<20, func(i int) (string, int) { return key(i), 20 })
			require.GreaterOrEqual(t, f.used/f.memory, 0.95, "%.0f keys", f.keys)
		})
	}
}
