<?php

// Requests that end in the middle of a call.

namespace Scenario;

use FrankenPHP\SharedArray;
use FrankenPHP\SharedMutex;

function endings_prepare(array $q): void
{
	foreach (['traps', 'replaced'] as $table) {
		(new SharedArray($table))->replace(traps());
	}
	(new SharedArray('scratch'))->put('trap', new \Trap());
	foreach (['traps read', 'traps written'] as $name) {
		SharedMutex::remove($name);
		new SharedMutex(new \Trap(), $name);
	}
}

function traps(): array
{
	return ['n' => 1, 'text' => bytes(5000), 'trap' => new \Trap(), 'list' => [1, 2, 3], 1 => 'one'];
}

/**
 * Calls a method in which code of the user's runs, with a trap armed: a Trap that is written or read, or an error
 * handler, called for an offset that PHP complains about.
 */
function end_inside(array $q): mixed
{
	$s = new SharedArray(str_starts_with($q['where'], 'replace') ? 'replaced' : 'traps');
	set_error_handler(function () { \Trap::spring(); return true; }, E_DEPRECATED);
	\Trap::$armed = $q['how'];
	$new = new \Trap(8);
	$call = match ($q['where']) {
		'write' => function () use ($s, $new) { $s['new'] = $new; },
		'put' => fn () => $s->put('new', ['deep' => [$new]]),
		'merge' => fn () => $s->merge(['n' => 2, 'new' => $new]),
		'putMany' => fn () => $s->putMany(['n' => 2, 'new' => $new]),
		'replace write' => fn () => $s->replace(['n' => 2, 'new' => $new]),
		'replace read' => fn () => $s->replace(['n' => 1]),
		'read' => fn () => $s['trap'],
		'empty' => fn () => empty($s['trap']),
		'get' => fn () => $s->get('trap'),
		'many' => fn () => $s->many(['n', 'trap']),
		'add' => fn () => $s->add('new', $new, 5),
		'compareAndSet expected' => fn () => $s->compareAndSet('n', $new, 1),
		'compareAndSet new' => fn () => $s->compareAndSet('n', 1, $new),
		'pull' => fn () => (new SharedArray('scratch'))->pull('trap'),
		'send' => fn () => (new \FrankenPHP\SharedChannel(1))->send($new),
		'scan' => fn () => $s->scan(),
		'snapshot' => fn () => $s->snapshot(),
		'foreach' => function () use ($s) { foreach ($s as $v) { } },
		'json' => fn () => json_encode($s),
		'mutex open' => fn () => new SharedMutex($new),
		'mutex read' => fn () => mutex('traps read')->withLock(fn ($v) => $v),
		'mutex write' => fn () => mutex('traps written')->withLock(function (&$v) use ($new) { $v = [$new]; }),
		'offset read' => fn () => $s[1.5],
		'offset write' => function () use ($s) { $s[1.5] = 'one'; },
		'offset isset' => fn () => isset($s[1.5]),
		'offset unset' => function () use ($s) { unset($s[7.5]); },
	};
	if ($q['how'] !== 'drop' && $q['how'] !== 'leave') {
		return $call();
	}
	$fiber = new \Fiber($call);
	$fiber->start();
	check($fiber->isSuspended(), "the fiber is suspended inside {$q['where']}");
	\Trap::$armed = null;
	static $left = [];
	if ($q['how'] === 'leave') {
		$left[] = $fiber; // and there it is when the request ends
	}
	return null;
}

function endings_verify(array $q): void
{
	restore_error_handler();
	$s = new SharedArray('traps');
	$expected = traps();
	foreach ($expected as $k => $v) {
		check_same($v, $s[$k], "$k after the endings");
		check_same($v, $s->get($k), "$k after the endings by get()");
	}
	$all = $s->snapshot();
	check_same(count($expected), count($all), 'nothing was added: ' . brief($all));
	foreach ($expected as $k => $v) {
		check_same($v, $all[$k] ?? null, "$k after the endings by snapshot()");
	}
	foreach (['traps read', 'traps written'] as $name) {
		check_same(new \Trap(), mutex($name)->withLockTimeout(fn ($v) => $v, 20_000), "the mutex $name");
	}
	$mine = 'mine:' . bin2hex(random_bytes(8));
	$scratch = new SharedArray('scratch');
	$scratch->merge([$mine => 1, "$mine:2" => ['x']]);
	check_same(2, $scratch->increment($mine), 'increment after the endings');
	check_same(2, $scratch->forgetPrefix($mine), 'forgetPrefix after the endings');
	$s['n'] = 1; // every stripe of the table can still be written
	$s->merge($expected);
	$replaced = new SharedArray('replaced');
	$n = $replaced['n'];
	check($n === 1, 'the table of replace() has its old contents or the new ones, n: ' . brief($n));
	$replaced->put('n', 1);
}

/**
 * The rows for starve().
 */
function starve_prepare(array $q): void
{
	foreach (['starved', 'starved_replace'] as $table) {
		(new SharedArray($table))->replace(starve_rows());
	}
	SharedMutex::remove('starved');
	new SharedMutex(starve_rows()['array'], 'starved');
}

function starve_rows(): array
{
	$rows = ['big' => bytes(300_000), 'array' => range(1, 20_000), 'n' => 41, 'objects' => [new \Point(1, bytes(100_000))]];
	for ($i = 0; $i < 300; $i++) {
		$rows["k:$i"] = "value $i";
	}
	return $rows;
}

/**
 * Fills the memory until about $q['left'] bytes are left and then calls a method. It may come to its end there.
 */
function starve(array $q): ?string
{
	$s = new SharedArray($q['method'] === 'replace' ? 'starved_replace' : 'starved');
	$rows = starve_rows();
	$some = array_slice($rows, 4, 200);
	$text = bytes(200_000);
	$names = array_keys($rows);
	$pulled = "pulled:{$q['left']}";
	\FrankenPHP\SharedChannel::remove("recv:{$q['left']}");
	$channel = new \FrankenPHP\SharedChannel(2, "recv:{$q['left']}");
	$handles = [new \FrankenPHP\SharedCounter(3), $channel];
	$call = match ($q['method']) {
		'read big' => fn () => $s['big'],
		'read array' => fn () => $s['array'],
		'read objects' => fn () => $s['objects'],
		'get' => fn () => $s->get('big'),
		'isset' => fn () => isset($s['array']),
		'many' => fn () => $s->many($names),
		'scan' => fn () => $s->scan(),
		'keys' => fn () => $s->keys(),
		'snapshot' => fn () => $s->snapshot(),
		'foreach' => function () use ($s) { $n = 0; foreach ($s as $v) { $n++; } return $n; },
		'json' => fn () => $s->jsonSerialize(),
		'dump' => function () use ($s) { ob_start(); var_dump($s); return strlen(ob_get_clean()) > 100; },
		'count' => fn () => count($s),
		'stats' => fn () => $s->stats()['count'],
		'put' => fn () => $s->put('big', $rows['big']),
		'put array' => fn () => $s->put('array', $rows['array']),
		'put objects' => fn () => $s->put('objects', $rows['objects']),
		'add' => fn () => $s->add('big', $rows['big'], 5),
		'add array' => fn () => $s->forget('absent') || $s->add('absent', $rows['array'], -1),
		'compareAndSet' => fn () => $s->compareAndSet('array', $rows['array'], $rows['array']),
		'pull' => fn () => (new SharedArray('scratch'))->pull($pulled),
		'ttl' => fn () => $s->ttl('array'),
		'touch' => fn () => $s->touch('array', new \DateTimeImmutable('+1 hour')) && $s->touch('array', null),
		'interval' => fn () => $s->put('n', 41, new \DateInterval('P1M')) && $s->touch('n', null),
		'flush' => fn () => (new SharedArray('starved_flush'))->flush(),
		'sweep' => fn () => $s->sweep() + $s->evict(),
		'merge' => fn () => $s->merge($some),
		'putMany' => fn () => $s->putMany($some),
		'replace' => fn () => $s->replace($rows),
		'increment' => fn () => $s->increment('n', 0),
		'unset' => function () use ($s) { unset($s['absent']); },
		'forgetMany' => fn () => $s->forgetMany(['absent', 'absent too']),
		'forgetPrefix' => fn () => $s->forgetPrefix('absent'),
		'many keys' => function () use ($s) { for ($i = 0; $i < 300; $i++) { $s["k:$i"]; } return $i; },
		'serialize' => fn () => strlen(serialize($s)) > 10,
		'construct' => fn () => count(new SharedArray('starved')),
		'lock' => function () use ($s, $pulled) {
			$l = $s->lock($pulled, 60, null, true);
			return $l->acquire() && strlen($l->owner()) === 32 && $l->refresh() && $l->isOwnedByCurrentProcess() && $l->getRemainingLifetime() > 1 && $l->release();
		},
		'recv' => fn () => $channel->recv()->value(),
		'send' => fn () => $channel->trySend($rows['array'])->isOk() && $channel->sendTimeout(1, 10)->isOk() && $channel->trySend(1)->isFull(),
		'channel' => fn () => (new \FrankenPHP\SharedChannel(1))->recvTimeout(1)->isTimeout(),
		'handle write' => function () use ($handles) { (new SharedArray('scratch'))->put('starved handle', $handles); },
		'handle read' => fn () => array_map(fn ($h) => $h->id() > 0, (new SharedArray('scratch'))['starved handles']),
		'lock get' => fn () => $s->lock($pulled)->get(fn () => strlen(str_repeat('x', 50_000)) === 50_000),
		'mutex' => fn () => (new SharedMutex($rows['big']))->withLock(fn (&$v) => strlen($v .= 'x')) === strlen($rows['big']) + 1,
		'mutex array' => fn () => mutex('starved')->withLock(function (&$v) use ($rows) { $v[] = 1; $v = $rows['array']; return true; }),
		'lock block' => fn () => $s->lock($pulled)->block(30, fn () => $s->restoreLock($pulled, 'other')->isOwnedBy(null) === false),
	};
	$expected = match ($q['method']) {
		'read big', 'get', 'recv' => $rows['big'],
		'handle write' => null,
		'handle read' => array_fill(0, 2000, true),
		'read array' => $rows['array'],
		'read objects' => $rows['objects'],
		'many' => $rows,
		'pull' => $rows['big'],
		'add' => false,
		'ttl' => null,
		'sweep' => 0,
		'add array', 'compareAndSet', 'touch', 'interval', 'flush', 'isset', 'dump', 'put', 'put array', 'put objects', 'putMany', 'serialize', 'lock', 'lock get', 'lock block', 'send', 'channel', 'mutex', 'mutex array' => true,
		'foreach', 'count', 'stats', 'construct' => count($rows),
		'many keys' => 300,
		'increment' => 41,
		'merge', 'unset' => null,
		'forgetMany', 'forgetPrefix' => 0,
		default => [], // in any order
	};
	if ($q['method'] === 'recv') {
		$channel->send($rows['big']);
	}
	if ($q['method'] === 'handle read') {
		(new SharedArray('scratch'))->put('starved handles', array_fill(0, 2000, $channel));
	}
	if ($q['method'] === 'pull') {
		(new SharedArray('scratch'))->put($pulled, $rows['big']);
	}
	$hog = hog((int) $q['left']);
	echo 'inside ';
	$result = $call();
	$hog = null;
	ini_set('memory_limit', '256M');
	if ($expected === []) {
		if ($q['method'] === 'keys') {
			[$result, $expected] = [array_fill_keys($result, true), array_fill_keys($names, true)];
		} else {
			$expected = $rows;
		}
		ksort($result, SORT_STRING);
		ksort($expected, SORT_STRING);
	}
	return same($expected, $result) ? 'right' : 'wrong: ' . brief($result);
}

/**
 * Takes every page that PHP has from the system, gives some back for a hole, and forbids PHP to get more.
 */
function hog(int $hole): \SplFixedArray
{
	$taken = new \SplFixedArray(5000);
	$hole = str_repeat('x', $hole);
	$last = str_repeat('x', 8000); // for the call that sets the limit
	gc_mem_caches();
	$limit = memory_get_usage(true);
	$i = 0;
	foreach ([200_000, 50_000, 12_000, 3200] as $piece) {
		while ($i < 5000) {
			$taken[$i] = str_repeat('x', $piece);
			if (memory_get_usage(true) > $limit) {
				$taken[$i] = null;
				if ($piece > 3200) { // so that PHP gives back what it keeps for later
					ini_set('memory_limit', (string) $limit);
					ini_set('memory_limit', '256M');
				}
				break;
			}
			$i++;
		}
	}
	$hole = $last = null;
	ini_set('memory_limit', (string) $limit); // PHP 8.2 only gives back what it has too much,
	ini_set('memory_limit', (string) $limit); // and sets the limit the second time
	return $taken;
}

function starve_verify(array $q): void
{
	$rows = starve_rows();
	ksort($rows);
	foreach ([0, 4000, 64_000, 1_700_000] as $left) {
		check((new SharedArray('starved'))->lock("pulled:$left")->isOwnedBy(null), 'no lock is held');
	}
	check_same($rows['array'], mutex('starved')->withLockTimeout(fn ($v) => $v, 20_000), 'the mutex');
	foreach (['starved', 'starved_replace'] as $table) {
		$s = new SharedArray($table);
		foreach ($rows as $k => $v) {
			check_same($v, $s[$k], "$k of $table");
		}
		$all = $s->snapshot();
		ksort($all);
		check(same($rows, $all), "snapshot of $table");
		$s->merge($rows);
		$s['n'] = 41;
	}
}

/**
 * A request that takes all the time it has.
 */
function busy(array $q): void
{
	$s = new SharedArray('scratch');
	set_time_limit(1);
	for (;;) {
		$s['busy'] = $s->increment('busy:n');
		$s->merge(['busy:a' => 1, 'busy:b' => 2]);
		$s->snapshot();
	}
}
