<?php

// A forked child has no Go runtime: it may not use the store, and its parent goes on as if nothing had happened.

use FrankenPHP\SharedArray;
use FrankenPHP\SharedMutex;
use FrankenPHP\SharedState\UnavailableException;

$s = new SharedArray();
$s['k'] = 'v';
$s['a'] = ['x' => 1];
$s->snapshot();
$s->keys();
$s['k'];
$m = new SharedMutex(1);

$report = tempnam(sys_get_temp_dir(), 'fork');
$pid = pcntl_fork();
if ($pid === 0) {
	$found = [];
	foreach ([
		'cached read' => fn () => $s['k'],
		'read' => fn () => $s['absent'],
		'write' => fn () => $s['k'] = 'child',
		'isset' => fn () => isset($s['k']),
		'unset' => function () use ($s) { unset($s['k']); },
		'count' => fn () => count($s),
		'foreach' => function () use ($s) { foreach ($s as $v) { } },
		'snapshot' => fn () => $s->snapshot(),
		'keys' => fn () => $s->keys(),
		'get' => fn () => $s->get('k'),
		'put' => fn () => $s->put('k', 1),
		'many' => fn () => $s->many(['k']),
		'merge' => fn () => $s->merge(['k' => 1]),
		'replace' => fn () => $s->replace([]),
		'scan' => fn () => $s->scan(),
		'exists' => fn () => $s->exists('k'),
		'forget' => fn () => $s->forget('k'),
		'forgetMany' => fn () => $s->forgetMany(['k']),
		'forgetPrefix' => fn () => $s->forgetPrefix('k'),
		'increment' => fn () => $s->increment('n'),
		'version' => fn () => $s->version(),
		'stats' => fn () => $s->stats(),
		'json' => fn () => json_encode($s),
		'serialize' => fn () => serialize($s),
		'new' => fn () => new SharedArray(),
		'mutex' => fn () => $m->withLock(fn () => 1),
		'mutex try' => fn () => $m->tryWithLock(fn () => 1),
		'mutex id' => fn () => $m->id(),
		'new mutex' => fn () => new SharedMutex(),
		'remove a mutex' => fn () => SharedMutex::remove('m'),
		'clone' => fn () => (clone $s)['k'],
	] as $call => $f) {
		try {
			$f();
			$found[$call] = 'nothing was thrown';
		} catch (UnavailableException $e) {
			$found[$call] = str_contains($e->getMessage(), 'fork') ? 'unavailable' : $e->getMessage();
		} catch (Throwable $e) {
			$found[$call] = $e::class . ': ' . $e->getMessage();
		}
	}
	ob_start();
	var_dump($s); // does not throw
	$found['dump'] = str_contains(ob_get_clean(), 'SharedArray') ? 'unavailable' : 'nothing was shown';
	file_put_contents($report, json_encode($found));
	posix_kill(posix_getpid(), SIGKILL);
}
pcntl_waitpid($pid, $status);

$child = json_decode(file_get_contents($report), true);

// A child that is born in a callable comes back to a call that had begun in its parent.
$calls = [
	'update' => fn (callable $fork) => $s->update('forked', $fork),
	'remember' => fn (callable $fork) => $s->remember('forked', null, $fork),
	'lock' => fn (callable $fork) => $s['forked'] = $s->lock('forked')->get($fork),
	'withLock' => fn (callable $fork) => $s['forked'] = $m->withLock($fork),
];
foreach ($calls as $method => $call) {
	$in_child = false;
	$fork = function () use (&$in_child): int {
		$pid = pcntl_fork();
		if ($pid === 0) {
			$in_child = true;
			pcntl_alarm(10); // should it hang
		} else {
			pcntl_waitpid($pid, $status);
		}
		return 1;
	};
	file_put_contents($report, 'nothing was thrown');
	try {
		$call($fork);
	} catch (UnavailableException) {
		file_put_contents($report, 'unavailable');
	}
	if ($in_child) {
		posix_kill(posix_getpid(), SIGKILL);
	}
	$child["fork in $method"] = file_get_contents($report);
	if ($s->pull('forked') !== 1 || !$s->lock('forked')->isOwnedBy(null) || $m->tryWithLock(fn ($n) => $n) !== 1) {
		$child["fork in $method"] = 'the parent has lost what it had';
	}
}

$s->increment('n', 2);
echo json_encode([
	'child' => $child,
	'parent' => ['k' => $s['k'], 'a' => $s['a'], 'n' => $s['n'], 'count' => count($s), 'snapshot' => count($s->snapshot()), 'written' => $s->put('after', 1)],
]);
unlink($report);
