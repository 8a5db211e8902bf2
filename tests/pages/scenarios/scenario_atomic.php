<?php

// What several threads do at once.

namespace Scenario;

use FrankenPHP\SharedArray;

function clear(array $q): void
{
	(new SharedArray($q['table']))->replace([]);
}

/**
 * Writes so many keys that no one else writes, each once.
 */
function atomic_write(array $q): void
{
	$s = new SharedArray('atomic');
	for ($i = 0; $i < $q['n']; $i++) {
		$k = "{$q['id']}:$i";
		match ($i % 3) {
			0 => $s[$k] = $k,
			1 => $s->put($k, $k),
			2 => $s->merge([$k => $k]),
		};
	}
}

/**
 * Takes all that there is, again and again, and reports what it got.
 */
function atomic_replace(array $q): array
{
	$s = new SharedArray('atomic');
	$taken = [];
	for ($i = 0; $i < $q['n']; $i++) {
		$k = "{$q['id']}:$i";
		foreach ($s->replace([$k => $k]) as $key => $value) {
			check_same($key, $value, 'a value that replace() gave back');
			$taken[] = $key;
		}
		usleep(100);
	}
	return $taken;
}

/**
 * Merges the same number into so many keys, again and again.
 */
function atomic_merge(array $q): void
{
	$s = new SharedArray('merged');
	for ($n = 1; $n <= $q['n']; $n++) {
		$s->merge(array_fill_keys(array_map(fn ($i) => "key:$i", range(1, 40)), $n));
	}
	$s['done'] = true;
}

/**
 * Sees all of a merge or nothing of it, until the writer is done.
 */
function atomic_watch(array $q): array
{
	$s = new SharedArray('merged');
	$names = array_map(fn ($i) => "key:$i", range(1, 40));
	$snapshots = $seen = $last = $version = 0;
	do {
		$done = $s['done'] ?? false;
		$all = $s->snapshot();
		unset($all['done']);
		if ($all !== []) {
			$values = array_unique(array_values($all));
			check(count($all) === 40 && count($values) === 1, 'a snapshot has one number: ' . brief($values) . ' in ' . count($all) . ' keys');
			check($values[0] >= $last, "a snapshot is not older than the one before: {$values[0]} after $last");
			$seen += $values[0] !== $last;
			$last = $values[0];
			$snapshots++;
		}
		// One key after another: a later read is never older than an earlier one.
		$n = 0;
		foreach ($names as $k) {
			$v = $s[$k] ?? 0;
			check($v >= $n, "$k is $v after a key that was $n");
			$n = max($n, $v);
		}
		$n = 0;
		foreach ($s->many($names, 0) as $k => $v) {
			check($v >= $n, "$k by many() is $v after a key that was $n");
			$n = max($n, $v);
		}
		$v = $s->version();
		check($v >= $version, "version() is $v after $version");
		$version = $v;
	} while (!$done);
	return ['snapshots' => $snapshots, 'seen' => $seen];
}

/**
 * Each kind of change makes version() larger; what changes nothing does not.
 */
function version_grows(array $q): void
{
	$s = new SharedArray('atomic');
	$s->replace(['a' => 1]);
	foreach ([
		'write' => fn () => $s['b'] = 1,
		'put' => fn () => $s->put('b', 'text'),
		'merge' => fn () => $s->merge(['c' => 1, 'd' => 2]),
		'putMany' => fn () => $s->putMany(['c' => 1, 'e' => 2]),
		'replace' => fn () => $s->replace(['a' => 1, 'b' => 2, 'c' => 3, 'd' => 4, 'p:1' => 1, 'p:2' => 2]),
		'increment' => fn () => $s->increment('a'),
		'decrement' => fn () => $s->decrement('a', 2.5),
		'unset' => function () use ($s) { unset($s['a']); },
		'forget' => fn () => $s->forget('b'),
		'forgetMany' => fn () => $s->forgetMany(['c', 'd']),
		'forgetPrefix' => fn () => $s->forgetPrefix('p:'),
	] as $what => $change) {
		$before = $s->version();
		$change();
		check($s->version() > $before, "version() after $what: {$s->version()}, before: $before");
	}
	while ($before !== $s->version()) { // what replace() has put aside is still being cleared away
		$before = $s->version();
		usleep(100_000);
	}
	$s['absent'] ?? null;
	isset($s['absent']);
	unset($s['absent']);
	$s->forget('absent');
	$s->forgetPrefix('absent');
	$s->merge([]);
	$s->keys();
	$s->snapshot();
	count($s);
	$s->scan();
	check_same($before, $s->version(), 'version() after reads and removals of nothing');
}

/**
 * Overwrites a few keys with values of all sizes, each with its own sum.
 */
function sums_write(array $q): void
{
	$s = new SharedArray('sums');
	$s->increment('writers');
	mt_srand((int) $q['id']);
	for ($i = 0; $i < $q['n']; $i++) {
		$data = bytes(1 << mt_rand(0, 16), "$i") . str_repeat('y', mt_rand(0, 300));
		$k = 'sum:' . mt_rand(0, 9);
		$s[$k] = $i % 2 ? md5($data) . $data : ['sum' => md5($data), 'data' => $data];
	}
	$s->decrement('writers');
}

/**
 * Checks the sums of all that it reads while there is a writer.
 */
function sums_read(array $q): int
{
	$s = new SharedArray('sums');
	$read = 0;
	for ($i = 0; !$s->exists('writers') || $s['writers'] > 0; $i++) {
		$values = $i % 50 === 0 ? $s->scan('sum:') : ['sum:' . $i % 10 => $s['sum:' . $i % 10]];
		foreach ($values as $k => $v) {
			if ($v === null) {
				continue;
			}
			[$sum, $data] = is_array($v) ? [$v['sum'], $v['data']] : [substr($v, 0, 32), substr($v, 32)];
			check($sum === md5($data), "$k has the sum that it was written with");
			$read++;
		}
	}
	return $read;
}

/**
 * Stores and removes keys of its own, and keeps a model of what must be left.
 */
function model_change(array $q): array
{
	$s = new SharedArray('modelled');
	mt_srand((int) $q['id']);
	$model = [];
	for ($i = 0; $i < $q['n']; $i++) {
		$k = "{$q['id']}:" . mt_rand(0, 99);
		switch (mt_rand(0, 5)) {
			case 0:
				unset($s[$k], $model[$k]);
				break;
			case 1:
				check_same(isset($model[$k]), $s->forget($k), "forget of $k");
				unset($model[$k]);
				break;
			case 2:
				$model[$k] = is_int($model[$k] ?? 0) ? ($model[$k] ?? 0) + 1 : 1;
				if (is_int($s[$k] ?? 0)) {
					check_same($model[$k], $s->increment($k), "increment of $k");
				} else {
					$s[$k] = $model[$k];
				}
				break;
			case 3:
				$model[$k] = ['i' => $i];
				$s->merge([$k => $model[$k]]);
				break;
			default:
				$model[$k] = str_repeat("$i ", mt_rand(0, 50));
				$s[$k] = $model[$k];
		}
		check_same($model[$k] ?? null, $s[$k], "$k after change $i");
		check_same(isset($model[$k]), $s->exists($k), "exists of $k after change $i");
	}
	return $model;
}

/**
 * Every way to look at the table shows the same keys.
 */
function model_verify(array $q): array
{
	$s = new SharedArray('modelled');
	$all = $s->snapshot();
	$n = count($all);
	check_same($n, count($s), 'count()');
	check_same($n, $s->stats()['count'], "stats()['count']");
	check_same($n, count($s->keys()), 'keys()');
	check_same($n, iterator_count($s), 'foreach');
	check_same($n, count($s->scan()), 'scan()');
	check(same(sorted($all), sorted($s->scan())), 'scan() shows what snapshot() shows');
	check(same(sorted($all), sorted($s->many($s->keys()))), 'many() of keys() shows what snapshot() shows');
	return $all;
}

function sorted(array $a): array
{
	ksort($a, SORT_STRING);
	return $a;
}

/**
 * Snapshots stay what they were, whichever of them are still held when the next one is taken.
 */
function snapshots_held(array $q): void
{
	$s = new SharedArray('atomic');
	mt_srand(1);
	$model = [];
	for ($i = 0; $i < 200; $i++) {
		$model["key:$i"] = [$i];
	}
	$s->replace($model);
	$held = [];
	for ($i = 0; $i < 300; $i++) {
		$k = 'key:' . mt_rand(0, 299);
		if (mt_rand(0, 3) === 0) {
			unset($s[$k], $model[$k]);
		} else {
			$s[$k] = $model[$k] = $i % 2 ? $i : [$k => $i];
		}
		$held[$i] = [$s->snapshot(), sorted($model)];
		check_same(count($model), count($s->keys()), "keys() after change $i");
		while (count($held) > $i % 5) {
			unset($held[array_rand($held)]);
		}
		foreach ($held as $j => [$all, $was]) {
			check(same($was, sorted($all)), "after change $i: the snapshot of change $j");
		}
	}
}
