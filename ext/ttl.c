#include <php.h>
#include <ext/date/php_date.h>
#include <math.h>
#include <zend_interfaces.h>

#include "ttl.h"

#define SECOND INT64_C(1000000000)

static int64_t of_seconds(zend_long seconds, int64_t nanoseconds)
{
	int64_t ttl;
	if (__builtin_mul_overflow((int64_t)seconds, SECOND, &ttl) || __builtin_add_overflow(ttl, nanoseconds, &ttl)) {
		return seconds < 0 ? 0 : FS_FOREVER;
	}
	return ttl;
}

static bool of_float(double seconds, uint32_t arg_num, int64_t *ttl)
{
	if (!(fabs(seconds) <= (double)ZEND_LONG_MAX)) { /* NAN too */
		zend_argument_value_error(arg_num, "must be a number of seconds of at most " ZEND_LONG_FMT ", %g given",
		                          ZEND_LONG_MAX, seconds);
		return false;
	}
	double nanoseconds = ceil(seconds * (double)SECOND); /* never 0 for what is more than that */
	*ttl = nanoseconds >= (double)FS_FOREVER ? FS_FOREVER : nanoseconds <= 0 ? 0 : (int64_t)nanoseconds;
	return true;
}

/* A moment of the wall clock. No code of the user's runs: it is the base class's own method that is called. */
static bool moment_of(zval *object, zend_long *seconds, zend_long *microseconds)
{
	zend_class_entry *base = instanceof_function(Z_OBJCE_P(object), php_date_get_date_ce())
	                             ? php_date_get_date_ce()
	                             : php_date_get_immutable_ce();
	zend_function *format = zend_hash_str_find_ptr(&base->function_table, ZEND_STRL("format"));
	zval pattern, text;
	ZVAL_STRING(&pattern, "U u");
	zend_call_known_instance_method_with_1_params(format, Z_OBJ_P(object), &text, &pattern);
	zval_ptr_dtor(&pattern);
	bool ok = !EG(exception) && Z_TYPE(text) == IS_STRING &&
	          sscanf(Z_STRVAL(text), ZEND_LONG_FMT " " ZEND_LONG_FMT, seconds, microseconds) == 2;
	zval_ptr_dtor(&text);
	return ok;
}

static bool of_difference(zval *from, zval *to, int64_t *ttl)
{
	zend_long s, us, from_s, from_us;
	if (!moment_of(from, &from_s, &from_us) || !moment_of(to, &s, &us)) {
		return false;
	}
	*ttl = __builtin_sub_overflow(s, from_s, &s) ? (s < 0 ? FS_FOREVER : 0) : of_seconds(s, (us - from_us) * 1000);
	return true;
}

static bool now(zval *to)
{
	object_init_ex(to, php_date_get_immutable_ce());
	return php_date_initialize(Z_PHPDATE_P(to), NULL, 0, NULL, NULL, 0);
}

static bool of_object(zval *object, int64_t *ttl)
{
	zval start, end;
	bool ok = now(&start);
	if (ok && instanceof_function(Z_OBJCE_P(object), php_date_get_interval_ce())) {
		zend_function *add = zend_hash_str_find_ptr(&php_date_get_immutable_ce()->function_table, ZEND_STRL("add"));
		zend_call_known_instance_method_with_1_params(add, Z_OBJ(start), &end, object);
		ok = !EG(exception) && of_difference(&start, &end, ttl);
		zval_ptr_dtor(&end);
	} else if (ok) {
		ok = of_difference(&start, object, ttl);
	}
	zval_ptr_dtor(&start);
	return ok;
}

bool fs_ttl_of(zval *arg, uint32_t arg_num, int64_t *ttl)
{
	zval *number;
	if (arg == NULL || Z_TYPE_P(arg) == IS_NULL) {
		*ttl = FS_FOREVER;
		return true;
	}
	if (Z_TYPE_P(arg) == IS_OBJECT && (instanceof_function(Z_OBJCE_P(arg), php_date_get_interval_ce()) ||
	                                   instanceof_function(Z_OBJCE_P(arg), php_date_get_interface_ce()))) {
		return of_object(arg, ttl);
	}
	if (!zend_parse_arg_number(arg, &number, false, arg_num)) {
		if (!EG(exception)) {
			zend_argument_type_error(arg_num, "must be of type DateInterval|DateTimeInterface|int|float|null, %s given",
			                         zend_zval_type_name(arg));
		}
		return false;
	}
	if (Z_TYPE_P(number) == IS_DOUBLE) {
		return of_float(Z_DVAL_P(number), arg_num, ttl);
	}
	*ttl = of_seconds(Z_LVAL_P(number), 0);
	return true;
}
