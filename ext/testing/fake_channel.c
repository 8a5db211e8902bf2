/* The twin's channels. Nobody else runs, so that a wait ends by its time alone, and whoever waits has no turn. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fake_object.h"

typedef struct message {
	fs_value value; /* its data is malloc'ed */
	struct message *next;
} message;

typedef struct channel {
	message *first;
	int64_t count, capacity;
	bool closed;
} channel;

/* The delivery that is on its way; there is one thread. */
static struct {
	channel *from;
	message *message;
	uint64_t number, request;
} delivery;

static channel *find(uint64_t id) { return fake_object_find(id)->data; }

static void free_message(message *m)
{
	free((char *)m->value.data);
	free(m);
}

static void free_channel(void *data)
{
	channel *c = data;
	while (c->first != NULL) {
		message *m = c->first;
		c->first = m->next;
		free_message(m);
	}
	if (delivery.from == c) {
		free_message(delivery.message);
		delivery.from = NULL;
	}
	free(c);
}

int32_t fake_channel_open(fs_bytes name, int64_t capacity, uint64_t *id, fs_error *err)
{
	(void)err;
	fake_object *o = fake_object_open(FS_SHARED_CHANNEL, name);
	if (!o->made) {
		channel *c = o->data = calloc(1, sizeof(*c));
		c->capacity = capacity;
		o->free = free_channel;
		o->made = true;
	}
	*id = o->id;
	return FS_STATUS_OK;
}

int32_t fake_channel_send(uint64_t id, const fs_value *value, int32_t wait, uint64_t *ticket, fs_error *err)
{
	channel *c = find(id);
	message **last = &c->first;
	*ticket = 0;
	if (c->closed || c->count >= c->capacity) {
		strcpy(err->message, "the channel is full or closed");
		if (!c->closed && wait) {
			*ticket = 1;
			return FS_STATUS_OK;
		}
		return c->closed ? FS_STATUS_CHANNEL_CLOSED : FS_STATUS_CHANNEL_FULL;
	}
	while (*last != NULL) {
		last = &(*last)->next;
	}
	message *m = *last = calloc(1, sizeof(*m));
	m->value = *value;
	m->value.data = value->len > 0 ? memcpy(malloc(value->len), value->data, value->len) : NULL;
	c->count++;
	return FS_STATUS_OK;
}

int32_t fake_channel_receive(uint64_t id, uint64_t request, int32_t wait, uint64_t *ticket, fs_delivery *out,
                             fs_buffer *buf, fs_error *err)
{
	channel *c = find(id);
	message *m = c->first;
	*ticket = 0;
	if (m == NULL) {
		strcpy(err->message, "the channel is empty or closed");
		*ticket = !c->closed && wait;
		return *ticket ? FS_STATUS_OK : c->closed ? FS_STATUS_CHANNEL_CLOSED : FS_STATUS_CHANNEL_EMPTY;
	}
	if (!fs_buffer_reserve(buf, m->value.len)) {
		return FS_STATUS_UNAVAILABLE;
	}
	c->first = m->next;
	c->count--;
	delivery.from = c;
	delivery.message = m;
	delivery.number++;
	delivery.request = request;
	*out = (fs_delivery){.number = delivery.number, .value = m->value};
	out->value.data = m->value.len > 0 ? memcpy(buf->data, m->value.data, m->value.len) : buf->data;
	return FS_STATUS_OK;
}

int32_t fake_channel_wait(uint64_t ticket, uint32_t ms, int32_t *over, fs_error *err)
{
	(void)ticket, (void)err;
	nanosleep(&(struct timespec){.tv_nsec = ms * 1000000L}, NULL);
	*over = 0;
	return FS_STATUS_OK;
}

int32_t fake_channel_sent(uint64_t ticket, fs_error *err)
{
	(void)ticket, (void)err;
	return FS_STATUS_CHANNEL_FULL;
}

int32_t fake_channel_received(uint64_t ticket, fs_delivery *out, fs_buffer *buf, fs_error *err)
{
	(void)ticket, (void)out, (void)buf, (void)err;
	return FS_STATUS_CHANNEL_EMPTY;
}

int32_t fake_channel_accept(uint64_t number)
{
	if (delivery.from == NULL || delivery.number != number) {
		return FS_STATUS_ABSENT;
	}
	free_message(delivery.message);
	delivery.from = NULL;
	return FS_STATUS_OK;
}

void fake_channel_end(uint64_t request)
{
	channel *c = delivery.from;
	if (c != NULL && delivery.request == request) {
		delivery.message->next = c->first;
		c->first = delivery.message;
		c->count++;
		delivery.from = NULL;
	}
}

int32_t fake_channel_close(uint64_t id)
{
	channel *c = find(id);
	bool was = c->closed;
	c->closed = true;
	return was ? FS_STATUS_ABSENT : FS_STATUS_OK;
}

void fake_channel_state(uint64_t id, uint64_t *count, int32_t *closed)
{
	channel *c = find(id);
	*count = (uint64_t)c->count;
	*closed = c->closed;
}
