<?php

// Values that are computed with code of the caller's: remember(), update().

namespace Scenario;

use FrankenPHP\SharedArray;
use FrankenPHP\SharedState\ContentionException;

/**
 * Remembers a value that takes long to compute, and counts how often it is computed.
 */
function remember_once(array $q): mixed
{
	$s = new SharedArray('computed');
	return $s->remember($q['key'], null, function () use ($s, $q) {
		$s->increment("{$q['key']}:runs");
		usleep(100_000);
		return ['made' => $q['key']];
	});
}

function computed_get(array $q): mixed
{
	return (new SharedArray('computed'))->get($q['key']);
}

/**
 * Begins to compute a value and does not come to the end of it. It tells when it has begun by the key "begun".
 */
function remember_and_end(array $q): mixed
{
	$s = new SharedArray('computed');
	$s->forget($q['key']);
	return $s->remember($q['key'], null, function () use ($s, $q) {
		$s->put("{$q['key']}:begun", true);
		usleep(50_000); // so that others wait
		switch ($q['how']) {
			case 'exit':
				exit;
			case 'throw':
				throw new \RuntimeException('the resolver throws');
			case 'error':
				undefined_function();
			case 'user_error':
				trigger_error('the resolver raises an error', E_USER_ERROR);
			case 'memory':
				return str_repeat('x', 1 << 40);
			case 'time':
				set_time_limit(1);
				while (true) {
				}
			case 'hang up':
				while (true) {
					echo str_repeat('x', 4096);
					flush();
				}
			case 'fiber':
				\Fiber::suspend();
		}
	});
}

/**
 * The same in a fiber that is never resumed.
 */
function remember_in_fiber(array $q): void
{
	static $left = [];
	$fiber = new \Fiber(fn () => remember_and_end($q));
	$fiber->start();
	check($fiber->isSuspended(), 'the fiber is suspended inside the resolver');
	$left[] = $fiber;
}

/**
 * Waits for another's value, or computes it when that one is gone, and answers how long after the other's end.
 */
function remember_after(array $q): mixed
{
	$s = new SharedArray('computed');
	for ($deadline = microtime(true) + 30; !$s->get("{$q['key']}:begun");) {
		check(microtime(true) < $deadline, 'the other request has begun');
		usleep(500);
	}
	return $s->remember($q['key'], 60, fn () => 'second');
}

function remember_basics(array $q): void
{
	$s = new SharedArray('computed');
	$s->replace([]);
	check_same(1, $s->remember('a', null, fn () => 1), 'the first value');
	check_same(1, $s->remember('a', null, fn () => 2), 'the one that there is');
	check_same(null, $s->remember('null', null, fn () => null), 'null is a value');
	check_same(null, $s->remember('null', null, fn () => 2), 'and is not computed again');
	check_same(null, $s->ttl('a'), 'without a life it lives for ever');
	$s->remember('brief', 0.05, fn () => 1);
	check($s->ttl('brief') <= 0.05, 'it has the life given');
	usleep(80_000);
	check_same(2, $s->remember('brief', 60, fn () => 2), 'after that it is computed again');
	$s->remember('late', 0.05, function () { usleep(80_000); return 1; });
	check_same(1, $s->get('late'), 'the life counts from when the value is there');
	check_same(3, $s->remember('past', -1, fn () => 3), 'a life that is over: the value is only answered');
	check(!$s->exists('past'), 'and not kept');
	check_same(5, $s->remember(7, null, fn () => 5), 'an int key');
	check_same(5, $s['7'], 'is the same as its string');

	check_throws(\RuntimeException::class, ['no value'], fn () => $s->remember('throws', null, fn () => throw new \RuntimeException('no value')), 'the callable throws');
	check(!$s->exists('throws'), 'nothing is kept');
	check_same(1, $s->remember('throws', null, fn () => 1), 'and the next one computes');
	check_throws(\FrankenPHP\SharedState\InvalidValueException::class, ['Closure'], fn () => $s->remember('bad', null, fn () => fn () => 1), 'a closure');
	check_same(1, $s->remember('bad', null, fn () => 1), 'a value that cannot be stored leaves nothing behind');
	check_throws(\TypeError::class, ['no such function'], fn () => $s->remember('a', null, 'no such function'), 'no callable');
	check_throws(\TypeError::class, ['ttl'], fn () => $s->remember('other', 'soon', fn () => 1), 'no life');
	check(!$s->exists('other'), 'a bad life is said before anything is computed');

	// Nested calls.
	check_same('inner', $s->remember('same', null, fn () => $s->remember('same', null, fn () => 'inner')), 'nested on the same key');
	check_same('ab', $s->remember('x', null, fn () => 'a' . $s->remember('y', null, fn () => 'b')), 'nested on another');
	check_same(3, $s->remember('all', null, function () use ($s) {
		$s['all'] = 1;
		$s->put('all', 2);
		$s->forget('all');
		$s->increment('all:n');
		$s->merge(['all:m' => 1]);
		$s->snapshot();
		$s->flush();
		return 3;
	}), 'any call may be made while a value is computed');
	$object = $s->remember('object', null, fn () => new \ArrayObject([1]));
	check($s->get('object') == $object, 'an object is kept too');
	$n = 1;
	$s->remember('reference', null, function &() use (&$n) { return $n; });
	$n = 2;
	check_same(1, $s->get('reference'), 'a reference is stored as its value');
}

/**
 * Two requests remember two keys, each inside the other's.
 */
function remember_crossed(array $q): array
{
	$s = new SharedArray('computed');
	[$outer, $inner] = $q['first'] ? ['cross a', 'cross b'] : ['cross b', 'cross a'];
	return [$s->remember($outer, null, function () use ($s, $inner, $q) {
		meet("crossing {$q['meeting']}", 2);
		return $s->remember($inner, null, fn () => 'inner') . '+';
	})];
}

function computed_clear(array $q): void
{
	(new SharedArray('computed'))->replace([]);
}

function update_basics(array $q): void
{
	$s = new SharedArray('computed');
	$s->replace([]);
	check_same(1, $s->update('n', fn ($old) => ($old ?? 0) + 1), 'an absent key is null');
	check_same(2, $s->update('n', fn ($old) => $old + 1), 'the new value is the answer');
	check_same(2, $s['n'], 'and is stored');
	$s->put('life', [1], 60);
	$s->update('life', function (array $old) { $old[] = 2; return $old; });
	check_same([1, 2], $s['life'], 'an array');
	check($s->ttl('life') > 50, 'the life goes on');
	foreach ([null, true, 1, 1.5, 's', ['a' => [1]], \Suit::cases()[0]] as $v) {
		$s['v'] = $v;
		check_same([$v], $s->update('v', fn ($old) => [$old]), 'any value: ' . brief($v));
	}
	$s['o'] = new \ArrayObject([1]);
	$s->update('o', function ($o) { $o[] = 2; return $o; });
	check_same(2, count($s['o']), 'an object is changed and stored');
	check_throws(\RuntimeException::class, ['stop'], fn () => $s->update('n', fn () => throw new \RuntimeException('stop')), 'the callable throws');
	check_same(2, $s['n'], 'after an exception the old value stands');
	check_throws(\FrankenPHP\SharedState\InvalidValueException::class, ['Closure'], fn () => $s->update('n', fn () => fn () => 1), 'a closure');
	check_same(2, $s['n'], 'so it does after a value that cannot be stored');

	$runs = 0;
	check_same(12, $s->update('n', function ($old) use ($s, &$runs) {
		if (++$runs === 1) {
			$s['n'] = 11; // another writer comes between
		}
		return $old + 1;
	}), 'the callable runs again');
	check_same(2, $runs, 'once');
	check_throws(ContentionException::class, ['"n"'], fn () => $s->update('n', fn ($old) => $s->increment('n')), 'the callable itself comes between');
	check_same(2, $s->update('nested', fn ($old) => 1 + $s->update('other', fn () => 1)), 'nested on another key');
}

/**
 * Appends to one array.
 */
function update_append(array $q): void
{
	$s = new SharedArray('computed');
	for ($i = 0; $i < $q['n']; $i++) {
		$s->update('list', function ($list) use ($q, $i) {
			$list[] = "{$q['id']}:$i";
			return $list;
		});
	}
}

/**
 * What a worker's script does between two requests.
 */
final class Between
{
	public static ?\Closure $work = null;
	public static ?\Fiber $kept = null;

	public static function run(): void
	{
		$work = self::$work;
		self::$work = null;
		if ($work !== null) {
			$work();
		}
	}
}

/**
 * Has this thread begin to compute a value between two requests, and not come to the end of it.
 */
function remember_between(array $q): void
{
	Between::$work = function () use ($q): void {
		$s = new SharedArray('computed');
		Between::$kept = new \Fiber(fn () => $s->remember($q['key'], null, fn () => \Fiber::suspend()));
		Between::$kept->start();
		$s->put('begun', true);
	};
}

function remember_now(array $q): mixed
{
	return (new SharedArray('computed'))->remember($q['key'], null, fn () => 'now');
}
