/* An extension that gives PHP code threads of its own, in the way of ext-parallel: each is a request beside the one that started it,
 * in the same server context. run_threads($script, $n) runs a script in n threads at once and waits for them. */
#include <pthread.h>

#include <php.h>
#include <SAPI.h>
#include <php_main.h>

ZEND_TSRMLS_CACHE_DEFINE()

typedef struct job {
	const char *script;
	void *server;
	sapi_request_info request;
	bool done;
} job;

static void *run(void *arg)
{
	job *j = arg;
	ts_resource(0);
	ZEND_TSRMLS_CACHE_UPDATE();
	SG(server_context) = j->server;
	SG(request_info) = j->request;
	PG(auto_globals_jit) = 1;
	if (php_request_startup() == SUCCESS) {
		PG(during_request_startup) = 0;
		SG(sapi_started) = 0;
		SG(headers_sent) = 1; /* the response is the parent's */
		SG(request_info).no_headers = 1;
		zend_file_handle file;
		zend_stream_init_filename(&file, j->script);
		zend_first_try { j->done = php_execute_script(&file); }
		zend_end_try();
		zend_destroy_file_handle(&file);
		php_request_shutdown(NULL);
	}
	ts_free_thread();
	return NULL;
}

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_run_threads, 0, 2, IS_LONG, 0)
ZEND_ARG_TYPE_INFO(0, script, IS_STRING, 0)
ZEND_ARG_TYPE_INFO(0, n, IS_LONG, 0)
ZEND_END_ARG_INFO()

/* Answers how many threads came to the script's end. */
PHP_FUNCTION(run_threads)
{
	char *script;
	size_t len;
	zend_long n, done = 0, started = 0;
	ZEND_PARSE_PARAMETERS_START(2, 2)
		Z_PARAM_PATH(script, len)
		Z_PARAM_LONG(n)
	ZEND_PARSE_PARAMETERS_END();
	job *jobs = safe_emalloc(n, sizeof(*jobs), 0);
	pthread_t *threads = safe_emalloc(n, sizeof(*threads), 0);
	for (; started < n; started++) {
		jobs[started] = (job){.script = script, .server = SG(server_context), .request = SG(request_info)};
		if (pthread_create(&threads[started], NULL, run, &jobs[started]) != 0) {
			break;
		}
	}
	for (zend_long i = 0; i < started; i++) {
		pthread_join(threads[i], NULL);
		done += jobs[i].done;
	}
	efree(jobs);
	efree(threads);
	RETURN_LONG(done);
}

PHP_RINIT_FUNCTION(threads)
{
	ZEND_TSRMLS_CACHE_UPDATE();
	return SUCCESS;
}

static const zend_function_entry functions[] = {PHP_FE(run_threads, arginfo_run_threads) PHP_FE_END};

static zend_module_entry threads_module_entry = {
	STANDARD_MODULE_HEADER, "threads", functions, NULL, NULL,
	PHP_RINIT(threads),     NULL,      NULL,      "1",  STANDARD_MODULE_PROPERTIES,
};

ZEND_GET_MODULE(threads)
