<?php

// Threads that PHP code starts itself.

namespace Scenario;

use FrankenPHP\SharedArray;
use FrankenPHP\SharedCounter;

function fault_010(array $q): void
{
	$s = new SharedArray('threads');
	$s->replace(['parent' => 'here', 'sum' => 0]);
	SharedCounter::remove('threads');
	$counter = new SharedCounter(0, 'threads');
	$lock = $s->lock('parent', 0, null, true);
	check($lock->acquire(), 'the parent has its lock');

	check_same(8, \run_threads(\dirname(__DIR__) . '/child.php', 8), 'threads that came to their end');
	check_same([8, 8000], [$counter->get(), $s['sum']], 'what the children have counted');
	$requests = [$s->stats()['thread']['request']];
	for ($i = 1; $i <= 8; $i++) {
		$found = $s["found:$i"];
		$requests[] = $found['request'] ?? null;
		unset($found['request']);
		check_same(['sees' => 'here', 'takes the lock of its parent' => false, 'has its own' => true, 'reads back' => true], $found, "child $i");
		check($s->lock("child:$i")->get(fn () => true), "the lock of child $i ended with it");
	}
	check_same(9, \count(array_unique($requests)), 'each child is a request of its own');
	check($lock->isOwnedByCurrentProcess() && $lock->release(), 'the end of a child leaves the lock of its parent');
	check_same(range(1, 1000), array_map(fn () => $s->increment('n'), range(1, 1000)), 'the parent goes on');
}
