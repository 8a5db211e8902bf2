package phpbridge

/*
#include "table.h"
*/
import "C"

import (
	"math"
	"strings"
	"time"
	"unsafe"

	"github.com/frankenshare/frankenshare/sharedstate"
)

//export fs_go_open
func fs_go_open(name C.fs_bytes, autostart C.int32_t, control *C.uint64_t, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	t, e := open(strings.Clone(text(name)), autostart != 0) // the store keeps a new table's name
	if e != nil {
		return answer(e, err)
	}
	*control = C.uint64_t(t.Control())
	return C.int32_t(sharedstate.StatusOK)
}

//export fs_go_put
func fs_go_put(id C.uint32_t, key C.fs_bytes, value *C.fs_value, ttl C.int64_t, out *C.fs_receipt, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	r, e := table(id).PutWithReceipt(text(key), valueOf(value), time.Duration(ttl))
	putReceipt(out, r)
	return answer(e, err)
}

//export fs_go_add
func fs_go_add(id C.uint32_t, key C.fs_bytes, value *C.fs_value, ttl C.int64_t, done *C.int32_t, out *C.fs_receipt, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	r, added, e := table(id).AddWithReceipt(text(key), valueOf(value), time.Duration(ttl))
	putReceipt(out, r)
	putBool(done, added)
	return answer(e, err)
}

//export fs_go_compare_and_set
func fs_go_compare_and_set(id C.uint32_t, key C.fs_bytes, old, value *C.fs_value, done *C.int32_t, out *C.fs_receipt, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	r, set, e := table(id).CompareAndSetWithReceipt(text(key), valueOf(old), valueOf(value))
	putReceipt(out, r)
	putBool(done, set)
	return answer(e, err)
}

//export fs_go_touch
func fs_go_touch(id C.uint32_t, key C.fs_bytes, ttl C.int64_t, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	live, e := table(id).Touch(text(key), time.Duration(ttl))
	if e == nil && !live {
		return C.int32_t(sharedstate.StatusAbsent)
	}
	return answer(e, err)
}

//export fs_go_erase
func fs_go_erase(id C.uint32_t, key C.fs_bytes, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	gone, e := table(id).Delete(text(key))
	if e == nil && !gone {
		return C.int32_t(sharedstate.StatusAbsent)
	}
	return answer(e, err)
}

//export fs_go_get
func fs_go_get(id C.uint32_t, key C.fs_bytes, dst *C.char, room C.size_t, out *C.fs_value, expiry *C.uint64_t, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	var f sharedstate.Found
	var s sharedstate.Status
	if dst == nil {
		f, s = table(id).Peek(text(key))
	} else {
		f, s = table(id).ReadInto(text(key), unsafe.Slice((*byte)(unsafe.Pointer(dst)), int(room)))
	}
	putFound(out, f, dst)
	if expiry != nil {
		*expiry = C.uint64_t(f.Expiry)
	}
	return C.int32_t(s)
}

//export fs_go_pull
func fs_go_pull(id C.uint32_t, key C.fs_bytes, dst *C.char, room C.size_t, out *C.fs_value, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	f, s, e := table(id).PullInto(text(key), unsafe.Slice((*byte)(unsafe.Pointer(dst)), int(room)))
	if e != nil {
		return answer(e, err)
	}
	putFound(out, f, dst)
	return C.int32_t(s)
}

//export fs_go_increment
func fs_go_increment(id C.uint32_t, key C.fs_bytes, kind C.uint8_t, by C.uint64_t, subtract C.int32_t, ttl C.int64_t, out *C.fs_value, receipt *C.fs_receipt, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	step := sharedstate.Raw(sharedstate.Kind(kind), 0, uint64(by), "")
	sum, r, e := table(id).IncrementWithReceipt(text(key), step, subtract != 0, time.Duration(ttl))
	if e == nil {
		k, _, n, _ := sum.RawParts()
		out.kind, out.flags, out.number, out.data, out.len = C.uint8_t(k), 0, C.uint64_t(n), nil, 0
		putReceipt(receipt, r)
	}
	return answer(e, err)
}

// putFound writes what was found, with its bytes at dst.
func putFound(out *C.fs_value, f sharedstate.Found, dst *C.char) {
	*out = C.fs_value{kind: C.uint8_t(f.Kind), flags: C.uint8_t(f.Flags), number: C.uint64_t(f.Number), data: dst, len: C.size_t(f.Len)}
}

//export fs_go_merge
func fs_go_merge(id C.uint32_t, entries *C.fs_entry, n C.size_t, ttl C.int64_t, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	return answer(table(id).PutMany(entriesOf(entries, n), time.Duration(ttl)), err)
}

//export fs_go_replace
func fs_go_replace(id C.uint32_t, entries *C.fs_entry, n C.size_t, old *C.fs_buffer, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	rows := rowsIn(old)
	e := table(id).Replace(entriesOf(entries, n), rows)
	old.len = C.size_t(len(rows.Bytes))
	return answer(e, err)
}

//export fs_go_erase_many
func fs_go_erase_many(id C.uint32_t, keys *C.fs_bytes, n C.size_t, removed *C.uint64_t, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	names := make([]string, n)
	for i, k := range unsafe.Slice(keys, n) {
		names[i] = text(k)
	}
	gone, e := table(id).DeleteMany(names)
	*removed = C.uint64_t(gone)
	return answer(e, err)
}

//export fs_go_erase_prefix
func fs_go_erase_prefix(id C.uint32_t, prefix C.fs_bytes, removed *C.uint64_t, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	n, e := table(id).DeletePrefix(text(prefix))
	*removed = C.uint64_t(n)
	return answer(e, err)
}

//export fs_go_clear
func fs_go_clear(id C.uint32_t, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	return answer(table(id).Clear(), err)
}

//export fs_go_sweep
func fs_go_sweep(id C.uint32_t, rows *C.uint64_t, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	n, e := table(id).Sweep()
	*rows = C.uint64_t(n)
	return answer(e, err)
}

//export fs_go_evict
func fs_go_evict(id C.uint32_t, rows *C.uint64_t, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	n, e := table(id).Evict()
	*rows = C.uint64_t(n)
	return answer(e, err)
}

//export fs_go_snapshot
func fs_go_snapshot(id C.uint32_t, generation, versions *C.uint64_t, changed *C.uint8_t, buf *C.fs_buffer, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	t, rows := table(id), rowsIn(buf)
	cut := sharedstate.Cut{
		Generation: uint64(*generation),
		Versions:   unsafe.Slice((*uint64)(unsafe.Pointer(versions)), t.Stripes()),
	}
	e := t.SnapshotInto(&cut, unsafe.Slice((*byte)(unsafe.Pointer(changed)), t.Stripes()), rows)
	*generation = C.uint64_t(cut.Generation)
	buf.len = C.size_t(len(rows.Bytes))
	return answer(e, err)
}

//export fs_go_scan
func fs_go_scan(id C.uint32_t, prefix C.fs_bytes, limit C.uint64_t, keysOnly C.int32_t, buf *C.fs_buffer, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	rows := rowsIn(buf)
	e := table(id).ScanInto(text(prefix), int(min(limit, math.MaxInt)), keysOnly != 0, rows)
	buf.len = C.size_t(len(rows.Bytes))
	return answer(e, err)
}

//export fs_go_count
func fs_go_count(id C.uint32_t, out *C.uint64_t, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	*out = C.uint64_t(table(id).Len())
	return C.int32_t(sharedstate.StatusOK)
}

//export fs_go_version
func fs_go_version(id C.uint32_t, out *C.uint64_t, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	*out = C.uint64_t(table(id).Version())
	return C.int32_t(sharedstate.StatusOK)
}

//export fs_go_stats
func fs_go_stats(id C.uint32_t, out *C.fs_table_stats, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	s := table(id).Stats()
	*out = C.fs_table_stats{
		count: C.uint64_t(s.Keys), keys_bytes: C.uint64_t(s.KeyBytes), values_bytes: C.uint64_t(s.ValueBytes),
		memory_limit: C.uint64_t(s.MemoryLimit), memory_used: C.uint64_t(s.MemoryUsed), memory_retired: C.uint64_t(s.Retired + s.Buried),
		stripes: C.uint64_t(s.Stripes), homes: C.uint64_t(s.Homes), overflow_buckets: C.uint64_t(s.Overflow),
		writes: C.uint64_t(s.Writes), deletes: C.uint64_t(s.Deletes), expired: C.uint64_t(s.Expired), evicted: C.uint64_t(s.Evicted), refused: C.uint64_t(s.Refused),
		generation: C.uint64_t(s.Generation), version: C.uint64_t(s.Version),
		hits: C.uint64_t(s.Hits), reads: C.uint64_t(s.Reads), locked: C.uint64_t(s.Locked), threads: C.uint64_t(s.Threads),
	}
	return C.int32_t(sharedstate.StatusOK)
}

//export fs_go_tables
func fs_go_tables(buf *C.fs_buffer, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	rows := rowsIn(buf)
	var e error
	for _, t := range store.Tables() {
		if e = rows.AddKey(t.Name()); e != nil {
			break
		}
	}
	buf.len = C.size_t(len(rows.Bytes))
	return answer(e, err)
}

//export fs_go_request_end
func fs_go_request_end(request C.uint64_t) {
	var status C.int32_t
	defer recovered(&status, nil)
	store.EndRequest(uint64(request))
}

//export fs_go_wake_stripe
func fs_go_wake_stripe(id C.uint32_t, stripe C.uint64_t) {
	var status C.int32_t
	defer recovered(&status, nil)
	table(id).WakeStripe(uint64(stripe))
}

//export fs_go_changed
func fs_go_changed(id C.uint32_t, key C.fs_bytes, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	table(id).Changed(text(key))
	return C.int32_t(sharedstate.StatusOK)
}
