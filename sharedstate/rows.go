package sharedstate

import (
	"encoding/binary"
	"iter"
	"slices"
)

// Rows is a buffer of rows one behind another, as C reads them too (fs_row_header): a header of 32 bytes, the key, the
// value's bytes, and zero bytes up to a multiple of 8.
type Rows struct {
	Bytes []byte
	// Grow makes room for at least need more bytes behind those in use; nil grows on the Go heap.
	Grow func(used []byte, need int) ([]byte, error)
}

// Row is one row in a buffer. Its strings share the buffer's memory.
type Row struct {
	Key    string
	Value  Value
	Expiry uint64 // monotonic nanoseconds, 0 for none
	Stripe uint32
}

const rowHeader = 32

func rowBytes(keyLen, valueLen int) int { return rowHeader + (keyLen+valueLen+7)&^7 }

// room is how many bytes fit without growing.
func (r *Rows) room() int { return cap(r.Bytes) - len(r.Bytes) }

// reserve makes room for n bytes. No lock may be held.
func (r *Rows) reserve(n int) (err error) {
	switch {
	case r.room() >= n:
	case r.Grow == nil:
		r.Bytes = slices.Grow(r.Bytes, n)
	default:
		r.Bytes, err = r.Grow(r.Bytes, n)
	}
	return err
}

// addLocked appends a row for which there is room.
func (r *Rows) addLocked(a *arena, units uint64, stripe int, keyOnly bool) {
	src := a.row(units)
	keyLen, valueLen := int(src.keyLen), int(src.valueLen)
	if keyOnly {
		valueLen = 0
	}
	b := r.Bytes
	b = binary.LittleEndian.AppendUint64(b, src.number.Load())
	b = binary.LittleEndian.AppendUint64(b, src.expiry.Load())
	b = binary.LittleEndian.AppendUint32(b, uint32(keyLen))
	b = binary.LittleEndian.AppendUint32(b, uint32(valueLen))
	b = append(b, byte(src.kind), src.flags, 0, 0)
	b = binary.LittleEndian.AppendUint32(b, uint32(stripe))
	b = a.appendBytes(b, units, 0, keyLen+valueLen)
	for len(b)%8 != 0 {
		b = append(b, 0)
	}
	r.Bytes = b
}

// AddKey appends a row that is only a key.
func (r *Rows) AddKey(key string) error {
	if err := r.reserve(rowBytes(len(key), 0)); err != nil {
		return err
	}
	b := append(r.Bytes, make([]byte, 16)...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(key)))
	b = append(b, make([]byte, 12)...)
	b = append(b, key...)
	for len(b)%8 != 0 {
		b = append(b, 0)
	}
	r.Bytes = b
	return nil
}

// All visits the rows.
func (r *Rows) All() iter.Seq[Row] {
	return func(yield func(Row) bool) {
		for b := r.Bytes; len(b) >= rowHeader; {
			keyLen, valueLen := int(binary.LittleEndian.Uint32(b[16:])), int(binary.LittleEndian.Uint32(b[20:]))
			row := Row{
				Key:    stringOf(b[rowHeader : rowHeader+keyLen]),
				Value:  Value{kind: Kind(b[24]), flags: b[25], number: binary.LittleEndian.Uint64(b), data: stringOf(b[rowHeader+keyLen : rowHeader+keyLen+valueLen])},
				Expiry: binary.LittleEndian.Uint64(b[8:]),
				Stripe: binary.LittleEndian.Uint32(b[28:]),
			}
			b = b[rowBytes(keyLen, valueLen):]
			if !yield(row) {
				return
			}
		}
	}
}

// values are the rows as a map.
func (r *Rows) values() map[string]Value {
	all := make(map[string]Value)
	for row := range r.All() {
		all[row.Key] = row.Value
	}
	return all
}
