package phpbridge

/*
#include "table.h"
*/
import "C"

import (
	"fmt"
	"runtime/cgo"
	"time"
	"unsafe"

	"github.com/frankenshare/frankenshare/sharedstate"
)

// channel is one that C has open.
func channel(id C.uint64_t) *sharedstate.Channel {
	return store.Shared(uint64(id)).(*sharedstate.Channel)
}

func channelWait(ticket C.uint64_t) *sharedstate.ChannelWait {
	return cgo.Handle(ticket).Value().(*sharedstate.ChannelWait)
}

func putTicket(out *C.uint64_t, w *sharedstate.ChannelWait) {
	*out = 0
	if w != nil {
		*out = C.uint64_t(cgo.NewHandle(w))
	}
}

//export fs_go_channel_open
func fs_go_channel_open(name C.fs_bytes, capacity C.int64_t, id *C.uint64_t, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	c, e := store.OpenChannel(text(name), int(capacity))
	if e == nil {
		*id = C.uint64_t(c.ID())
	}
	return answer(e, err)
}

//export fs_go_channel_send
func fs_go_channel_send(id C.uint64_t, value *C.fs_value, wait C.int32_t, ticket *C.uint64_t, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	*ticket = 0
	w, e := channel(id).StartSend(valueOf(value), wait != 0)
	putTicket(ticket, w)
	return answer(e, err)
}

//export fs_go_channel_receive
func fs_go_channel_receive(id, request C.uint64_t, wait C.int32_t, ticket *C.uint64_t, out *C.fs_delivery, buf *C.fs_buffer, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	*ticket, *out = 0, C.fs_delivery{}
	d, w, e := channel(id).StartReceive(wait != 0, uint64(request))
	putTicket(ticket, w)
	if d != nil {
		e = putDelivery(out, d, buf)
	}
	return answer(e, err)
}

// putDelivery copies a delivery's value to C's buffer. Without memory for it the value goes back.
func putDelivery(out *C.fs_delivery, d *sharedstate.Delivery, buf *C.fs_buffer) error {
	kind, flags, number, data := d.Value.RawParts()
	if C.fs_buffer_reserve(buf, C.size_t(len(data))) == 0 {
		d.Return()
		return fmt.Errorf("%w: no memory to receive a value of %d bytes", sharedstate.ErrUnavailable, len(data))
	}
	copy(unsafe.Slice((*byte)(unsafe.Pointer(buf.data)), len(data)), data) // the buffer has room for them
	*out = C.fs_delivery{number: C.uint64_t(d.Number()), value: C.fs_value{kind: C.uint8_t(kind), flags: C.uint8_t(flags),
		number: C.uint64_t(number), data: buf.data, len: C.size_t(len(data))}}
	return nil
}

//export fs_go_channel_wait
func fs_go_channel_wait(ticket C.uint64_t, ms C.uint32_t, over *C.int32_t, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	is, e := channelWait(ticket).Wait(time.Duration(ms) * time.Millisecond)
	putBool(over, is)
	return answer(e, err)
}

//export fs_go_channel_sent
func fs_go_channel_sent(ticket C.uint64_t, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	defer cgo.Handle(ticket).Delete()
	return answer(channelWait(ticket).Sent(), err)
}

//export fs_go_channel_received
func fs_go_channel_received(ticket C.uint64_t, out *C.fs_delivery, buf *C.fs_buffer, err *C.fs_error) (status C.int32_t) {
	defer recovered(&status, err)
	defer cgo.Handle(ticket).Delete()
	d, e := channelWait(ticket).Received()
	if d != nil {
		e = putDelivery(out, d, buf)
	}
	return answer(e, err)
}

//export fs_go_channel_accept
func fs_go_channel_accept(number C.uint64_t) (status C.int32_t) {
	defer recovered(&status, nil)
	d := store.Delivery(uint64(number))
	return done(d != nil && d.Accept())
}

//export fs_go_channel_close
func fs_go_channel_close(id C.uint64_t) (status C.int32_t) {
	defer recovered(&status, nil)
	return done(channel(id).Shut())
}

//export fs_go_channel_state
func fs_go_channel_state(id C.uint64_t, count *C.uint64_t, closed *C.int32_t) {
	var status C.int32_t
	defer recovered(&status, nil)
	c := channel(id)
	*count = C.uint64_t(c.Len())
	putBool(closed, c.IsShut())
}
