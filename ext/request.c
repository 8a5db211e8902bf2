/* The identity of a request: a number that is never used again in this process. RINIT and RSHUTDOWN run once per script, which
 * in worker mode serves many requests, so that the identity hangs on the SAPI's own hooks. */
#include <php.h>
#include <SAPI.h>

#include "frankenshare.h"

static int (*next_activate)(void);
static int (*next_deactivate)(void);

static _Atomic uint64_t last_request;

static uint64_t new_request(void) { return atomic_fetch_add(&last_request, 1) + 1; }

/* Lets go of what belongs to the request, and begins another. */
static void end(fs_globals *g)
{
	if (g->request != 0 && !fs_forked) {
		fs_thread_quiet(fs_all_threads(), g->thread);
		fs_go.request_end(g->request);
	}
	g->request = new_request();
}

static int activate(void)
{
	fs_g = fs_globals_fetch();
	end(fs_g); /* what a worker's script has taken between two requests */
	return next_activate != NULL ? next_activate() : SUCCESS;
}

/* Comes after all else that belongs to the request; PHP's memory may be gone, so nothing of Zend's is used. */
static int deactivate(void)
{
	fs_globals *g = fs_globals_fetch();
	end(g);
	fs_buffer_trim(&g->scratch);
	fs_buffer_trim(&g->rows);
	return next_deactivate != NULL ? next_deactivate() : SUCCESS;
}

/* Each start of the engine puts the SAPI's own hooks back, but one that does not must not chain ours to themselves. */
void fs_request_hook(void)
{
	if (sapi_module.activate != activate) {
		next_activate = sapi_module.activate;
		sapi_module.activate = activate;
	}
	if (sapi_module.deactivate != deactivate) {
		next_deactivate = sapi_module.deactivate;
		sapi_module.deactivate = deactivate;
	}
}

void fs_request_unhook(void)
{
	if (sapi_module.activate == activate) {
		sapi_module.activate = next_activate;
	}
	if (sapi_module.deactivate == deactivate) {
		sapi_module.deactivate = next_deactivate;
	}
}
