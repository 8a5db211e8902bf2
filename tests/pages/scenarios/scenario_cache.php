<?php

// What a cache has to do, case by case.

namespace Scenario;

use FrankenPHP\SharedArray;
use FrankenPHP\SharedState\{InvalidValueException, UnknownTableException, ValueTooLargeException};

/**
 * The cases by name, each with an empty table.
 *
 * @return array<string, \Closure(SharedArray): void>
 */
function cache_cases(): array
{
	return [
		'CanRetrieveItemsFromStore' => function (SharedArray $s) {
			$s->put('foo', ['deep' => [1.5]], 10);
			for ($i = 0; $i < 3; $i++) {
				check_same(['deep' => [1.5]], $s->get('foo'), 'a live row');
			}
		},
		'MissingItemsReturnNull' => fn (SharedArray $s) => check_same(null, $s->get('foo'), 'a key that was never there'),
		'MissingTableThrows' => fn () => check_throws(UnknownTableException::class, ['missing'], fn () => new SharedArray('missing'), 'a table that is not defined'),
		'RejectsValuesLargerThanTheTableTakes' => function () {
			$s = new SharedArray('limited');
			$s->put('foo', 'old', 10);
			foreach (['put' => fn ($v) => $s->put('foo', $v, 10), 'putMany' => fn ($v) => $s->putMany(['foo' => $v], 10), 'forever' => fn ($v) => $s->forever('foo', $v),
				'add' => fn ($v) => $s->add('new', $v), 'compareAndSet' => fn ($v) => $s->compareAndSet('foo', 'old', $v)] as $way => $f) {
				check_throws(ValueTooLargeException::class, ['1000'], fn () => $f(str_repeat('x', 1001)), "1001 bytes into 1000 by $way");
				check_same('old', $s->get('foo'), "the old value after $way");
				check($s->ttl('foo') > 5, "the old expiry after $way");
			}
			check(!$s->exists('new'), 'add() has stored nothing');
		},
		'ManyMethodCanReturnManyValues' => function (SharedArray $s) {
			$s->putMany(['a' => 1, 'b' => null], 10);
			check_same(['a' => 1, 'b' => null, 'c' => null], $s->many(['a', 'b', 'c']), 'many()');
		},
		'PutStoresValueInTable' => function (SharedArray $s) {
			check_same(true, $s->put('foo', 'bar', 5), 'put()');
			check_same('bar', $s['foo'], 'the value');
			check($s->ttl('foo') > 4 && $s->ttl('foo') <= 5, 'its time to live');
			$s->put('foo', 'baz');
			check_same([null, 'baz'], [$s->ttl('foo'), $s['foo']], 'a later put() has its own');
			$s['foo'] = 1;
			$s->put('foo', 1, 5);
			$s['foo'] = 1;
			check_same(null, $s->ttl('foo'), 'as has a write by offset, also of an equal number');
		},
		'PutRejectsClassesWhenConfigured' => fn () =>
			check_throws(InvalidValueException::class, ['Point', 'foo'], fn () => (new SharedArray('deny'))->put('foo', new \Point(1, 2), 10), 'an object where the table denies them'),
		'PutAllowsClassesByDefault' => function (SharedArray $s) {
			$s->put('foo', new \Point(1, 2), 10);
			check_same(new \Point(1, 2), $s->get('foo'), 'an object');
		},
		'PutManyStoresValue' => function (SharedArray $s) {
			check_same(true, $s->putMany(['a' => 1, 'b' => 'two'], 5), 'putMany()');
			check_same([1, 'two'], [$s['a'], $s['b']], 'the values');
			check($s->ttl('a') > 4 && $s->ttl('b') > 4, 'the times to live');
		},
		'PutManyReturnsTrueForEmptyInput' => fn (SharedArray $s) => check_same(true, $s->putMany([], 5), 'putMany() of nothing'),
		'Add' => function (SharedArray $s) {
			check_same([true, false, 'first'], [$s->add('foo', 'first', 5), $s->add('foo', 'second', 5), $s['foo']], 'add() twice');
		},
		'AddOverwritesExpiredPhysicalRow' => function (SharedArray $s) {
			$s->put('foo', 'old', 0.01);
			check_same('old', $s['foo'], 'before the expiry'); // and so it is in the thread's cache
			usleep(20_000);
			check_same([true, 'new'], [$s->add('foo', 'new', 5), $s['foo']], 'add() over it');
		},
		'AddPreservesLiveRow' => function (SharedArray $s) {
			$s->put('foo', 'old', 5);
			check_same([false, 'old'], [$s->add('foo', 'new', 100), $s['foo']], 'add()');
			check($s->ttl('foo') < 6, 'the expiry');
			$s->put('null', null);
			check_same([false, null, true], [$s->add('null', 1), $s['null'], $s->exists('null')], 'add() over a stored null');
		},
		'IncrementAndDecrementOperationsPreserveExpiration' => function (SharedArray $s) {
			$s->put('n', 1, 5);
			check_same([3, 1, 1.5], [$s->increment('n', 2), $s->decrement('n', 2, 100), $s->increment('n', 0.5, 100)], 'the numbers');
			check($s->ttl('n') > 4 && $s->ttl('n') < 6, "the expiry: {$s->ttl('n')}");
		},
		'IncrementCreatesPermanentMissingCounter' => function (SharedArray $s) {
			check_same([1, null], [$s->increment('n'), $s->ttl('n')], 'increment()');
			check_same([-2, null], [$s->decrement('m', 2), $s->ttl('m')], 'decrement()');
		},
		'IncrementDoesNotWakeObjectPayload' => function (SharedArray $s) {
			$s['trap'] = new \Trap();
			\Trap::$armed = 'throw';
			check_throws(InvalidValueException::class, ['trap', 'object'], fn () => $s->increment('trap'), 'increment() of an object');
			\Trap::$armed = null;
			check_same(new \Trap(), $s['trap'], 'the object stays');
		},
		'ForeverStoresValueIndefinitely' => function (SharedArray $s) {
			$s->put('foo', 1, 5);
			check_same([true, 'bar', null, true], [$s->forever('foo', 'bar'), $s['foo'], $s->ttl('foo'), $s->exists('foo')], 'forever()');
		},
		'CanForgetCacheItems' => function (SharedArray $s) {
			$s->put('foo', 1, 5);
			check_same([true, null, false], [$s->forget('foo'), $s->get('foo'), $s->forget('foo')], 'forget()');
			$s->put('foo', 1, 0.001);
			usleep(2000);
			check_same(false, $s->forget('foo'), 'forget() of what has expired');
		},
		'FlushDeletesAllRows' => function (SharedArray $s) {
			$s->putMany(array_fill_keys(range(1, 1000), 'x'), 5);
			$s[5]; // so that it is in the thread's cache
			check_same([true, 0, null, [], 0], [$s->flush(), count($s), $s[5], $s->snapshot(), $s->stats()['count']], 'flush()');
		},
		'ExpiresWithinTheSecond' => function (SharedArray $s) {
			$s->put('foo', 'bar', 0.2);
			$start = hrtime(true);
			$last = null;
			do {
				$seen = $s->get('foo');
				$now = hrtime(true);
				if ($seen !== null) {
					$last = $now;
				}
			} while ($now < $start + 300_000_000);
			check($last !== null && $last < $start + 230_000_000, 'gone after 0.2 seconds, last seen after ' . ($last - $start));
		},
		'EvictRecordsFlushesStaleRecordsWhenCalledDirectly' => function () {
			$s = new SharedArray('unswept');
			foreach (['evict', 'sweep'] as $way) {
				$s->forgetMany($s->keys()); // flush() would clear up behind us
				$expired = $s->stats()['expired'];
				$s->putMany(['a' => 1, 'b' => str_repeat('x', 5000)], 0.005);
				$s->put('c', 1, 50);
				usleep(10_000);
				check_same([2, 1, $expired + 2, 0], [$s->$way(), count($s->keys()), $s->stats()['expired'], $s->$way()], "$way()");
			}
		},
		'NothingIsEvictedBelowTheMemoryLimit' => function () {
			$s = new SharedArray('lru');
			$s->flush();
			$before = $s->stats()['evicted'];
			$s->putMany(array_fill_keys(range(1, 100), str_repeat('x', 1000)));
			check_same([0, $before, 100], [$s->evict(), $s->stats()['evicted'], count($s)], 'a table with room');
		},
		'EvictRecordsWhenMemoryLimitIsReached' => function () {
			foreach (['lru', 'lfu', 'ttl'] as $table) {
				$s = new SharedArray($table);
				$s->flush();
				for ($i = 0; $i < 3000; $i++) {
					$s->put("key:$i", str_repeat('x', 1000), 100 + $i);
				}
				$stats = $s->stats();
				check($stats['evicted'] > 1000 && $stats['refused'] === 0, "rows that $table evicted: {$stats['evicted']}");
				check($s->exists('key:2999') && !$s->exists('key:0'), "the last row is there under $table, the first is gone");
				check($stats['memory_used'] <= $stats['memory_limit'], "the memory of $table");
				check_same($table, $stats['eviction'], 'the policy');
			}
		},
		'GetUnderLruPolicyKeepsTheRow' => fn () => hot_keys_stay('lru'),
		'GetUnderLfuPolicyKeepsTheRow' => fn () => hot_keys_stay('lfu'),
		'AddDoesNotUpdateHitMetadata' => function () {
			looks_keep_nothing('lru', fn (SharedArray $s, string $key) => !$s->add($key, 1));
			looks_keep_nothing('lfu', fn (SharedArray $s, string $key) => !$s->add($key, 1));
		},
		'TtlDoesNotUpdateHitMetadata' => fn () => looks_keep_nothing('lru', fn (SharedArray $s, string $key) => $s->ttl($key) !== null),
		'TtlPolicyEvictsWhatExpiresSoonest' => function () {
			$s = new SharedArray('ttl');
			$s->flush();
			for ($i = 0; $i < 20; $i++) {
				$s->put("late:$i", str_repeat('l', 1000), 100_000);
				$s->put("soon:$i", str_repeat('s', 1000), 50);
				$s->put("never:$i", str_repeat('n', 1000));
			}
			for ($i = 0; $i < 3000; $i++) {
				$s->put("key:$i", str_repeat('x', 1000), 1000);
			}
			$left = array_map(fn ($prefix) => count($s->scan($prefix)), ['late:', 'never:', 'soon:']);
			check($left[0] >= 10 && $left[1] >= 10 && $left[2] === 0, 'most that live for longer stay: ' . brief($left)); // a blind choice would leave one
		},
		'TouchPreservesValueAndChangesExpiration' => function (SharedArray $s) {
			$s->put('foo', ['bar'], 0.02);
			check_same(['bar'], $s['foo'], 'in the thread\'s cache');
			check_same(true, $s->touch('foo', 60), 'touch()');
			usleep(30_000);
			check_same(['bar'], $s['foo'], 'the value after its first expiry');
			check($s->ttl('foo') > 50, 'its time to live');
			check_same([true, null, false, false], [$s->touch('foo', null), $s->ttl('foo'), $s->touch('foo', 0) && $s->exists('foo'), $s->touch('foo', 5)], 'for ever, then not at all');
		},
		'TouchReturnsFalseForNonExistent' => function (SharedArray $s) {
			check_same([false, false], [$s->touch('foo', 30), $s->exists('foo')], 'touch() of nothing');
			$s->put('foo', 1, 0.001);
			usleep(2000);
			check_same([false, false], [$s->touch('foo', 30), $s->exists('foo')], 'touch() of what has expired');
		},
		'DistinctLongKeysDoNotCollide' => function (SharedArray $s) {
			foreach ([62, 63, 64, 255, 1000, 65_535] as $n) {
				$s->put(str_repeat('a', $n) . 'x', 'x', 5);
				$s->put(str_repeat('a', $n) . 'y', 'y', 5);
				check_same(['x', 'y'], [$s->get(str_repeat('a', $n) . 'x'), $s->get(str_repeat('a', $n) . 'y')], "two keys that differ in byte $n");
			}
			check_same(12, count($s), 'the keys');
		},
		'PullGivesTheValueOnce' => function (SharedArray $s) {
			foreach (['n' => 1, 'text' => bytes(200_000), 'list' => range(1, 1000), 'object' => new \Point(1, 2), 'null' => null, 'enum' => \Suit::Hearts] as $k => $v) {
				$s->put($k, $v, 5);
				check_same($v, $s->pull($k, 'default'), "pull() of $k");
				check_same(['default', false], [$s->pull($k, 'default'), $s->exists($k)], "$k is gone");
			}
			check_same(null, $s->pull('n'), 'without a default');
		},
		'ReadsLeaveNoRow' => function () {
			$s = new SharedArray('lru');
			$s->flush();
			$version = $s->version();
			foreach (['get' => fn () => $s->get('none'), 'ttl' => fn () => $s->ttl('none'), 'exists' => fn () => $s->exists('none'), 'touch' => fn () => $s->touch('none', 5),
				'pull' => fn () => $s->pull('none'), 'many' => fn () => $s->many(['none', 'none too']), 'forget' => fn () => $s->forget('none'),
				'compareAndSet' => fn () => $s->compareAndSet('none', null, 1), 'add' => fn () => $s->add('none', 1, 0), 'increment' => fn () => $s->increment('none', 1, -1)] as $f) {
				$f();
				$f();
			}
			check_same([0, [], $version], [count($s), $s->keys(), $s->version()], 'the table after reads');
		},
	];
}

/**
 * A key that is read, here by way of the thread's cache alone, is not evicted while others are.
 */
function hot_keys_stay(string $table): void
{
	$s = new SharedArray($table);
	$s->flush();
	for ($i = 0; $i < 10; $i++) {
		$s["hot:$i"] = str_repeat('h', 1000);
		$s["cold:$i"] = str_repeat('c', 1000);
	}
	$reads = 0;
	for ($i = 0; $i < 6000; $i++) {
		$s["key:$i"] = str_repeat('x', 1000);
		$k = 'hot:' . $i % 10;
		$reads -= $s->stats()['thread']['hits'];
		$s[$k];
		$reads += $s->stats()['thread']['hits'];
	}
	check($reads > 4000, "most reads came from the thread's cache: $reads");
	$hot = count($s->scan('hot:')); // a blind choice would leave none
	check($hot >= 7 && $s->scan('cold:') === [], "most of the 10 that were read are there, the others are gone: $hot");
}

/** Keys that are looked at all the time go as if nobody did. $look says whether the key is there. */
function looks_keep_nothing(string $table, callable $look): void
{
	$s = new SharedArray($table);
	$s->flush();
	$looked = array_map(fn (int $i) => "looked:$i", range(0, 9));
	$s->putMany(array_fill_keys($looked, str_repeat('l', 1000)), 1000);
	for ($i = 0; $i < 6000; $i++) {
		$s["key:$i"] = str_repeat('x', 1000);
		$looked = array_filter($looked, fn (string $key) => $i % 10 > 0 || $look($s, $key));
	}
	check(count($looked) <= 2, "keys of $table that looks have kept: " . count($looked));
}

function cache_names(array $q): array
{
	return array_keys(cache_cases());
}

function cache_case(array $q): void
{
	$s = new SharedArray('cached');
	$s->flush();
	cache_cases()[$q['name']]($s);
	$s->flush();
}

/**
 * Adds the keys one after another, as all other requests do, and counts those that it has won.
 */
function add_race(array $q): int
{
	$s = new SharedArray('unswept');
	$won = 0;
	for ($i = 0; $i < $q['n']; $i++) {
		if ($s->add("{$q['prefix']}:$i", $q['id'], 100)) {
			check_same($q['id'], $s["{$q['prefix']}:$i"], 'what the winner reads');
			$won++;
		}
		check($s->exists("{$q['prefix']}:$i"), 'what a loser sees');
	}
	return $won;
}

function add_race_expired(array $q): void
{
	$s = new SharedArray('unswept');
	$s->forgetMany($s->keys());
	for ($i = 0; $i < $q['n']; $i++) {
		$s->put("expired:$i", 'old', 0.001);
	}
	usleep(2000);
	check_same([0, 0], [count($s->scan('expired:')), count($s->keys())], 'all have expired');
}

/**
 * Appends to a list by compareAndSet().
 */
function append_race(array $q): void
{
	$s = new SharedArray('cached');
	for ($i = 0; $i < $q['n']; $i++) {
		do {
			$list = $s['list'];
		} while (!$s->compareAndSet('list', $list, [...$list, "{$q['id']}:$i"]));
	}
}

function append_start(array $q): void
{
	(new SharedArray('cached'))->replace(['list' => []]);
}

function append_result(array $q): array
{
	return (new SharedArray('cached'))['list'];
}

function pull_race(array $q): int
{
	$s = new SharedArray('cached');
	$got = 0;
	for ($i = 0; $i < $q['n']; $i++) {
		$got += $s->pull("pull:$i") === "value $i";
	}
	return $got;
}

function pull_fill(array $q): void
{
	$s = new SharedArray('cached');
	for ($i = 0; $i < $q['n']; $i++) {
		$s["pull:$i"] = "value $i";
	}
}

function count_up(array $q): void
{
	$s = new SharedArray();
	for ($i = 0; $i < $q['times']; $i++) {
		$i % 2 ? $s->increment('demo:counter', 3) : $s->decrement('demo:counter', 1);
	}
}

/**
 * Leaves a key in the site's table, and flushes it if asked to.
 */
function site_flush(array $q): array
{
	$s = new SharedArray();
	if (isset($q['flush'])) {
		check_same(true, $s->flush(), 'flush()');
	} elseif (isset($q['put'])) {
		$s['site'] = $q['put'];
	}
	return [$s['site'], count($s) > 0];
}
