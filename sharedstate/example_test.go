package sharedstate_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/frankenshare/frankenshare/sharedstate"
)

// newTable makes a store with one small table.
func newTable() *sharedstate.Table {
	store, err := sharedstate.NewStore()
	if err != nil {
		log.Fatal(err)
	}
	options := sharedstate.DefaultOptions()
	options.Memory = 8 << 20
	table, err := store.Define("default", options)
	if err != nil {
		log.Fatal(err)
	}
	return table
}

func ExampleTable_Set() {
	table := newTable()
	if err := table.Set("greeting", sharedstate.String("hello")); err != nil {
		log.Fatal(err)
	}
	v, ok := table.Get("greeting")
	text, _ := v.Str()
	fmt.Println(text, ok)

	err := table.Set("big", sharedstate.String(strings.Repeat("x", 2<<20)))
	fmt.Println(errors.Is(err, sharedstate.ErrValueTooLarge))
	fmt.Println(err)
	// Output:
	// hello true
	// true
	// value is too large: 2097152 bytes for key "big", the limit of table "default" is max_value = 1048576 bytes
}

func ExampleTable_Increment() {
	table := newTable()
	n, err := table.Increment("visits", sharedstate.Int(1), sharedstate.Forever)
	fmt.Println(n, err)
	n, err = table.Increment("visits", sharedstate.Float(0.5), sharedstate.Forever)
	fmt.Println(n, err)

	_ = table.Set("name", sharedstate.String("Ada"))
	_, err = table.Increment("name", sharedstate.Int(1), sharedstate.Forever)
	fmt.Println(err)
	// Output:
	// 1 <nil>
	// 1.5 <nil>
	// value is not a number: key "name" holds string
}

func ExampleTable_Merge() {
	table := newTable()
	err := table.Merge([]sharedstate.Entry{
		{Key: "user:1", Value: sharedstate.String("Ada")},
		{Key: "user:2", Value: sharedstate.String("Grace")},
		{Key: "users", Value: sharedstate.Int(2)},
	})
	if err != nil {
		log.Fatal(err)
	}
	users := table.Scan("user:", 10)
	for _, key := range slices.Sorted(maps.Keys(users)) {
		name, _ := users[key].Str()
		fmt.Println(key, name)
	}
	fmt.Println(table.Len())
	// Output:
	// user:1 Ada
	// user:2 Grace
	// 3
}

func ExampleTable_Replace() {
	table := newTable()
	_ = table.Set("old", sharedstate.Int(1))
	var old sharedstate.Rows
	if err := table.Replace([]sharedstate.Entry{{Key: "new", Value: sharedstate.Int(2)}}, &old); err != nil {
		log.Fatal(err)
	}
	for row := range old.All() {
		fmt.Println(row.Key, row.Value)
	}
	fmt.Println(table.Has("old"), table.Has("new"))
	// Output:
	// old 1
	// false true
}

func ExampleTable_Snapshot() {
	table := newTable()
	config, err := sharedstate.Of(map[string]any{"debug": true, "hosts": []any{"a", "b"}})
	if err != nil {
		log.Fatal(err)
	}
	_ = table.Set("config", config)
	for key, value := range table.Snapshot() {
		plain, _ := value.Any()
		fmt.Println(key, plain)
	}
	// Output:
	// config map[debug:true hosts:[a b]]
}

func ExampleTable_Subscribe() {
	table := newTable()
	cancel := table.Subscribe(func(e sharedstate.Event) {
		fmt.Println(e.Op == sharedstate.OpSet, e.Key)
	})
	_ = table.Set("a", sharedstate.Int(1))
	_, _ = table.Delete("a")
	cancel()
	_ = table.Set("b", sharedstate.Int(1))
	// Output:
	// true a
	// false a
}

func ExampleTable_Resize() {
	table := newTable()
	_ = table.Set("kept", sharedstate.Int(1))
	dropped, err := table.Resize(16 << 20)
	fmt.Println(dropped, err, table.Has("kept"))
	// Output:
	// 0 <nil> true
}

func ExampleChannel() {
	store, err := sharedstate.NewStore()
	if err != nil {
		log.Fatal(err)
	}
	jobs, err := store.OpenChannel("jobs", 10)
	if err != nil {
		log.Fatal(err)
	}
	defer jobs.Close()
	ctx := context.Background()
	for _, name := range []string{"a.jpg", "b.jpg"} {
		if err := jobs.Send(ctx, sharedstate.String(name)); err != nil {
			log.Fatal(err)
		}
	}
	jobs.Shut()
	for {
		delivery, err := jobs.Receive(ctx)
		if errors.Is(err, sharedstate.ErrChannelClosed) {
			break
		}
		fmt.Println(delivery.Value)
		delivery.Accept()
	}
	// Output:
	// "a.jpg"
	// "b.jpg"
}

func ExampleHandleOf() {
	store, err := sharedstate.NewStore()
	if err != nil {
		log.Fatal(err)
	}
	table, err := store.Define("pages", sharedstate.DefaultOptions())
	if err != nil {
		log.Fatal(err)
	}
	hits, err := store.OpenWord(sharedstate.SharedCounter, "", 41)
	if err != nil {
		log.Fatal(err)
	}
	_ = table.Set("hits", sharedstate.HandleOf(hits))
	hits.Close() // the row keeps the counter

	value, _ := table.Get("hits")
	handle, _ := value.Handle()
	object, err := store.OpenShared(handle)
	if err != nil {
		log.Fatal(err)
	}
	defer object.Close()
	fmt.Println(object.(*sharedstate.Word).Add(1))
	// Output:
	// 42 <nil>
}

func ExampleTable_Lock() {
	table := newTable()
	lock := sharedstate.LockRequest{Name: "import", Owner: "job 7", TTL: time.Minute}
	token, err := table.Lock(lock)
	fmt.Println(token != 0, err)
	lock.Owner = "job 8"
	token, err = table.Lock(lock)
	fmt.Println(token != 0, err)
	_, err = table.LockWithin(lock, time.Millisecond)
	fmt.Println(errors.Is(err, sharedstate.ErrLockTimeout))
	fmt.Println(table.Unlock("import", "job 8"), table.Unlock("import", "job 7"))
	// Output:
	// true <nil>
	// false <nil>
	// true
	// false true
}

func ExampleMutex_With() {
	store, err := sharedstate.NewStore()
	if err != nil {
		log.Fatal(err)
	}
	stock, err := store.OpenMutex("stock", sharedstate.Int(3)) // PHP: new SharedMutex(3, 'stock')
	if err != nil {
		log.Fatal(err)
	}
	defer stock.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err = stock.With(ctx, func(_ context.Context, v *sharedstate.Value) error {
		left, _ := v.Int()
		*v = sharedstate.Int(left - 1)
		return nil
	})
	fmt.Println(err)
	err = stock.With(ctx, func(ctx context.Context, v *sharedstate.Value) error {
		fmt.Println(*v)
		return stock.With(ctx, nil) // with its own context, so that it is found to wait for itself
	})
	fmt.Println(errors.Is(err, sharedstate.ErrDeadlock))
	// Output:
	// <nil>
	// 2
	// true
}

func ExampleStore_Transact() {
	store, _ := sharedstate.NewStore()
	table, _ := store.Define("accounts", sharedstate.DefaultOptions())
	_ = table.Set("ann", sharedstate.Int(10))
	_ = table.Set("bob", sharedstate.Int(0))

	err := store.Transact(func(tx *sharedstate.Tx) error {
		for name, by := range map[string]int64{"ann": -3, "bob": 3} {
			v, expiry, _ := tx.Get(table, name)
			n, _ := v.Int()
			if err := tx.Put(table, name, sharedstate.Int(n+by), expiry); err != nil {
				return err
			}
		}
		return nil
	})
	ann, _ := table.Get("ann")
	bob, _ := table.Get("bob")
	fmt.Println(ann, bob, err)
	// Output: 7 3 <nil>
}
