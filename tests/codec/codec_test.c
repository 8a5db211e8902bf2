/* Holds ext/encode.c and ext/decode.c to the vectors that the Go codec writes, and to PHP's own idea of its values: a
 * program that embeds PHP, without Go. See run.sh for how it is built. */
#include <sapi/embed/php_embed.h>
#include <ext/standard/php_var.h>
#include <zend_exceptions.h>
#include <zend_smart_str.h>

#include "codec.h"
#include "handles.h"

static int passed, failed;
static bool finished;
static const char *vectors_path;
static fs_buffer thread_buffer;

static void check(bool good, const char *what, const char *detail)
{
	printf("%s %s%s%s\n", good ? "ok" : "not ok", what, detail[0] != 0 ? ": " : "", detail);
	if (good) {
		passed++;
	} else {
		failed++;
	}
}

static const char definitions[] =
	"namespace App { enum Level: string { case Low = 'l' . 'ow'; }\n"
	"final class Box { public function __construct(private $held) {} } }\n"
	"namespace {\n" HANDLE_CLASS "enum Suit { case Hearts; case Spades; const Trump = self::Spades; }\n"
	"class Point { public function __construct(public $x, public $y) {} }\n"
	"class SubPoint extends Point {}\n"
	"class Poi { public function __construct(protected $x) {} }\n"
	"class Pointer extends Poi {}\n"
	"class Gives { public function __construct(private $x) {}\n"
	"public function __serialize(): array { return ['} O:1:\"', $this->x]; } }\n"
	"class Old implements Serializable { public function __construct(private $x) {}\n"
	"public function serialize() { return $this->x . '}'; } public function unserialize($s) { $this->x = $s; } }\n"
	"class Mimics { public function __serialize(): array {\n"
	"throw new Exception(\"Serialization of 'Point' is not allowed\"); } }\n"
	"class Passes { public function __serialize(): array { return [serialize(fn() => 1)]; } }\n"
	"class Prepared { public static $e; public function __serialize(): array { throw self::$e; } }\n"
	"class Throws { public function __serialize(): array { throw new LogicException('mine'); } }\n"
	"class Quits { public function __serialize(): array { exit; } }\n"
	"class Nests { public function __serialize(): array { codec_encode([7, 7, 7, 7]); "
	"codec_encode(new Point(7, 7)); $GLOBALS['text'] = 'other'; return [1]; }\n"
	"public function __unserialize(array $a): void {} }\n"
	"class Wakes { public $n = 0; public function __wakeup() { $this->n++; } }\n"
	"class BadWake { public function __wakeup() { throw new LogicException('wake'); } }\n"
	"}\n";

/* codec_encode($v): what a call of the store from an object's __serialize does with the thread's buffer. */
ZEND_BEGIN_ARG_INFO_EX(arginfo_codec_encode, 0, 0, 1)
ZEND_ARG_INFO(0, value)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_codec_test, 0, 0, 0)
ZEND_END_ARG_INFO()

ZEND_FUNCTION(codec_encode)
{
	zval *value;
	fs_encoder enc;
	fs_value out;
	fs_error err;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_ZVAL(value)
	ZEND_PARSE_PARAMETERS_END();
	fs_encoder_init(&enc, &thread_buffer, false);
	fs_encode(value, 1 << 20, NULL, &enc, &out, &err);
	fs_encoder_free(&enc);
}

static bool eval(const char *code, zval *out)
{
	ZVAL_UNDEF(out);
	return zend_eval_string(code, out, "test") == SUCCESS && !EG(exception) && Z_TYPE_P(out) != IS_UNDEF;
}

static int decode(const fs_value *v, zval *out, fs_error *err)
{
	err->message[0] = 0;
	return fs_decode(v->kind, v->flags, v->number, v->data, v->len, out, err);
}

static bool same_parts(const fs_value *a, const fs_value *b)
{
	return a->kind == b->kind && a->flags == b->flags && a->number == b->number && a->len == b->len &&
	       (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

/* Does in survive: encoded to want (if given), decoded to the same value, which encodes to the same bytes? */
static bool round_trip(zval *in, const fs_value *want, bool identical, fs_error *err)
{
	fs_encoder enc;
	fs_value first, second;
	zval out;
	bool good = false;

	err->message[0] = 0;
	fs_encoder_init(&enc, &thread_buffer, true);
	if (fs_encode(in, 4 << 20, NULL, &enc, &first, err) == FS_STATUS_OK) {
		good = want == NULL || same_parts(&first, want);
		if (!good) {
			snprintf(err->message, sizeof(err->message), "encoded to kind %d and %zu bytes", first.kind, first.len);
		} else if (decode(&first, &out, err) != FS_STATUS_OK) {
			good = false;
		} else {
			if (identical && !zend_is_identical(in, &out)) {
				snprintf(err->message, sizeof(err->message), "not identical");
				good = false;
			}
			if (good &&
			    (fs_encode(&out, 4 << 20, NULL, &enc, &second, err) != FS_STATUS_OK || !same_parts(&first, &second))) {
				good = false;
			}
			zval_ptr_dtor(&out);
		}
	}
	fs_encoder_free(&enc);
	return good;
}

static void keeps(const char *code)
{
	zval v;
	fs_error err = {{0}};
	bool good = eval(code, &v) && round_trip(&v, NULL, true, &err);
	check(good, code, err.message);
	zval_ptr_dtor(&v);
}

/* Cuts and changes every byte of an encoding: refused, or another value; the sanitizer sees a read beyond the end. */
static bool damage(const fs_value *v)
{
	fs_error err;
	zval out;
	int status;
	for (size_t n = 0; n < v->len; n++) {
		char *part = malloc(n + (n == 0));
		fs_value cut = {.kind = v->kind, .flags = v->flags, .data = part, .len = n};
		memcpy(part, v->data, n);
		status = decode(&cut, &out, &err);
		free(part);
		if (status != FS_STATUS_VALUE || err.message[0] == 0) {
			return false;
		}
	}
	for (size_t n = 0; n < v->len * 8; n++) {
		char *whole = malloc(v->len);
		fs_value changed = {.kind = v->kind, .flags = v->flags, .data = whole, .len = v->len};
		memcpy(whole, v->data, v->len);
		whole[n / 8] ^= (char)(1 << n % 8);
		status = decode(&changed, &out, &err);
		if (status ==
		    FS_STATUS_OK) { /* then it is the one encoding of that value, but for the case of a class's name */
			bool good = round_trip(&out, v->flags & FS_FLAG_RUNS_CODE ? NULL : &changed, false, &err);
			zval_ptr_dtor(&out);
			if (!good) {
				free(whole);
				return false;
			}
		}
		free(whole);
		if (status != FS_STATUS_OK && status != FS_STATUS_VALUE) {
			return false;
		}
	}
	return true;
}

static size_t unhex(const char *hex, char *out)
{
	size_t n = 0;
	unsigned byte;
	for (; hex[2 * n] != 0 && sscanf(hex + 2 * n, "%2x", &byte) == 1; n++) {
		out[n] = (char)byte;
	}
	return n;
}

static void test_vector(char *line)
{
	char *field[6];
	fs_error err = {{0}};
	zval v;
	for (int i = 0; i < 6; i++) {
		field[i] = strsep(&line, "\t\n");
		if (field[i] == NULL) {
			check(false, "vector", "fewer than six fields");
			return;
		}
	}
	char *data = malloc(strlen(field[4]) / 2 + 1);
	fs_value want = {
		.kind = (uint8_t)atoi(field[1]),
		.flags = (uint8_t)atoi(field[2]),
		.number = strtoull(field[3], NULL, 16),
		.data = data,
		.len = unhex(field[4], data),
	};
	if (strcmp(field[0], "value") == 0) {
		bool identical = (want.flags & FS_FLAG_FRESH) == 0 && strstr(field[5], "NAN") == NULL;
		bool good = eval(field[5], &v) && round_trip(&v, &want, identical, &err);
		check(good, field[5], err.message);
		zval_ptr_dtor(&v);
		if (want.kind != FS_KIND_OBJECT && want.len > 0 && want.kind != FS_KIND_STRING) {
			check(damage(&want), "damage to it", "");
		}
	} else {
		int status = decode(&want, &v, &err);
		check(status == FS_STATUS_VALUE && Z_TYPE(v) == IS_UNDEF && err.message[0] != 0, field[5], err.message);
	}
	free(data);
}

static void test_vectors(const char *path)
{
	char *line = NULL;
	size_t cap = 0;
	int lines = 0;
	FILE *f = fopen(path, "r");
	if (f == NULL) {
		check(false, path, "cannot be opened");
		return;
	}
	while (getline(&line, &cap, f) > 0) {
		if (line[0] != '#') {
			test_vector(line);
			lines++;
		}
	}
	free(line);
	fclose(f);
	check(lines > 50, "the vectors were read", "");
}

/* The value of code may be stored where only these classes may. */
static void takes(const char *code, const char *classes)
{
	zval v;
	fs_encoder enc;
	fs_value out;
	fs_error err = {{0}};
	fs_encoder_init(&enc, &thread_buffer, false);
	bool good = eval(code, &v) && fs_encode(&v, 1 << 20, classes, &enc, &out, &err) == FS_STATUS_OK;
	fs_encoder_free(&enc);
	check(good, code, err.message);
	zval_ptr_dtor(&v);
}

/* The value of code is refused with this status and a message that contains text. */
static void refuses(const char *code, uint64_t max_value, const char *classes, int want, const char *text)
{
	zval v;
	fs_encoder enc;
	fs_value out;
	fs_error err = {{0}};
	fs_encoder_init(&enc, &thread_buffer, false);
	bool good = eval(code, &v) && fs_encode(&v, max_value, classes, &enc, &out, &err) == want &&
	            strstr(err.message, text) != NULL && !EG(exception);
	fs_encoder_free(&enc);
	check(good, code, err.message);
	zval_ptr_dtor(&v);
}

static void test_classes(void)
{
	const uint64_t max = 1 << 20;
	const char list[] = "app\\BOX\0Point\0";
	takes("[new App\\Box(new Point(1, Suit::Hearts)), 'p' => new Point(1, 2)]", list);
	takes("new Old('O:8:\"stdClass\":0:{}')", "Old\0");
	takes("new App\\Box('O:8:\"stdClass\":0:{}')", list);
	takes("[Suit::Hearts, [App\\Level::Low]]", list);
	takes("unserialize('O:7:\"App\\Was\":0:{}')", "App\\Was\0");
	refuses("new Wakes", max, list, FS_STATUS_VALUE,
	        "an object of class Wakes (the table has objects serialize app\\BOX Point)");
	refuses("[1, 'k' => ['w' => new Wakes]]", max, list, FS_STATUS_VALUE, "Wakes (the table has objects");
	refuses("[1, 'k' => ['w' => new Wakes]]", max, list, FS_STATUS_VALUE, " at ['k']['w']");
	refuses("new App\\Box(new Wakes)", max, list, FS_STATUS_VALUE, "an object of class Wakes (");
	refuses("new App\\Box([1, ['x' => new App\\Box(new Point(1, (object)[]))]])", max, list, FS_STATUS_VALUE,
	        "an object of class stdClass (");
	refuses("new App\\Box(new Old('x'))", max, list, FS_STATUS_VALUE, "an object of class Old (");
	refuses("new Gives(new Wakes)", max, "Gives\0", FS_STATUS_VALUE, "an object of class Wakes (");
	refuses("new SubPoint(1, 2)", max, list, FS_STATUS_VALUE, "an object of class SubPoint (");
	refuses("unserialize('O:7:\"App\\Was\":0:{}')", max, list, FS_STATUS_VALUE, "an object of class App\\Was (");
	refuses("unserialize('O:7:\"App\\Was\":0:{}')", max, "", FS_STATUS_VALUE, "objects deny");
	refuses("new Poi(1)", max, list, FS_STATUS_VALUE, "an object of class Poi (");
	refuses("new Pointer(1)", max, list, FS_STATUS_VALUE, "an object of class Pointer (");
}

static void test_refusals(void)
{
	const uint64_t max = 1 << 20;
	const char *on = NULL, *off = "";
	takes("[new Handle(1, 7), 'k' => new Handle(2, 8)]", off);
	refuses("['k' => new Handle(1, 0)]", max, off, FS_STATUS_VALUE, "a Handle whose constructor did not run at ['k']");
	refuses("new Handle(1, 0)", max, off, FS_STATUS_VALUE, "a Handle whose constructor did not run");
	refuses("[new Handle(1, 1), new Point(1, 2)]", max, on, FS_STATUS_VALUE, "a shared object and another object");
	refuses("[new Point(1, 2), [new Handle(1, 1)]]", max, on, FS_STATUS_VALUE, "a shared object and another object");
	refuses("array_fill(0, 40, new Handle(1, 1))", 100, off, FS_STATUS_VALUE_SIZE, "100 bytes");
	refuses("function () {}", max, on, FS_STATUS_VALUE, "a Closure");
	refuses("['user' => ['list' => [1, function () {}]]]", max, on, FS_STATUS_VALUE,
	        "a Closure at ['user']['list'][1]");
	refuses("[new Point(1, 2), 'f' => strlen(...)]", max, on, FS_STATUS_VALUE, "a Closure at ['f']");
	refuses("new Point(1, function () {})", max, on, FS_STATUS_VALUE, "an object of class Closure");
	refuses("(function () { yield 1; })()", max, on, FS_STATUS_VALUE, "an object of class Generator");
	refuses("fopen('php://memory', 'r')", max, on, FS_STATUS_VALUE, "a resource (stream)");
	refuses("[new Point(1, 2), fopen('php://memory', 'r')]", max, on, FS_STATUS_VALUE, "a resource (stream) at [1]");
	refuses("(function () { $f = fopen('php://memory', 'r'); fclose($f); return [$f]; })()", max, on, FS_STATUS_VALUE,
	        "a resource (closed) at [0]");
	refuses("new Point(1, 2)", max, off, FS_STATUS_VALUE, "an object of class Point (the table has objects deny)");
	refuses("['p' => new Point(1, 2)]", max, off, FS_STATUS_VALUE, "at ['p']");
	test_classes();
	refuses("(function () { $a = []; for ($i = 0; $i < 512; $i++) { $a = [$a]; } return $a; })()", max, on,
	        FS_STATUS_VALUE, "an array nested deeper than 512");
	refuses("(function () { $a = [new Point(1, 2)]; for ($i = 0; $i < 512; $i++) { $a = [$a]; } return $a; })()", max,
	        on, FS_STATUS_VALUE, "an array nested deeper than 512");
	refuses("(function () { $a = [1]; $a['me'] = &$a; return $a; })()", max, on, FS_STATUS_VALUE,
	        "an array that contains itself at ['me']");
	refuses("(function () { $a = []; $a = [&$a, &$a, range(1, 1000), &$a]; return $a; })()", max, on, FS_STATUS_VALUE,
	        "an array that contains itself");
	refuses("(function () { $a = [new Point(1, 2)]; $b = [&$a]; $a[] = &$b; return $b; })()", max, on, FS_STATUS_VALUE,
	        "an array that contains itself");
	refuses("(function () { $a = [1]; for ($i = 0; $i < 60; $i++) { $a = [$a, $a]; } return $a; })()", max, on,
	        FS_STATUS_VALUE_SIZE, "1048576 bytes");
	refuses("(function () { $a = [new Point(1, 2)]; for ($i = 0; $i < 60; $i++) { $a = [$a, $a]; } return $a; })()",
	        max, on, FS_STATUS_VALUE_SIZE, "1048576 bytes");
	refuses("str_repeat('x', 101)", 100, on, FS_STATUS_VALUE_SIZE, "a string of 101 bytes (max_value is 100)");
	refuses("[str_repeat('x', 97)]", 100, on, FS_STATUS_VALUE_SIZE, "100 bytes");
	refuses("range(1, 50)", 100, on, FS_STATUS_VALUE_SIZE, "100 bytes");
	refuses("new Point(str_repeat('x', 100), 1)", 100, on, FS_STATUS_VALUE_SIZE, "100 bytes");
	refuses("(function () { $o = new ArrayObject((object)['1' => 'a']); $a = $o->getArrayCopy(); $a[1] = 'b'; return "
	        "$a; })()",
	        max, on, FS_STATUS_VALUE, "the key 1 as an int and as a string");
}

static void test_values(void)
{
	keeps("random_bytes(1 << 20)");
	keeps("[random_bytes(1 << 20)]");
	keeps("range(0, 999)");
	keeps("(function () { $a = []; for ($i = 0; $i < 5000; $i++) { $a[\"key $i\"] = $i * 1.5; } return $a; })()");
	keeps("str_repeat('x', 100)");
	keeps("Suit::Trump");
	keeps("(function () { $a = [1, 2, 3]; foreach ($a as &$v) { $v *= 2; } return $a; })()");
	keeps(
		"(function () { $a = ['x' => [1], 'y' => [2]]; foreach ($a as &$v) { foreach ($v as &$w) {} } return $a; })()");
	keeps("(function () { $x = [1]; return [&$x, &$x]; })()");
}

/* expression is about $v, the decoded value of code. */
static void reads_as(const char *code, const char *expression)
{
	zval in, out, result;
	fs_encoder enc;
	fs_value v;
	fs_error err = {{0}};
	bool good = false;
	fs_encoder_init(&enc, &thread_buffer, true);
	if (eval(code, &in) && fs_encode(&in, 1 << 20, NULL, &enc, &v, &err) == FS_STATUS_OK &&
	    decode(&v, &out, &err) == FS_STATUS_OK) {
		zend_hash_str_update(&EG(symbol_table), "v", 1, &out);
		good = eval(expression, &result) && zend_is_true(&result);
		zval_ptr_dtor(&result);
		zend_hash_str_del(&EG(symbol_table), "v", 1);
	}
	fs_encoder_free(&enc);
	zval_ptr_dtor(&in);
	check(good, expression, err.message);
}

static void test_meaning(void)
{
	reads_as("(function () { $a = [5 => 'a', 'k' => 'b']; return $a; })()",
	         "(function () use ($v) { $v[] = 'c'; return array_key_last($v) === 6; })()");
	reads_as("(function () { $a = [1, 2, 3]; unset($a[2]); return $a; })()",
	         "(function () use ($v) { $v[] = 'c'; return array_keys($v) === [0, 1, 2]; })()");
	reads_as("(function () { $x = 1; return [&$x, &$x]; })()",
	         "(function () use ($v) { $v[0] = 2; return $v === [2, 1]; })()");
	reads_as("(function () { $x = 1; return [&$x, &$x, new Point(1, 2)]; })()",
	         "(function () use ($v) { $v[0] = 2; return $v[1] === 1 && $v[2] == new Point(1, 2); })()");
	reads_as("(function () { $a = [1, new Point(1, 2), [3]]; foreach ($a as &$v) {} unset($v); return $a; })()",
	         "$v == [1, new Point(1, 2), [3]] && $v[2] === [3]");
	reads_as("(function () { $p = new Point(1, 2); return ['a' => $p, 'b' => ['c' => $p], 'e' => Suit::Hearts]; })()",
	         "$v['a'] === $v['b']['c'] && $v['a'] == new Point(1, 2) && $v['e'] === Suit::Hearts");
	reads_as("(function () { $p = new Point(1, 2); $p->x = $p; return $p; })()", "$v->x === $v && $v->y === 2");
	reads_as("new Wakes", "$v->n === 1");
	reads_as("new Point(0.1 + 0.2, -0.0)", "$v->x === 0.1 + 0.2 && fdiv(1, $v->y) === -INF");
	reads_as("(new ArrayObject((object)['1' => 'a']))->getArrayCopy()", "$v === [1 => 'a']");
	reads_as("'O:5:\"Wakes\":0:{}'", "is_string($v)");
	reads_as("[new Handle(1, 7), [Suit::Hearts, new Handle(4, 8)]]",
	         "$v == [new Handle(1, 7), [Suit::Hearts, new Handle(4, 8)]]");
	reads_as("0.0 * -1", "fdiv(1, $v) === -INF");
	reads_as("[NAN, fdiv(0, 0)]", "is_nan($v[0]) && is_nan($v[1])");
}

static int encode_code(const char *code, zval *in, fs_encoder *enc, fs_value *out, fs_error *err)
{
	return eval(code, in) ? fs_encode(in, 1 << 20, NULL, enc, out, err) : -2;
}

/* A handle of an object that is gone, and bytes of one where none may be. */
static void test_stale_handles(void)
{
	zval v;
	fs_error err;
	uint8_t flags = FS_FLAG_FRESH | FS_FLAG_HANDLES;
	const fs_value gone = {.kind = FS_KIND_HANDLE, .flags = flags, .data = "\x01\x01\x94\x03", .len = 4};
	const fs_value inside = {
		.kind = FS_KIND_ARRAY, .flags = flags, .data = "\x01\x04\x06\x01x\x0a\x01\x01\x94\x03", .len = 10};
	const fs_value unmarked = {.kind = FS_KIND_HANDLE, .flags = FS_FLAG_RUNS_CODE, .data = "\x01\x01\x01", .len = 3};
	check(decode(&gone, &v, &err) == FS_STATUS_STALE_HANDLE && Z_TYPE(v) == IS_UNDEF, "a handle of what is gone", "");
	check(decode(&inside, &v, &err) == FS_STATUS_STALE_HANDLE && Z_TYPE(v) == IS_UNDEF, "the same in an array", "");
	check(decode(&unmarked, &v, &err) == FS_STATUS_VALUE, "a handle in a value that may hold none", err.message);
}

static void test_exceptions(void)
{
	zval v;
	fs_encoder enc;
	fs_value out;
	fs_error err = {{0}};

	fs_encoder_init(&enc, &thread_buffer, false);
	bool good = encode_code("[1, new Throws]", &v, &enc, &out, &err) == -1 && EG(exception) &&
	            zend_string_equals_literal(EG(exception)->ce->name, "LogicException");
	zend_clear_exception();
	check(good, "an exception of __serialize is passed on", "");
	zval_ptr_dtor(&v);
	static const char *const same_text[] = {
		"new Mimics",
		"new Point(1, new Passes)",
		"(Prepared::$e = new Exception(\"Serialization of 'Point' is not allowed\")) ? new Prepared : 0",
	};
	for (size_t i = 0; i < sizeof(same_text) / sizeof(*same_text); i++) {
		good = encode_code(same_text[i], &v, &enc, &out, &err) == -1 && EG(exception) &&
		       strncmp(ZSTR_VAL(EG(exception)->ce->name), "Exception", 10) == 0;
		zend_clear_exception();
		check(good, "an exception of __serialize with the text of PHP's is passed on", same_text[i]);
		zval_ptr_dtor(&v);
	}
	good = encode_code("new Quits", &v, &enc, &out, &err) == -1 && EG(exception) && zend_is_unwind_exit(EG(exception));
	zend_clear_exception();
	check(good, "an exit in __serialize is passed on", "");
	zval_ptr_dtor(&v);
	fs_encoder_free(&enc);

	fs_value stored = {.kind = FS_KIND_OBJECT, .flags = FS_FLAG_RUNS_CODE, .data = "\1O:7:\"BadWake\":0:{}", .len = 19};
	good = decode(&stored, &v, &err) == -1 && EG(exception) && Z_TYPE(v) == IS_UNDEF;
	zend_clear_exception();
	check(good, "an exception of __wakeup is passed on", "");

	stored.data = "\1O:4:\"Gone\":0:{}";
	stored.len = 16;
	good = decode(&stored, &v, &err) == FS_STATUS_OK && Z_TYPE(v) == IS_OBJECT &&
	       zend_string_equals_literal(Z_OBJCE(v)->name, "__PHP_Incomplete_Class");
	check(good, "a class that is gone reads as PHP's incomplete class", err.message);
	zval_ptr_dtor(&v);

	stored.data = "\1i:1;i:2;";
	stored.len = 9;
	check(decode(&stored, &v, &err) == FS_STATUS_VALUE && Z_TYPE(v) == IS_UNDEF, "surplus bytes of an object",
	      err.message);
	stored.flags = 0;
	stored.len = 5;
	check(decode(&stored, &v, &err) == FS_STATUS_VALUE, "an object in a value that may run no code", err.message);
}

static void test_enums(void)
{
	static const struct {
		const char *data, *text;
		size_t len;
		uint8_t flags;
	} cases[] = {
		{"\1\4Suit\4None", "Suit::None does not exist", 11, FS_FLAG_RUNS_CODE},
		{"\1\4Suit\5Trump", "Suit::Trump does not exist", 12, FS_FLAG_RUNS_CODE},
		{"\1\4Gone\1A", "Gone::A does not exist", 8, FS_FLAG_RUNS_CODE},
		{"\1\5Point\1x", "Point::x does not exist", 9, FS_FLAG_RUNS_CODE},
		{"\1\0\0", ":: does not exist", 3, FS_FLAG_RUNS_CODE},
		{"\1\4Suit\6Hearts", "may run no code", 13, 0},
	};
	zval v;
	fs_error err;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fs_value stored = {.kind = FS_KIND_ENUM, .flags = cases[i].flags, .data = cases[i].data, .len = cases[i].len};
		bool good = decode(&stored, &v, &err) == FS_STATUS_VALUE && strstr(err.message, cases[i].text) != NULL;
		check(good, cases[i].text, err.message);
	}
	bool good = eval(
		"(function () { spl_autoload_register(function ($c) { throw new LogicException($c); }); return 1; })()", &v);
	fs_value stored = {.kind = FS_KIND_ENUM, .flags = FS_FLAG_RUNS_CODE, .data = "\1\4Gone\1A", .len = 8};
	good = good && decode(&stored, &v, &err) == -1 && EG(exception);
	zend_clear_exception();
	check(good, "an exception of an autoloader is passed on", "");
}

/* Several values of one call stay valid although an object's code uses the thread's buffer and a variable in between. */
static void test_keep(void)
{
	zval array, *v;
	fs_encoder enc;
	fs_value out[5];
	fs_error err = {{0}};
	int n = 0;
	bool good = eval("(function () { global $text; $text = str_repeat('t', 3); "
	                 "return [[1, 2], &$text, new Nests, [3, 4], Suit::Spades]; })()",
	                 &array);
	fs_encoder_init(&enc, &thread_buffer, true);
	ZEND_HASH_FOREACH_VAL(Z_ARRVAL(array), v)
	{
		good = good && fs_encode(v, 1 << 20, NULL, &enc, &out[n++], &err) == FS_STATUS_OK;
	}
	ZEND_HASH_FOREACH_END();
	static const fs_value want[] = {
		{.kind = FS_KIND_ARRAY, .data = "\1\4\4\2\4\4", .len = 6},
		{.kind = FS_KIND_STRING, .data = "ttt", .len = 3},
		{.kind = FS_KIND_OBJECT, .flags = 3, .data = "\1O:5:\"Nests\":1:{i:0;i:1;}", .len = 25},
		{.kind = FS_KIND_ARRAY, .data = "\1\4\4\6\4\10", .len = 6},
		{.kind = FS_KIND_ENUM, .flags = 2, .data = "\1\4Suit\6Spades", .len = 13},
	};
	for (int i = 0; i < 5; i++) {
		good = good && same_parts(&out[i], &want[i]);
	}
	check(good, "five values of one call", err.message);
	fs_encoder_free(&enc);
	zval_ptr_dtor(&array);
}

/* A string is not copied, neither when a value is written nor into the buffer. */
static void test_no_copy(void)
{
	zval v;
	fs_encoder enc;
	fs_value out;
	fs_error err;
	fs_encoder_init(&enc, &thread_buffer, false);
	bool good = encode_code("str_repeat('x', 1000)", &v, &enc, &out, &err) == FS_STATUS_OK && out.data == Z_STRVAL(v);
	check(good, "a string is not copied", "");
	fs_encoder_free(&enc);
	zval_ptr_dtor(&v);

	fs_value text = {.kind = FS_KIND_TEXT, .data = "from afar", .len = 9};
	good = decode(&text, &v, &err) == FS_STATUS_OK && Z_TYPE(v) == IS_STRING &&
	       zend_string_equals_literal(Z_STR(v), "from afar");
	check(good, "a text reads as a string", "");
	zval_ptr_dtor(&v);

	fs_value empty = {.kind = FS_KIND_ARRAY, .data = "\1\0", .len = 2};
	good = decode(&empty, &v, &err) == FS_STATUS_OK && Z_ARRVAL(v) == &zend_empty_array;
	check(good, "[] is the shared empty array", "");

	fs_value packed = {.kind = FS_KIND_ARRAY, .data = "\1\4\4\2\4\4", .len = 6};
	good = decode(&packed, &v, &err) == FS_STATUS_OK && HT_IS_PACKED(Z_ARRVAL(v)) && Z_REFCOUNT(v) == 1;
	check(good, "a list is packed", "");
	zval_ptr_dtor(&v);
}

/* 512 nested arrays of a megabyte's count each: room is made for no more elements than there are bytes. */
static void test_greed(void)
{
	enum { len = 1 << 20 };
	char *data = calloc(1, len);
	size_t n = 0;
	zval v;
	fs_error err;
	while (n < 512 * 6) {
		memcpy(data + n, "\1\x80\x80\x80\1\7", 6); /* 2**20 elements, of which the first is an array */
		n += 6;
	}
	size_t before = zend_memory_peak_usage(0);
	fs_value stored = {.kind = FS_KIND_ARRAY, .data = data, .len = len};
	bool good = decode(&stored, &v, &err) == FS_STATUS_VALUE && zend_memory_peak_usage(0) - before < 64 << 20;
	check(good, "counts that promise too much", err.message);
	free(data);
}

/* A function of PHP's, for an exception needs a frame to be thrown in. */
ZEND_FUNCTION(codec_test)
{
	ZEND_PARSE_PARAMETERS_NONE();
	test_vectors(vectors_path);
	test_refusals();
	test_values();
	test_stale_handles();
	test_meaning();
	test_exceptions();
	test_keep();
	test_no_copy();
	test_greed();
	test_enums();
	zend_gc_collect_cycles(); /* the cyclic values were no leak */
	finished = true;
}

static const zend_function_entry functions[] = {
	ZEND_FE(codec_encode, arginfo_codec_encode) /* for __serialize */
	ZEND_FE(codec_test, arginfo_codec_test)     /* for main */
	ZEND_FE_END,
};

static zend_module_entry test_module = {
	STANDARD_MODULE_HEADER, "codec_test", functions, NULL, NULL, NULL, NULL, NULL, "1", STANDARD_MODULE_PROPERTIES,
};

static int (*register_extensions)(void);

static int register_with_test(void)
{
	int status = register_extensions();
	zend_register_internal_module(&test_module);
	return status;
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: codec_test VALUES.TXT\n");
		return 2;
	}
	vectors_path = argv[1];
	register_extensions = php_register_internal_extensions_func;
	php_register_internal_extensions_func = register_with_test;
	php_embed_init(1, argv);
	zend_first_try
	{
		if (zend_eval_string(definitions, NULL, "definitions") == SUCCESS) {
			zend_eval_string("codec_test();", NULL, "codec_test");
		}
	}
	zend_end_try();
	php_embed_shutdown();
	free(thread_buffer.data);
	check(finished, "PHP came to the end", "");
	printf("%d passed, %d failed\n", passed, failed);
	return failed != 0;
}
