<?php

// What runs in a thread that a request has started, see tests/threads. It has no response: what it finds goes to the table.

use FrankenPHP\SharedArray;
use FrankenPHP\SharedCounter;
use FrankenPHP\SharedState\DeadlockException;

$s = new SharedArray('threads');
$i = (new SharedCounter(0, 'threads'))->add();
try {
	$parents = $s->lock('parent');
	$found = [
		'request' => $s->stats()['thread']['request'],
		'sees' => $s['parent'],
		'takes the lock of its parent' => $parents->acquire() || $parents->isOwnedByCurrentProcess(),
		'has its own' => $s->lock("child:$i", 0, null, true)->acquire(),
	];
	for ($n = 0; $n < 1000; $n++) {
		$s->increment('sum');
		$s["key:$i"] = [$n, str_repeat('x', $n)];
		$found['reads back'] = $s["key:$i"] === [$n, str_repeat('x', $n)];
	}
	try {
		$s->lock('parent')->block(0.01);
	} catch (DeadlockException) {
		$found['takes the lock of its parent'] = true;
	} catch (FrankenPHP\SharedState\LockTimeoutException) {
	}
	$s["found:$i"] = $found;
} catch (Throwable $e) {
	$s["found:$i"] = ['error' => (string) $e];
}
