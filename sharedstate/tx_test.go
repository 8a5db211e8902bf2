package sharedstate

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// twoTables are tables of one store.
func twoTables(t testing.TB) (s *Store, a, b *Table) {
	s, err := NewStore()
	require.NoError(t, err)
	o := DefaultOptions()
	o.Memory, o.Sweep = 4<<20, MaxSweep // what expires is for the test to find
	a, err = s.Define("a", o)
	require.NoError(t, err)
	b, err = s.Define("b", o)
	require.NoError(t, err)
	return s, a, b
}

// balance is what an account holds, as a number or as its text.
func balance(t testing.TB, v Value, ok bool) int64 {
	n, isInt := v.Int()
	if text, isText := v.Str(); isText {
		n, isInt = canonicalInt(text)
	}
	if !ok || !isInt {
		t.Errorf("an account holds %v", v)
	}
	return n
}

// Transfers among accounts in two tables, by transactions, of which some expire, and within an account by Update, keep the sum, and no
// transaction that only reads sees another one.
func TestTransactionsKeepASum(t *testing.T) {
	s, a, b := twoTables(t)
	const accounts, each, workers, transfers = 100, 1000, 6, 3000
	table := func(i int) *Table {
		if i%2 == 0 {
			return a
		}
		return b
	}
	name := func(i int) string { return fmt.Sprint("account", i) }
	for i := range accounts {
		mustSet(t, table(i), name(i), Int(each))
	}
	var stop atomic.Bool
	var writers, others sync.WaitGroup
	for w := range workers {
		writers.Go(func() {
			dice := rand.New(rand.NewPCG(uint64(w), 7))
			tx := s.NewTx()
			for range transfers {
				from, to, sum := dice.IntN(accounts), dice.IntN(accounts), dice.Int64N(50)
				err := tx.Run(func(tx *Tx) error {
					v, _, ok := tx.Get(table(from), name(from))
					n := balance(t, v, ok)
					expiry := uint64(0)
					if dice.IntN(4) == 0 {
						expiry = Expiry(time.Hour)
					}
					if err := tx.Put(table(from), name(from), Int(n-sum), expiry); err != nil {
						return err
					}
					v, _, ok = tx.Get(table(to), name(to)) // which may be from
					return tx.Put(table(to), name(to), Int(balance(t, v, ok)+sum), 0)
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 2 {
		others.Go(func() { // the same accounts, one by one: no gain, no loss
			for i := 0; !stop.Load(); i = (i + 1) % accounts {
				_, err := table(i).Update(name(i), func(old Value, ok bool) (Value, error) {
					return String(fmt.Sprint(balance(t, old, ok))), nil
				})
				if err == nil {
					_, err = table(i).Increment(name(i), Int(0), Forever)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	sum := func() (sum int64) {
		t.Helper()
		err := s.Transact(func(tx *Tx) error {
			sum = 0
			for i := range accounts {
				v, _, ok := tx.Get(table(i), name(i))
				sum += balance(t, v, ok)
			}
			return nil
		})
		require.NoError(t, err)
		return sum
	}
	for range 50 {
		require.EqualValues(t, accounts*each, sum())
	}
	writers.Wait()
	stop.Store(true)
	others.Wait()
	require.EqualValues(t, accounts*each, sum())
	require.NoError(t, a.Check())
	require.NoError(t, b.Check())
}

// What a transaction that only reads sees is of one moment, over two tables.
func TestTransactionsReadOneMoment(t *testing.T) {
	s, a, b := twoTables(t)
	var stop atomic.Bool
	var writers sync.WaitGroup
	for w := range 3 {
		writers.Go(func() {
			for i := int64(0); !stop.Load(); i++ {
				err := s.Transact(func(tx *Tx) error {
					if i%10 == 0 {
						tx.Clear(a)
					}
					for _, table := range []*Table{a, b} {
						for k := range 20 {
							if err := tx.Put(table, fmt.Sprint(k), Int(i*10+int64(w)), 0); err != nil {
								return err
							}
						}
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 3000 {
		seen := make(map[string]bool)
		require.NoError(t, s.Transact(func(tx *Tx) error {
			clear(seen)
			for k := range 20 {
				for _, table := range []*Table{b, a} {
					v, _, ok := tx.Get(table, fmt.Sprint(k))
					seen[fmt.Sprint(ok, v)] = true
				}
			}
			return nil
		}))
		require.Len(t, seen, 1)
	}
	stop.Store(true)
	writers.Wait()
	require.NoError(t, a.Check())
}

// A transaction sees what it has done itself, and an error undoes it all.
func TestTransactionSeesItself(t *testing.T) {
	s, a, b := twoTables(t)
	mustSet(t, a, "old", String("x"))
	mustSet(t, b, "kept", Int(1))
	failure := errors.New("no")
	for _, fails := range []bool{true, false} {
		err := s.Transact(func(tx *Tx) error {
			expiry := Expiry(time.Hour)
			require.True(t, tx.Expire(a, "old", expiry))
			v, e, ok := tx.Get(a, "old")
			require.True(t, ok && e == expiry && v.Equal(String("x")))
			require.True(t, tx.Delete(a, "old"))
			require.False(t, tx.Delete(a, "old"))
			require.False(t, tx.Expire(a, "old", expiry))
			for i := range 20 {
				require.NoError(t, tx.Put(a, fmt.Sprint("new", i), Int(int64(i)), expiry))
			}
			f, ok := tx.Find(a, "new19")
			require.True(t, ok && f.Kind == KindInt && f.Number == 19 && f.Expiry == expiry)
			require.True(t, tx.Expire(a, "new19", 0))
			require.True(t, tx.Delete(a, "new0"))
			tx.Clear(b)
			_, ok = tx.Find(b, "kept")
			require.False(t, ok)
			require.False(t, tx.Delete(b, "kept"))
			require.NoError(t, tx.Put(b, "fresh", String("y"), 0))
			cleared, keys := tx.Pending(a)
			require.False(t, cleared)
			there := 0
			for _, present := range keys {
				if present {
					there++
				}
			}
			require.Equal(t, 19, there)
			if fails {
				return failure
			}
			return nil
		})
		if fails {
			require.ErrorIs(t, err, failure)
			require.True(t, a.Has("old") && b.Has("kept") && a.Len() == 1 && b.Len() == 1)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, 19, a.Len())
		require.Equal(t, map[string]Value{"fresh": String("y")}, b.Snapshot())
		ttl, ok := a.TTL("new19")
		require.True(t, ok && ttl == Forever)
		ttl, ok = a.TTL("new18")
		require.True(t, ok && ttl > 59*time.Minute && ttl <= time.Hour)
	}
	require.NoError(t, a.Check())
	require.NoError(t, b.Check())
}

// What was read and has changed, gone or expired by the end makes a transaction run again, on any way to commit.
func TestTransactionRunsAgain(t *testing.T) {
	s, a, b := twoTables(t)
	changes := map[string]func(){
		"set":     func() { mustSet(t, a, "k", Int(2)) },
		"same":    func() { mustSet(t, a, "k", String("1")) },
		"delete":  func() { _, err := a.Delete("k"); require.NoError(t, err) },
		"touch":   func() { _, err := a.Touch("k", time.Hour); require.NoError(t, err) },
		"clear":   func() { require.NoError(t, a.Clear()) },
		"resize":  func() { _, err := a.Resize(a.Options().Memory ^ 1<<20); require.NoError(t, err) },
		"expired": func() { skew.Add(int64(time.Hour)) },
	}
	for name, change := range changes {
		for _, writes := range []string{"none", "one", "other", "delete", "touch", "clear"} {
			t.Run(name+" "+writes, func(t *testing.T) {
				require.NoError(t, a.Put("k", String("1"), Forever))
				if name == "expired" {
					require.NoError(t, a.Put("k", String("1"), time.Minute))
				}
				runs := 0
				require.NoError(t, s.Transact(func(tx *Tx) error {
					runs++
					tx.Get(a, "k")
					tx.Get(b, "k") // without a second read the first one alone would be of one moment
					if runs == 1 {
						change()
					}
					switch writes {
					case "one":
						return tx.Put(a, "k", Int(3), 0)
					case "other":
						return tx.Put(b, "other", Int(3), 0)
					case "delete":
						tx.Delete(a, "k")
					case "touch":
						tx.Expire(a, "k", 0)
					case "clear":
						tx.Clear(b)
					}
					return nil
				}))
				require.Equal(t, 2, runs)
			})
		}
	}
}

// A single write whose only read is its own chain's has a way of its own to commit.
func TestTransactionOfOneKeyRunsAgain(t *testing.T) {
	s, a, _ := twoTables(t)
	for _, remove := range []bool{false, true} {
		mustSet(t, a, "k", Int(1))
		runs := 0
		require.NoError(t, s.Transact(func(tx *Tx) error {
			runs++
			v, _, _ := tx.Get(a, "k")
			if runs == 1 {
				mustSet(t, a, "k", Int(10))
			}
			if remove {
				tx.Delete(a, "k")
				return nil
			}
			n, _ := v.Int()
			return tx.Put(a, "k", Int(n+1), 0)
		}))
		require.Equal(t, 2, runs)
		v, ok := a.Get("k")
		require.Equal(t, !remove, ok)
		require.True(t, remove || v.Equal(Int(11)))
	}
}

// A transaction that finds no room changes nothing.
func TestTransactionWithoutRoom(t *testing.T) {
	table := tableWith(t, func(o *Options) { o.Memory, o.Eviction.Policy = MinMemory, EvictNone })
	mustSet(t, table, "kept", Int(1))
	big := String(strings.Repeat("x", 300<<10))
	err := table.store.Transact(func(tx *Tx) error {
		tx.Delete(table, "kept")
		for i := range 10 {
			if err := tx.Put(table, fmt.Sprint(i), big, 0); err != nil {
				return err
			}
		}
		return nil
	})
	require.ErrorIs(t, err, ErrTableFull)
	require.Equal(t, 1, table.Len())
	require.NoError(t, table.Check())
	err = table.store.Transact(func(tx *Tx) error { return tx.Put(table, "k", String(strings.Repeat("x", 2<<20)), 0) })
	require.ErrorIs(t, err, ErrValueTooLarge)
}

// Every key that is there all the time is found by a scan in pages, once where the table keeps its size.
func TestScanPagesFindEveryKey(t *testing.T) {
	table := newTestTable(t, 4<<20)
	const kept = 3000
	for i := range kept {
		mustSet(t, table, fmt.Sprint("kept", i), Int(int64(i)))
	}
	var stop atomic.Bool
	var writers sync.WaitGroup
	for w := range 2 {
		writers.Go(func() {
			for i := 0; !stop.Load(); i++ {
				if err := table.Set(fmt.Sprint("come", w, i%500), Int(1)); err != nil {
					t.Error(err)
				}
				if _, err := table.Delete(fmt.Sprint("come", w, (i+250)%500)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for _, count := range []int{1, 10, 1000, 100000} {
		for _, resizes := range []bool{false, true} {
			found := make(map[string]int)
			for cursor, pages := uint64(0), 0; ; pages++ {
				var rows Rows
				next, err := table.ScanPage(cursor, count, pages%2 == 0, &rows)
				require.NoError(t, err)
				for row := range rows.All() {
					require.Equal(t, KindInt, row.Value.Kind())
					found[row.Key]++
				}
				if cursor = next; cursor == 0 {
					break
				}
				if resizes && pages%50 == 3 {
					_, err := table.Resize(table.Options().Memory ^ 1<<20)
					require.NoError(t, err)
				}
			}
			for i := range kept {
				n := found[fmt.Sprint("kept", i)]
				require.Positive(t, n, "kept%d with count %d", i, count)
				require.True(t, resizes || n == 1, "kept%d was found %d times", i, n)
			}
		}
	}
	stop.Store(true)
	writers.Wait()
}

// Moments of the wall clock come back as they were given.
func TestExpiryOfAMoment(t *testing.T) {
	for _, at := range []time.Time{time.Now().Add(time.Hour).Truncate(time.Millisecond), time.UnixMilli(4102444800123)} {
		require.WithinDuration(t, at, ExpiryTime(ExpiryAt(at)), 100*time.Microsecond)
	}
	require.EqualValues(t, 1, ExpiryAt(time.Unix(-1<<40, 0)))
	require.EqualValues(t, 1, ExpiryAt(time.Unix(0, 0)))
	require.Greater(t, ExpiryAt(time.Unix(1<<40, 0)), now()+uint64(200*365*24*time.Hour))
}
