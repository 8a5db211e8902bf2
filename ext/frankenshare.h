/* What the extension's files share: the thread's globals and the bridge. */
#ifndef FRANKENSHARE_H
#define FRANKENSHARE_H

#include <php.h>

#include "bridge.h"
#include "gate.h"
#include "reader.h"

#ifndef ZTS
#error "FrankenShare needs a thread-safe (ZTS) PHP"
#endif

#define FRANKENSHARE_VERSION "0.1.0"

/* What a buffer may keep between two requests. */
#define FS_BUFFER_KEPT (64 * 1024)

typedef struct fs_globals {
	fs_gate gate;
	fs_thread *thread;     /* this thread's record; NULL when all were taken: no gate, and every read is locked */
	struct fs_view *views; /* cached snapshots; see view.h */
	fs_buffer scratch;     /* one encoded value; never in use while PHP code runs */
	fs_buffer rows;        /* many rows; never in use while PHP code runs */
	zend_array *resolvers; /* of intervals, those that this script alone can call; see interval.c */
	zend_array *due;       /* intervals that this request has found due */
	uint64_t script;       /* the request that the script began with; a worker serves others after it */
	uint64_t request;      /* identity of the request on this thread; see request.c */
} fs_globals;

/* The calling thread's globals, set before any PHP code runs. TSRM's own way to them costs a call. */
extern __thread fs_globals *fs_g;

extern fs_bridge fs_go;
extern bool fs_forked; /* a forked child: it has no Go runtime, so that nothing may cross the bridge */
#define FS_FORKED "Shared state is not available after fork(): it belongs to the parent process"

static inline fs_threads *fs_all_threads(void) { return (fs_threads *)(uintptr_t)fs_go.threads; }

fs_globals *fs_globals_fetch(void);
void fs_buffer_trim(fs_buffer *buf);

/* request.c: hooks into the SAPI's start and end of a request. */
void fs_request_hook(void);
void fs_request_unhook(void);

#endif
