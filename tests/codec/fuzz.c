/* libFuzzer's side of the decoder's test: whatever the bytes, decoding them reads nothing beyond them, leaks nothing, and gives
 * either an error with a message or the value whose one encoding they are. An input is a kind and then the encoded bytes, as in
 * FuzzFault013Decode of sharedstate. */
#include <sapi/embed/php_embed.h>
#include <sanitizer/lsan_interface.h>
#include <zend_exceptions.h>

#include "codec.h"
#include "handles.h"

static fs_buffer buffer;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	__lsan_disable(); /* PHP is not shut down */
	if (php_embed_init(0, NULL) != SUCCESS) {
		abort();
	}
	if (zend_eval_string(HANDLE_CLASS
	                     "enum Suit { case Hearts; case Spades; } enum Level: string { case Low = 'l' . 'ow'; }",
	                     NULL, "fuzz") != SUCCESS) {
		abort();
	}
	__lsan_enable();
	return 0;
}

static void require(bool good, const char *what, const fs_error *err)
{
	if (!good) {
		fprintf(stderr, "wrong: %s: %s\n", what, err->message);
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	/* What PHP's unserialize() makes of any bytes is PHP's affair: an object's never come from elsewhere. */
	if (len == 0 || data[0] == FS_KIND_OBJECT) {
		return -1;
	}
	uint8_t kind = data[0];
	const char *bytes = (const char *)data + 1;
	len--;
	fs_error err = {{0}};
	zval value;
	int status = fs_decode(kind, FS_FLAG_RUNS_CODE | FS_FLAG_HANDLES, 0, bytes, len, &value, &err);
	require(!EG(exception), "an exception is pending", &err);
	if (status != FS_STATUS_OK) {
		require((status == FS_STATUS_VALUE || status == FS_STATUS_STALE_HANDLE) && err.message[0] != 0,
		        "the status of bytes that are refused", &err);
		require(Z_TYPE(value) == IS_UNDEF, "a value of bytes that are refused", &err);
		return 0;
	}
	fs_encoder enc;
	fs_value again;
	fs_encoder_init(&enc, &buffer, false);
	status = fs_encode(&value, UINT32_MAX, NULL, &enc, &again, &err);
	require(status == FS_STATUS_OK, "a decoded value cannot be encoded", &err);
	if (kind == FS_KIND_ARRAY || kind == FS_KIND_ENUM || kind == FS_KIND_HANDLE) {
		require(again.kind == kind && again.len == len, "a second encoding of one value", &err);
		/* An enum is also found by a name in other case. */
		require((again.flags & FS_FLAG_RUNS_CODE) != 0 || memcmp(again.data, bytes, len) == 0,
		        "a second encoding of one value", &err);
	}
	fs_encoder_free(&enc);
	zval_ptr_dtor(&value);
	return 0;
}
