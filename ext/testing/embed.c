/* Runs a PHP file with the extension on the twin: one thread, no Go, so that sanitizers and callgrind see all there is.
 *
 * usage: embed FILE [ARGUMENT...] */
#include <sapi/embed/php_embed.h>

#include "fake.h"

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: %s FILE [ARGUMENT...]\n", argv[0]);
		return 2;
	}
	fs_fake_options options = {.stripes = 64,
	                           .homes = 64,
	                           .overflow = 8192,
	                           .cells = 16384,
	                           .cell_size = 1024,
	                           .max_value = 1 << 20,
	                           .max_key = 1 << 16};
	const fs_bridge *bridge = fs_fake_start(&options);
	if (bridge == NULL) {
		fprintf(stderr, "no memory for the store\n");
		return 2;
	}
	fs_install(bridge);
	if (php_embed_init(argc - 1, argv + 1) != SUCCESS) {
		return 2;
	}
	zend_file_handle file;
	zend_stream_init_filename(&file, argv[1]);
	zend_first_try { php_execute_script(&file); }
	zend_end_try();
	zend_destroy_file_handle(&file);
	int status = EG(exit_status);
	php_embed_shutdown();
	fs_fake_stop();
	return status;
}
