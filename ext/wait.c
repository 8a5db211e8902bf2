#include <math.h>

#include "frankenshare.h"
#include "wait.h"

#define MILLISECOND 1000000

/* How long a slice of a wait until then is, 0 when there is no time left. */
static uint32_t slice_until(double end)
{
	double left = ceil((end - (double)fs_now()) / MILLISECOND);
	return left <= 0 ? 0 : left < FS_WAIT_SLICE_MS ? (uint32_t)left : FS_WAIT_SLICE_MS;
}

uint64_t fs_await_ticket(uint64_t ticket, double end, int *status, fs_error *err)
{
	uint64_t token = 0;
	uint32_t slice;
	*status = FS_STATUS_OK;
	while (*status == FS_STATUS_OK && token == 0 && fs_may_wait() && (slice = slice_until(end)) > 0) {
		*status = fs_go.turn_wait(ticket, slice, &token, err);
	}
	return fs_go.turn_leave(ticket);
}
