package sharedstate

import (
	"fmt"
	"testing"
)

func benchTable(b *testing.B) *Table {
	s, err := NewStore()
	if err != nil {
		b.Fatal(err)
	}
	t, err := s.Define("b", DefaultOptions())
	if err != nil {
		b.Fatal(err)
	}
	return t
}

func benchKeys() []string {
	keys := make([]string, 1000)
	for i := range keys {
		keys[i] = fmt.Sprint("key-", i)
	}
	return keys
}

func BenchmarkSet(b *testing.B) {
	for _, v := range []struct {
		name  string
		value func(i int) Value
	}{
		{"int", func(i int) Value { return Int(int64(i)) }},
		{"string16", func(int) Value { return String("0123456789abcdef") }},
		{"string4096", func(int) Value { return String(string(make([]byte, 4096))) }},
	} {
		b.Run(v.name, func(b *testing.B) {
			t, keys := benchTable(b), benchKeys()
			values := []Value{v.value(1), v.value(2)}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if err := t.Set(keys[i%len(keys)], values[i%2]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkGet(b *testing.B) {
	t, keys := benchTable(b), benchKeys()
	for _, k := range keys {
		_ = t.Set(k, Int(1))
	}
	for i := 0; b.Loop(); i++ {
		t.Get(keys[i%len(keys)])
	}
}

func BenchmarkMerge100(b *testing.B) {
	t, keys := benchTable(b), benchKeys()
	entries := make([]Entry, 100)
	for i := range entries {
		entries[i] = Entry{keys[i], Int(int64(i))}
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := t.Merge(entries); err != nil {
			b.Fatal(err)
		}
	}
}
