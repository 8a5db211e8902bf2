#include <php.h>
#include <zend_enum.h>
#include <zend_interfaces.h>
#include <ext/json/php_json.h>
#include <ext/spl/spl_exceptions.h>

#include "classes.h"
#include "frankenshare_arginfo.h"
#include "shared.h"
#include "shared_array.h"
#include "shared_lock.h"

fs_classes fs_class;

const zend_function_entry *fs_functions(void) { return ext_functions; }

void fs_classes_register(void)
{
	zend_class_entry *parent, *concurrency, *lock, *send_status, *recv_status;
	parent = register_class_FrankenPHP_SharedState_SharedStateException(spl_ce_RuntimeException);
	concurrency = register_class_FrankenPHP_SharedState_ConcurrencyException(parent);
	/* Before the array's, which names it as a type. */
	lock = register_class_FrankenPHP_SharedLock(register_class_FrankenPHP_SharedState_SharedLockInterface());
	/* So that the results can name them. */
	send_status = register_class_FrankenPHP_SharedState_SendStatus();
	recv_status = register_class_FrankenPHP_SharedState_RecvStatus();
	fs_class = (fs_classes){
		.shared_lock = lock,
		.shared_array =
			register_class_FrankenPHP_SharedArray(register_class_FrankenPHP_SharedState_SharedArrayInterface(
				zend_ce_arrayaccess, zend_ce_countable, zend_ce_aggregate, php_json_serializable_ce)),
		.shared_state = parent,
		.invalid_value = register_class_FrankenPHP_SharedState_InvalidValueException(parent),
		.invalid_key = register_class_FrankenPHP_SharedState_InvalidKeyException(parent),
		.value_too_large = register_class_FrankenPHP_SharedState_ValueTooLargeException(parent),
		.table_full = register_class_FrankenPHP_SharedState_TableFullException(parent),
		.unknown_table = register_class_FrankenPHP_SharedState_UnknownTableException(parent),
		.uninitialized = register_class_FrankenPHP_SharedState_UninitializedException(parent),
		.unavailable = register_class_FrankenPHP_SharedState_UnavailableException(parent),
		.stale_handle = register_class_FrankenPHP_SharedState_StaleHandleException(parent),
		.corrupted_mutex = register_class_FrankenPHP_SharedState_CorruptedMutexException(parent),
		.concurrency = concurrency,
		.contention = register_class_FrankenPHP_SharedState_ContentionException(concurrency),
		.operation_timeout = register_class_FrankenPHP_SharedState_OperationTimeoutException(concurrency),
		.send_result = register_class_FrankenPHP_SharedState_SendResult(),
		.send_status = send_status,
		.recv_result = register_class_FrankenPHP_SharedState_RecvResult(),
		.recv_status = recv_status,
		.lock_timeout = register_class_FrankenPHP_SharedState_LockTimeoutException(concurrency),
		.deadlock = register_class_FrankenPHP_SharedState_DeadlockException(concurrency),
		.wait_cancelled = register_class_FrankenPHP_SharedState_WaitCancelledException(concurrency),
	};
	fs_shared_array_init(fs_class.shared_array);
	fs_shared_lock_init(fs_class.shared_lock);
	fs_shared_class(FS_SHARED_COUNTER, register_class_FrankenPHP_SharedCounter());
	fs_shared_class(FS_SHARED_FLAG, register_class_FrankenPHP_SharedFlag());
	fs_shared_class(FS_SHARED_MUTEX, register_class_FrankenPHP_SharedMutex());
	fs_shared_class(FS_SHARED_CHANNEL, register_class_FrankenPHP_SharedChannel(zend_ce_countable));
}
