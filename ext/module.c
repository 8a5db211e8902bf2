/* The module's life. PHP is torn down and started again in the same process at each reload of the server, so nothing static
 * here may point into Zend. */
#include <php.h>
#include <php_ini.h>
#include <pthread.h>
#include <stdlib.h>

#include "classes.h"
#include "frankenshare.h"
#include "info.h"
#include "interval.h"
#include "view.h"

typedef fs_globals zend_frankenshare_globals;
ZEND_DECLARE_MODULE_GLOBALS(frankenshare)

__thread fs_globals *fs_g;
fs_bridge fs_go;
bool fs_forked;

static int (*next_register_internal_extensions)(void);

PHP_INI_BEGIN()
	PHP_INI_ENTRY("frankenshare.autostart", "1", PHP_INI_SYSTEM, NULL)
PHP_INI_END()

fs_globals *fs_globals_fetch(void) { return ZEND_MODULE_GLOBALS_BULK(frankenshare); }

static void free_buffer(fs_buffer *buf)
{
	free(buf->data);
	*buf = (fs_buffer){0};
}

void fs_buffer_trim(fs_buffer *buf)
{
	if (buf->cap > FS_BUFFER_KEPT) {
		free_buffer(buf);
	}
}

static PHP_GINIT_FUNCTION(frankenshare)
{
	memset(frankenshare_globals, 0, sizeof(*frankenshare_globals));
	frankenshare_globals->thread = fs_thread_claim(fs_all_threads());
	fs_gate_open(&frankenshare_globals->gate, false);
}

/* May run on another thread than the globals'. A forked child shares the thread records with its parent. */
static PHP_GSHUTDOWN_FUNCTION(frankenshare)
{
	if (!fs_forked) {
		fs_thread_release(frankenshare_globals->thread);
	}
	free_buffer(&frankenshare_globals->scratch);
	free_buffer(&frankenshare_globals->rows);
	if (fs_g == frankenshare_globals) {
		fs_g = NULL;
	}
}

static PHP_MINIT_FUNCTION(frankenshare)
{
	(void)type;
	REGISTER_INI_ENTRIES();
	fs_classes_register();
	fs_request_hook();
	return SUCCESS;
}

static PHP_MSHUTDOWN_FUNCTION(frankenshare)
{
	(void)type;
	fs_request_unhook();
	UNREGISTER_INI_ENTRIES();
	return SUCCESS;
}

static PHP_RINIT_FUNCTION(frankenshare)
{
	(void)type, (void)module_number;
	fs_g = fs_globals_fetch();
	fs_gate_open(&fs_g->gate, fs_g->thread != NULL && !fs_forked);
	fs_g->views = NULL;
	fs_g->resolvers = fs_g->due = NULL;
	fs_g->script = fs_g->request;
	return SUCCESS;
}

/* PHP code may still run after this (a session handler): until the next request it reads past the gate. */
static PHP_RSHUTDOWN_FUNCTION(frankenshare)
{
	(void)type, (void)module_number;
	bool forget = CG(unclean_shutdown);
	fs_views_drop(fs_g, forget);
	fs_resolvers_drop(fs_g, forget);
	fs_gate_close(&fs_g->gate, forget);
	return SUCCESS;
}

static PHP_MINFO_FUNCTION(frankenshare)
{
	(void)zend_module;
	fs_info();
	DISPLAY_INI_ENTRIES();
}

static const zend_module_dep dependencies[] = {ZEND_MOD_REQUIRED("json") ZEND_MOD_REQUIRED("spl") ZEND_MOD_END};

static zend_module_entry module = {
	STANDARD_MODULE_HEADER_EX,
	NULL,
	dependencies,
	"frankenshare",
	NULL, /* set with each start */
	PHP_MINIT(frankenshare),
	PHP_MSHUTDOWN(frankenshare),
	PHP_RINIT(frankenshare),
	PHP_RSHUTDOWN(frankenshare),
	PHP_MINFO(frankenshare),
	FRANKENSHARE_VERSION,
	PHP_MODULE_GLOBALS(frankenshare),
	PHP_GINIT(frankenshare),
	PHP_GSHUTDOWN(frankenshare),
	NULL,
	STANDARD_MODULE_PROPERTIES_EX,
};

/* PHP calls it at every start of the engine. The entry was left in the state of the engine before. */
static int register_extensions(void)
{
	if (next_register_internal_extensions() == FAILURE) {
		return FAILURE;
	}
	module.module_number = 0;
	module.module_started = 0;
	module.functions = fs_functions();
	return zend_register_internal_module(&module) != NULL ? SUCCESS : FAILURE;
}

/* Only the thread that forked lives on in the child, so that closing its gate makes every read come by fs_usable(). What the
 * gate and the views held is left to the end of the request. */
static void child_of_fork(void)
{
	fs_forked = true;
	if (fs_g != NULL) {
		fs_g->views = NULL;
		fs_gate_close(&fs_g->gate, true);
	}
}

void fs_install(const fs_bridge *bridge)
{
	fs_go = *bridge;
	next_register_internal_extensions = php_register_internal_extensions_func;
	php_register_internal_extensions_func = register_extensions;
	pthread_atfork(NULL, NULL, child_of_fork);
}
