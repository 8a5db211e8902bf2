/* This is a generated file, edit the .stub.php file instead.
 * Stub hash: c8a9c5f05351dc5fd614bcdfa6315cb8fbde1a4a */

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_FrankenPHP_SharedState_refresh_intervals, 0, 0, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, finish, _IS_BOOL, 0, "false")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_offsetGet, 0, 1, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO(0, offset, IS_MIXED, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_offsetSet, 0, 2, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO(0, offset, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO(0, value, IS_MIXED, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_offsetExists, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, offset, IS_MIXED, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_offsetUnset, 0, 1, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO(0, offset, IS_MIXED, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_count, 0, 0, IS_LONG, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_getIterator, 0, 0, ArrayIterator, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_jsonSerialize, 0, 0, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_merge, 0, 1, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO(0, values, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_replace, 0, 1, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO(0, values, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_keys arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_jsonSerialize

#define arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_snapshot arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_jsonSerialize

#define arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_version arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_count

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_get, 0, 1, IS_MIXED, 0)
	ZEND_ARG_TYPE_MASK(0, key, MAY_BE_STRING|MAY_BE_LONG, NULL)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, default, IS_MIXED, 0, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_ttl, 0, 1, IS_DOUBLE, 1)
	ZEND_ARG_TYPE_MASK(0, key, MAY_BE_STRING|MAY_BE_LONG, NULL)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_put, 0, 2, _IS_BOOL, 0)
	ZEND_ARG_TYPE_MASK(0, key, MAY_BE_STRING|MAY_BE_LONG, NULL)
	ZEND_ARG_TYPE_INFO(0, value, IS_MIXED, 0)
	ZEND_ARG_OBJ_TYPE_MASK(0, ttl, DateInterval|DateTimeInterface, MAY_BE_LONG|MAY_BE_DOUBLE|MAY_BE_NULL, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_putMany, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, values, IS_ARRAY, 0)
	ZEND_ARG_OBJ_TYPE_MASK(0, ttl, DateInterval|DateTimeInterface, MAY_BE_LONG|MAY_BE_DOUBLE|MAY_BE_NULL, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_forever, 0, 2, _IS_BOOL, 0)
	ZEND_ARG_TYPE_MASK(0, key, MAY_BE_STRING|MAY_BE_LONG, NULL)
	ZEND_ARG_TYPE_INFO(0, value, IS_MIXED, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_add arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_put

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_compareAndSet, 0, 3, _IS_BOOL, 0)
	ZEND_ARG_TYPE_MASK(0, key, MAY_BE_STRING|MAY_BE_LONG, NULL)
	ZEND_ARG_TYPE_INFO(0, expected, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO(0, new, IS_MIXED, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_touch, 0, 2, _IS_BOOL, 0)
	ZEND_ARG_TYPE_MASK(0, key, MAY_BE_STRING|MAY_BE_LONG, NULL)
	ZEND_ARG_OBJ_TYPE_MASK(0, ttl, DateInterval|DateTimeInterface, MAY_BE_LONG|MAY_BE_DOUBLE|MAY_BE_NULL, NULL)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_many, 0, 1, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO(0, keys, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, default, IS_MIXED, 0, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_exists, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_MASK(0, key, MAY_BE_STRING|MAY_BE_LONG, NULL)
ZEND_END_ARG_INFO()

#define arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_forget arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_exists

#define arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_pull arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_get

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_forgetMany, 0, 1, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, keys, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_forgetPrefix, 0, 1, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, prefix, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_flush, 0, 0, _IS_BOOL, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_sweep arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_count

#define arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_evict arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_count

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_scan, 0, 0, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, prefix, IS_STRING, 0, "\'\'")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, limit, IS_LONG, 0, "PHP_INT_MAX")
ZEND_END_ARG_INFO()

#define arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_stats arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_jsonSerialize

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_MASK_EX(arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_increment, 0, 1, MAY_BE_LONG|MAY_BE_DOUBLE)
	ZEND_ARG_TYPE_MASK(0, key, MAY_BE_STRING|MAY_BE_LONG, NULL)
	ZEND_ARG_TYPE_MASK(0, by, MAY_BE_LONG|MAY_BE_DOUBLE, "1")
	ZEND_ARG_OBJ_TYPE_MASK(0, ttlIfNew, DateInterval|DateTimeInterface, MAY_BE_LONG|MAY_BE_DOUBLE|MAY_BE_NULL, "null")
ZEND_END_ARG_INFO()

#define arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_decrement arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_increment

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_remember, 0, 3, IS_MIXED, 0)
	ZEND_ARG_TYPE_MASK(0, key, MAY_BE_STRING|MAY_BE_LONG, NULL)
	ZEND_ARG_OBJ_TYPE_MASK(0, ttl, DateInterval|DateTimeInterface, MAY_BE_LONG|MAY_BE_DOUBLE|MAY_BE_NULL, NULL)
	ZEND_ARG_TYPE_INFO(0, compute, IS_CALLABLE, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_update, 0, 2, IS_MIXED, 0)
	ZEND_ARG_TYPE_MASK(0, key, MAY_BE_STRING|MAY_BE_LONG, NULL)
	ZEND_ARG_TYPE_INFO(0, change, IS_CALLABLE, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_interval, 0, 3, IS_VOID, 0)
	ZEND_ARG_TYPE_MASK(0, key, MAY_BE_STRING|MAY_BE_LONG, NULL)
	ZEND_ARG_TYPE_MASK(0, resolver, MAY_BE_CALLABLE|MAY_BE_STRING, NULL)
	ZEND_ARG_TYPE_MASK(0, seconds, MAY_BE_LONG|MAY_BE_DOUBLE, NULL)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_FrankenPHP_SharedArray___construct, 0, 0, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, table, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

#define arginfo_class_FrankenPHP_SharedArray_offsetGet arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_offsetGet

#define arginfo_class_FrankenPHP_SharedArray_offsetSet arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_offsetSet

#define arginfo_class_FrankenPHP_SharedArray_offsetExists arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_offsetExists

#define arginfo_class_FrankenPHP_SharedArray_offsetUnset arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_offsetUnset

#define arginfo_class_FrankenPHP_SharedArray_count arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_count

#define arginfo_class_FrankenPHP_SharedArray_getIterator arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_getIterator

#define arginfo_class_FrankenPHP_SharedArray_jsonSerialize arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_jsonSerialize

#define arginfo_class_FrankenPHP_SharedArray_merge arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_merge

#define arginfo_class_FrankenPHP_SharedArray_replace arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_replace

#define arginfo_class_FrankenPHP_SharedArray_keys arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_jsonSerialize

#define arginfo_class_FrankenPHP_SharedArray_snapshot arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_jsonSerialize

#define arginfo_class_FrankenPHP_SharedArray_version arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_count

#define arginfo_class_FrankenPHP_SharedArray_get arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_get

#define arginfo_class_FrankenPHP_SharedArray_ttl arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_ttl

#define arginfo_class_FrankenPHP_SharedArray_put arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_put

#define arginfo_class_FrankenPHP_SharedArray_putMany arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_putMany

#define arginfo_class_FrankenPHP_SharedArray_forever arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_forever

#define arginfo_class_FrankenPHP_SharedArray_add arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_put

#define arginfo_class_FrankenPHP_SharedArray_compareAndSet arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_compareAndSet

#define arginfo_class_FrankenPHP_SharedArray_touch arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_touch

#define arginfo_class_FrankenPHP_SharedArray_many arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_many

#define arginfo_class_FrankenPHP_SharedArray_exists arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_exists

#define arginfo_class_FrankenPHP_SharedArray_forget arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_exists

#define arginfo_class_FrankenPHP_SharedArray_pull arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_get

#define arginfo_class_FrankenPHP_SharedArray_forgetMany arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_forgetMany

#define arginfo_class_FrankenPHP_SharedArray_forgetPrefix arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_forgetPrefix

#define arginfo_class_FrankenPHP_SharedArray_flush arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_flush

#define arginfo_class_FrankenPHP_SharedArray_sweep arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_count

#define arginfo_class_FrankenPHP_SharedArray_evict arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_count

#define arginfo_class_FrankenPHP_SharedArray_scan arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_scan

#define arginfo_class_FrankenPHP_SharedArray_stats arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_jsonSerialize

#define arginfo_class_FrankenPHP_SharedArray_increment arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_increment

#define arginfo_class_FrankenPHP_SharedArray_decrement arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_increment

#define arginfo_class_FrankenPHP_SharedArray_remember arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_remember

#define arginfo_class_FrankenPHP_SharedArray_update arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_update

#define arginfo_class_FrankenPHP_SharedArray_interval arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_interval

#define arginfo_class_FrankenPHP_SharedArray___serialize arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_jsonSerialize

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrankenPHP_SharedArray___unserialize, 0, 1, IS_VOID, 0)
	ZEND_ARG_TYPE_INFO(0, data, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_FrankenPHP_SharedCounter___construct, 0, 0, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, initial, IS_LONG, 0, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, name, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

#define arginfo_class_FrankenPHP_SharedCounter_get arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_count

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrankenPHP_SharedCounter_set, 0, 1, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, value, IS_LONG, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrankenPHP_SharedCounter_add, 0, 0, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, by, IS_LONG, 0, "1")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrankenPHP_SharedCounter_compareAndSet, 0, 2, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, expected, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, new, IS_LONG, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_FrankenPHP_SharedCounter_id arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_count

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrankenPHP_SharedCounter_remove, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_FrankenPHP_SharedFlag___construct, 0, 0, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, initial, _IS_BOOL, 0, "false")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, name, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

#define arginfo_class_FrankenPHP_SharedFlag_get arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_flush

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrankenPHP_SharedFlag_set, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, value, _IS_BOOL, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrankenPHP_SharedFlag_compareAndSet, 0, 2, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, expected, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, new, _IS_BOOL, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_FrankenPHP_SharedFlag_wait, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, seconds, IS_DOUBLE, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_FrankenPHP_SharedFlag_id arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_count

#define arginfo_class_FrankenPHP_SharedFlag_remove arginfo_class_FrankenPHP_SharedCounter_remove


ZEND_FUNCTION(FrankenPHP_SharedState_refresh_intervals);
ZEND_METHOD(FrankenPHP_SharedArray, __construct);
ZEND_METHOD(FrankenPHP_SharedArray, offsetGet);
ZEND_METHOD(FrankenPHP_SharedArray, offsetSet);
ZEND_METHOD(FrankenPHP_SharedArray, offsetExists);
ZEND_METHOD(FrankenPHP_SharedArray, offsetUnset);
ZEND_METHOD(FrankenPHP_SharedArray, count);
ZEND_METHOD(FrankenPHP_SharedArray, getIterator);
ZEND_METHOD(FrankenPHP_SharedArray, jsonSerialize);
ZEND_METHOD(FrankenPHP_SharedArray, merge);
ZEND_METHOD(FrankenPHP_SharedArray, replace);
ZEND_METHOD(FrankenPHP_SharedArray, keys);
ZEND_METHOD(FrankenPHP_SharedArray, snapshot);
ZEND_METHOD(FrankenPHP_SharedArray, version);
ZEND_METHOD(FrankenPHP_SharedArray, get);
ZEND_METHOD(FrankenPHP_SharedArray, ttl);
ZEND_METHOD(FrankenPHP_SharedArray, put);
ZEND_METHOD(FrankenPHP_SharedArray, putMany);
ZEND_METHOD(FrankenPHP_SharedArray, forever);
ZEND_METHOD(FrankenPHP_SharedArray, add);
ZEND_METHOD(FrankenPHP_SharedArray, compareAndSet);
ZEND_METHOD(FrankenPHP_SharedArray, touch);
ZEND_METHOD(FrankenPHP_SharedArray, many);
ZEND_METHOD(FrankenPHP_SharedArray, exists);
ZEND_METHOD(FrankenPHP_SharedArray, forget);
ZEND_METHOD(FrankenPHP_SharedArray, pull);
ZEND_METHOD(FrankenPHP_SharedArray, forgetMany);
ZEND_METHOD(FrankenPHP_SharedArray, forgetPrefix);
ZEND_METHOD(FrankenPHP_SharedArray, flush);
ZEND_METHOD(FrankenPHP_SharedArray, sweep);
ZEND_METHOD(FrankenPHP_SharedArray, evict);
ZEND_METHOD(FrankenPHP_SharedArray, scan);
ZEND_METHOD(FrankenPHP_SharedArray, stats);
ZEND_METHOD(FrankenPHP_SharedArray, increment);
ZEND_METHOD(FrankenPHP_SharedArray, decrement);
ZEND_METHOD(FrankenPHP_SharedArray, remember);
ZEND_METHOD(FrankenPHP_SharedArray, update);
ZEND_METHOD(FrankenPHP_SharedArray, interval);
ZEND_METHOD(FrankenPHP_SharedArray, __serialize);
ZEND_METHOD(FrankenPHP_SharedArray, __unserialize);
ZEND_METHOD(FrankenPHP_SharedCounter, __construct);
ZEND_METHOD(FrankenPHP_SharedCounter, get);
ZEND_METHOD(FrankenPHP_SharedCounter, set);
ZEND_METHOD(FrankenPHP_SharedCounter, add);
ZEND_METHOD(FrankenPHP_SharedCounter, compareAndSet);
ZEND_METHOD(FrankenPHP_SharedCounter, id);
ZEND_METHOD(FrankenPHP_SharedCounter, remove);
ZEND_METHOD(FrankenPHP_SharedFlag, __construct);
ZEND_METHOD(FrankenPHP_SharedFlag, get);
ZEND_METHOD(FrankenPHP_SharedFlag, set);
ZEND_METHOD(FrankenPHP_SharedFlag, compareAndSet);
ZEND_METHOD(FrankenPHP_SharedFlag, wait);
ZEND_METHOD(FrankenPHP_SharedFlag, id);
ZEND_METHOD(FrankenPHP_SharedFlag, remove);


static const zend_function_entry ext_functions[] = {
	ZEND_NS_FALIAS("FrankenPHP\\SharedState", refresh_intervals, FrankenPHP_SharedState_refresh_intervals, arginfo_FrankenPHP_SharedState_refresh_intervals)
	ZEND_FE_END
};


static const zend_function_entry class_FrankenPHP_SharedState_SharedStateException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_FrankenPHP_SharedState_InvalidValueException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_FrankenPHP_SharedState_InvalidKeyException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_FrankenPHP_SharedState_ValueTooLargeException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_FrankenPHP_SharedState_TableFullException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_FrankenPHP_SharedState_UnknownTableException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_FrankenPHP_SharedState_UninitializedException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_FrankenPHP_SharedState_UnavailableException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_FrankenPHP_SharedState_ConcurrencyException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_FrankenPHP_SharedState_ContentionException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_FrankenPHP_SharedState_WaitCancelledException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_FrankenPHP_SharedState_SharedArrayInterface_methods[] = {
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrankenPHP_SharedState_SharedArrayInterface, offsetGet, arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_offsetGet, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrankenPHP_SharedState_SharedArrayInterface, offsetSet, arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_offsetSet, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrankenPHP_SharedState_SharedArrayInterface, offsetExists, arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_offsetExists, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrankenPHP_SharedState_SharedArrayInterface, offsetUnset, arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_offsetUnset, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrankenPHP_SharedState_SharedArrayInterface, count, arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_count, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrankenPHP_SharedState_SharedArrayInterface, getIterator, arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_getIterator, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrankenPHP_SharedState_SharedArrayInterface, jsonSerialize, arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_jsonSerialize, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrankenPHP_SharedState_SharedArrayInterface, merge, arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_merge, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrankenPHP_SharedState_SharedArrayInterface, replace, arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_replace, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrankenPHP_SharedState_SharedArrayInterface, keys, arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_keys, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrankenPHP_SharedState_SharedArrayInterface, snapshot, arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_snapshot, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrankenPHP_SharedState_SharedArrayInterface, version, arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_version, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrankenPHP_SharedState_SharedArrayInterface, get, arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_get, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrankenPHP_SharedState_SharedArrayInterface, ttl, arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_ttl, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrankenPHP_SharedState_SharedArrayInterface, put, arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_put, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrankenPHP_SharedState_SharedArrayInterface, putMany, arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_putMany, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrankenPHP_SharedState_SharedArrayInterface, forever, arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_forever, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrankenPHP_SharedState_SharedArrayInterface, add, arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_add, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrankenPHP_SharedState_SharedArrayInterface, compareAndSet, arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_compareAndSet, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrankenPHP_SharedState_SharedArrayInterface, touch, arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_touch, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrankenPHP_SharedState_SharedArrayInterface, many, arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_many, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrankenPHP_SharedState_SharedArrayInterface, exists, arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_exists, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrankenPHP_SharedState_SharedArrayInterface, forget, arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_forget, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrankenPHP_SharedState_SharedArrayInterface, pull, arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_pull, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrankenPHP_SharedState_SharedArrayInterface, forgetMany, arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_forgetMany, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrankenPHP_SharedState_SharedArrayInterface, forgetPrefix, arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_forgetPrefix, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrankenPHP_SharedState_SharedArrayInterface, flush, arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_flush, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrankenPHP_SharedState_SharedArrayInterface, sweep, arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_sweep, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrankenPHP_SharedState_SharedArrayInterface, evict, arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_evict, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrankenPHP_SharedState_SharedArrayInterface, scan, arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_scan, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrankenPHP_SharedState_SharedArrayInterface, stats, arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_stats, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrankenPHP_SharedState_SharedArrayInterface, increment, arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_increment, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrankenPHP_SharedState_SharedArrayInterface, decrement, arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_decrement, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrankenPHP_SharedState_SharedArrayInterface, remember, arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_remember, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrankenPHP_SharedState_SharedArrayInterface, update, arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_update, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(FrankenPHP_SharedState_SharedArrayInterface, interval, arginfo_class_FrankenPHP_SharedState_SharedArrayInterface_interval, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_FE_END
};


static const zend_function_entry class_FrankenPHP_SharedArray_methods[] = {
	ZEND_ME(FrankenPHP_SharedArray, __construct, arginfo_class_FrankenPHP_SharedArray___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedArray, offsetGet, arginfo_class_FrankenPHP_SharedArray_offsetGet, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedArray, offsetSet, arginfo_class_FrankenPHP_SharedArray_offsetSet, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedArray, offsetExists, arginfo_class_FrankenPHP_SharedArray_offsetExists, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedArray, offsetUnset, arginfo_class_FrankenPHP_SharedArray_offsetUnset, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedArray, count, arginfo_class_FrankenPHP_SharedArray_count, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedArray, getIterator, arginfo_class_FrankenPHP_SharedArray_getIterator, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedArray, jsonSerialize, arginfo_class_FrankenPHP_SharedArray_jsonSerialize, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedArray, merge, arginfo_class_FrankenPHP_SharedArray_merge, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedArray, replace, arginfo_class_FrankenPHP_SharedArray_replace, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedArray, keys, arginfo_class_FrankenPHP_SharedArray_keys, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedArray, snapshot, arginfo_class_FrankenPHP_SharedArray_snapshot, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedArray, version, arginfo_class_FrankenPHP_SharedArray_version, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedArray, get, arginfo_class_FrankenPHP_SharedArray_get, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedArray, ttl, arginfo_class_FrankenPHP_SharedArray_ttl, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedArray, put, arginfo_class_FrankenPHP_SharedArray_put, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedArray, putMany, arginfo_class_FrankenPHP_SharedArray_putMany, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedArray, forever, arginfo_class_FrankenPHP_SharedArray_forever, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedArray, add, arginfo_class_FrankenPHP_SharedArray_add, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedArray, compareAndSet, arginfo_class_FrankenPHP_SharedArray_compareAndSet, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedArray, touch, arginfo_class_FrankenPHP_SharedArray_touch, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedArray, many, arginfo_class_FrankenPHP_SharedArray_many, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedArray, exists, arginfo_class_FrankenPHP_SharedArray_exists, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedArray, forget, arginfo_class_FrankenPHP_SharedArray_forget, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedArray, pull, arginfo_class_FrankenPHP_SharedArray_pull, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedArray, forgetMany, arginfo_class_FrankenPHP_SharedArray_forgetMany, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedArray, forgetPrefix, arginfo_class_FrankenPHP_SharedArray_forgetPrefix, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedArray, flush, arginfo_class_FrankenPHP_SharedArray_flush, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedArray, sweep, arginfo_class_FrankenPHP_SharedArray_sweep, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedArray, evict, arginfo_class_FrankenPHP_SharedArray_evict, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedArray, scan, arginfo_class_FrankenPHP_SharedArray_scan, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedArray, stats, arginfo_class_FrankenPHP_SharedArray_stats, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedArray, increment, arginfo_class_FrankenPHP_SharedArray_increment, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedArray, decrement, arginfo_class_FrankenPHP_SharedArray_decrement, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedArray, remember, arginfo_class_FrankenPHP_SharedArray_remember, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedArray, update, arginfo_class_FrankenPHP_SharedArray_update, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedArray, interval, arginfo_class_FrankenPHP_SharedArray_interval, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedArray, __serialize, arginfo_class_FrankenPHP_SharedArray___serialize, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedArray, __unserialize, arginfo_class_FrankenPHP_SharedArray___unserialize, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_FrankenPHP_SharedCounter_methods[] = {
	ZEND_ME(FrankenPHP_SharedCounter, __construct, arginfo_class_FrankenPHP_SharedCounter___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedCounter, get, arginfo_class_FrankenPHP_SharedCounter_get, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedCounter, set, arginfo_class_FrankenPHP_SharedCounter_set, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedCounter, add, arginfo_class_FrankenPHP_SharedCounter_add, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedCounter, compareAndSet, arginfo_class_FrankenPHP_SharedCounter_compareAndSet, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedCounter, id, arginfo_class_FrankenPHP_SharedCounter_id, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedCounter, remove, arginfo_class_FrankenPHP_SharedCounter_remove, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_FE_END
};


static const zend_function_entry class_FrankenPHP_SharedFlag_methods[] = {
	ZEND_ME(FrankenPHP_SharedFlag, __construct, arginfo_class_FrankenPHP_SharedFlag___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedFlag, get, arginfo_class_FrankenPHP_SharedFlag_get, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedFlag, set, arginfo_class_FrankenPHP_SharedFlag_set, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedFlag, compareAndSet, arginfo_class_FrankenPHP_SharedFlag_compareAndSet, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedFlag, wait, arginfo_class_FrankenPHP_SharedFlag_wait, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedFlag, id, arginfo_class_FrankenPHP_SharedFlag_id, ZEND_ACC_PUBLIC)
	ZEND_ME(FrankenPHP_SharedFlag, remove, arginfo_class_FrankenPHP_SharedFlag_remove, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_FE_END
};

static zend_class_entry *register_class_FrankenPHP_SharedState_SharedStateException(zend_class_entry *class_entry_RuntimeException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "FrankenPHP\\SharedState", "SharedStateException", class_FrankenPHP_SharedState_SharedStateException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_RuntimeException);

	return class_entry;
}

static zend_class_entry *register_class_FrankenPHP_SharedState_InvalidValueException(zend_class_entry *class_entry_FrankenPHP_SharedState_SharedStateException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "FrankenPHP\\SharedState", "InvalidValueException", class_FrankenPHP_SharedState_InvalidValueException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_FrankenPHP_SharedState_SharedStateException);

	return class_entry;
}

static zend_class_entry *register_class_FrankenPHP_SharedState_InvalidKeyException(zend_class_entry *class_entry_FrankenPHP_SharedState_SharedStateException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "FrankenPHP\\SharedState", "InvalidKeyException", class_FrankenPHP_SharedState_InvalidKeyException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_FrankenPHP_SharedState_SharedStateException);

	return class_entry;
}

static zend_class_entry *register_class_FrankenPHP_SharedState_ValueTooLargeException(zend_class_entry *class_entry_FrankenPHP_SharedState_SharedStateException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "FrankenPHP\\SharedState", "ValueTooLargeException", class_FrankenPHP_SharedState_ValueTooLargeException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_FrankenPHP_SharedState_SharedStateException);

	return class_entry;
}

static zend_class_entry *register_class_FrankenPHP_SharedState_TableFullException(zend_class_entry *class_entry_FrankenPHP_SharedState_SharedStateException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "FrankenPHP\\SharedState", "TableFullException", class_FrankenPHP_SharedState_TableFullException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_FrankenPHP_SharedState_SharedStateException);

	return class_entry;
}

static zend_class_entry *register_class_FrankenPHP_SharedState_UnknownTableException(zend_class_entry *class_entry_FrankenPHP_SharedState_SharedStateException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "FrankenPHP\\SharedState", "UnknownTableException", class_FrankenPHP_SharedState_UnknownTableException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_FrankenPHP_SharedState_SharedStateException);

	return class_entry;
}

static zend_class_entry *register_class_FrankenPHP_SharedState_UninitializedException(zend_class_entry *class_entry_FrankenPHP_SharedState_SharedStateException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "FrankenPHP\\SharedState", "UninitializedException", class_FrankenPHP_SharedState_UninitializedException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_FrankenPHP_SharedState_SharedStateException);

	return class_entry;
}

static zend_class_entry *register_class_FrankenPHP_SharedState_UnavailableException(zend_class_entry *class_entry_FrankenPHP_SharedState_SharedStateException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "FrankenPHP\\SharedState", "UnavailableException", class_FrankenPHP_SharedState_UnavailableException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_FrankenPHP_SharedState_SharedStateException);

	return class_entry;
}

static zend_class_entry *register_class_FrankenPHP_SharedState_ConcurrencyException(zend_class_entry *class_entry_FrankenPHP_SharedState_SharedStateException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "FrankenPHP\\SharedState", "ConcurrencyException", class_FrankenPHP_SharedState_ConcurrencyException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_FrankenPHP_SharedState_SharedStateException);

	return class_entry;
}

static zend_class_entry *register_class_FrankenPHP_SharedState_ContentionException(zend_class_entry *class_entry_FrankenPHP_SharedState_ConcurrencyException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "FrankenPHP\\SharedState", "ContentionException", class_FrankenPHP_SharedState_ContentionException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_FrankenPHP_SharedState_ConcurrencyException);

	return class_entry;
}

static zend_class_entry *register_class_FrankenPHP_SharedState_WaitCancelledException(zend_class_entry *class_entry_FrankenPHP_SharedState_ConcurrencyException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "FrankenPHP\\SharedState", "WaitCancelledException", class_FrankenPHP_SharedState_WaitCancelledException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_FrankenPHP_SharedState_ConcurrencyException);

	return class_entry;
}

static zend_class_entry *register_class_FrankenPHP_SharedState_SharedArrayInterface(zend_class_entry *class_entry_ArrayAccess, zend_class_entry *class_entry_Countable, zend_class_entry *class_entry_IteratorAggregate, zend_class_entry *class_entry_JsonSerializable)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "FrankenPHP\\SharedState", "SharedArrayInterface", class_FrankenPHP_SharedState_SharedArrayInterface_methods);
	class_entry = zend_register_internal_interface(&ce);
	zend_class_implements(class_entry, 4, class_entry_ArrayAccess, class_entry_Countable, class_entry_IteratorAggregate, class_entry_JsonSerializable);

	return class_entry;
}

static zend_class_entry *register_class_FrankenPHP_SharedArray(zend_class_entry *class_entry_FrankenPHP_SharedState_SharedArrayInterface)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "FrankenPHP", "SharedArray", class_FrankenPHP_SharedArray_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES;
	zend_class_implements(class_entry, 1, class_entry_FrankenPHP_SharedState_SharedArrayInterface);

	return class_entry;
}

static zend_class_entry *register_class_FrankenPHP_SharedCounter(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "FrankenPHP", "SharedCounter", class_FrankenPHP_SharedCounter_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	return class_entry;
}

static zend_class_entry *register_class_FrankenPHP_SharedFlag(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "FrankenPHP", "SharedFlag", class_FrankenPHP_SharedFlag_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	return class_entry;
}
