<?php

namespace Scenario;

use FrankenPHP\SharedArray;
use FrankenPHP\SharedState\InvalidKeyException;

/**
 * Offsets of every type, each with the key that a PHP array makes of it.
 */
function offsets(): array
{
	static $resource = null;
	$resource ??= fopen('php://memory', 'r');
	return [
		'123', 123, '0123', '-0', '-7', '-07', '+1', ' 1', '1 ', '1e3', '1.0', '0x1A', '0', '', null, true, false, 1.5, -1.5, 2.0,
		'9223372036854775807', '9223372036854775808', '-9223372036854775808', '-9223372036854775809', PHP_INT_MAX, PHP_INT_MIN,
		"a\0b", "a\0c", "\0", 'ä', "\xff", implode('', array_map('chr', range(0, 255))), $resource,
	];
}

/**
 * Every offset means the same key as in a PHP array, with the same notices, in every way that there is to use it.
 */
function keys_of_offsets(array $q): void
{
	$s = new SharedArray('keys');
	foreach (offsets() as $i => $offset) {
		$name = 'offset ' . brief($offset);
		$s->replace([]);
		$a = [];
		[, $expected] = with_errors(function () use (&$a, $offset, $i) { $a[$offset] = $i; });
		[, $errors] = with_errors(function () use ($s, $offset, $i) { $s[$offset] = $i; });
		check_same($expected, $errors, "$name: notices of a write");
		check_same($a, $s->snapshot(), "$name: snapshot");
		check_same(array_keys($a), $s->keys(), "$name: keys");
		check_same($a, iterator_to_array($s), "$name: foreach");
		check_same($a, $s->scan(), "$name: scan");

		[, $expected] = with_errors(fn () => $a[$offset]);
		[$value, $errors] = with_errors(fn () => $s[$offset]);
		check_same($i, $value, "$name: read");
		check_same($expected, $errors, "$name: notices of a read");
		[$value] = with_errors(fn () => $s->offsetGet($offset));
		check_same($i, $value, "$name: offsetGet");
		[$value] = with_errors(fn () => isset($s[$offset]) && $s->offsetExists($offset) && !empty($s[$offset]) === ($i > 0));
		check($value, "$name: isset");
		if (is_string($offset) || is_int($offset)) {
			check_same($i, $s->get($offset), "$name: get");
			check_same($a, $s->many([$offset]), "$name: many");
			check($s->exists($offset), "$name: exists");
			check($s->forget($offset), "$name: forget");
			$s->put($offset, $i);
			check_same(1, $s->forgetMany([$offset]), "$name: forgetMany");
			$s->merge([$offset => $i]);
			check_same($a, $s->snapshot(), "$name: merge");
		}
		with_errors(function () use ($s, $offset) { unset($s[$offset]); });
		check_same([], $s->snapshot(), "$name: unset");
	}
	foreach ([[], new \stdClass(), fn () => 1] as $offset) {
		foreach ([
			'read' => fn () => $s[$offset],
			'write' => fn () => $s[$offset] = 1,
			'isset' => fn () => isset($s[$offset]),
			'unset' => function () use ($s, $offset) { unset($s[$offset]); },
			'offsetGet' => fn () => $s->offsetGet($offset),
			'offsetSet' => fn () => $s->offsetSet($offset, 1),
		] as $way => $f) {
			check_throws(\TypeError::class, ['offset'], $f, "$way with an offset of type " . get_debug_type($offset));
		}
	}
	check_same([], $s->snapshot(), 'nothing was stored under what is no offset');
}

/**
 * Many keys that differ little, some of which every PHP array hashes alike.
 */
function keys_all_distinct(array $q): void
{
	$s = new SharedArray('keys');
	$s->replace([]);
	$model = [];
	for ($i = 0; $i < 1 << 12; $i++) { // "Ez" and "FY" have one hash, and so have all words made of them
		$word = '';
		for ($bit = 0; $bit < 12; $bit++) {
			$word .= $i >> $bit & 1 ? 'Ez' : 'FY';
		}
		$model[$word] = $i;
	}
	foreach ([1, 7, 8, 9, 15, 16, 17, 63, 64, 65, 255, 256, 257, 1000, 65535, 65536] as $n) {
		$model[str_repeat('k', $n)] = "k$n";
		$model[str_repeat("\0", $n)] = "0$n";
		$model[str_repeat("\0", $n - 1) . 'z'] = "z$n";
	}
	foreach ($model as $k => $v) {
		$s[$k] = $v;
	}
	check_same(count($model), count($s), 'count');
	foreach ($model as $k => $v) {
		check_same($v, $s[$k], 'key of ' . strlen((string) $k) . ' bytes ' . bin2hex(substr((string) $k, 0, 40)));
	}
	$i = 0;
	foreach (array_keys($model) as $k) { // every other one goes
		if ($i++ % 2 === 0) {
			unset($s[$k], $model[$k]);
		}
	}
	$left = $s->snapshot();
	ksort($left, SORT_STRING);
	ksort($model, SORT_STRING);
	check(same($model, $left), 'after half of the keys went, the others are there with their values');
	check_same(count($model), count($s->keys()), 'keys()');
}

function keys_too_long(array $q): void
{
	$s = new SharedArray('keys');
	$most = str_repeat('k', 64 << 10);
	$s->replace([$most => 'old']);
	check_same('old', $s[$most], 'the longest key');
	$long = $most . 'k';
	$words = ['65537', '65536'];
	foreach ([
		'offset' => fn () => $s[$long] = 1,
		'put' => fn () => $s->put($long, 1),
		'merge' => fn () => $s->merge(['other' => 1, $long => 1]),
		'putMany' => fn () => $s->putMany(['other' => 1, $long => 1]),
		'replace' => fn () => $s->replace(['other' => 1, $long => 1]),
		'increment' => fn () => $s->increment($long),
		'decrement' => fn () => $s->decrement($long),
	] as $way => $f) {
		check_throws(InvalidKeyException::class, $words, $f, "too long a key by $way");
		check_same([$most => 'old'], $s->snapshot(), "the table after too long a key by $way");
	}
	check_same(null, $s[$long], 'no value has a key that is too long');
	check(!$s->exists($long) && !isset($s[$long]) && !$s->forget($long), 'there is no key that is too long');
}

/**
 * scan() and forgetPrefix() take prefixes of any bytes.
 */
function keys_by_prefix(array $q): void
{
	$s = new SharedArray('keys');
	$s->replace(["a\0b:1" => 1, "a\0b:2" => 2, "a\0c:1" => 3, '12' => 4, '120' => 5, '-1' => 6, '' => 7]);
	$sorted = function (array $a): array { ksort($a, SORT_STRING); return $a; };
	check_same(["a\0b:1" => 1, "a\0b:2" => 2], $sorted($s->scan("a\0b:")), 'a prefix with NUL');
	check_same([12 => 4, 120 => 5], $sorted($s->scan('12')), 'a prefix of digits');
	check_same(7, count($s->scan('')), 'the empty prefix');
	check_same(2, count($s->scan('', 2)), 'a limit');
	check_same([], $s->scan('', 0), 'a limit of 0');
	check_throws(\ValueError::class, ['-1'], fn () => $s->scan('', -1), 'a limit below 0');
	check_same(2, $s->forgetPrefix("a\0b"), 'forgetPrefix');
	check_same(5, count($s), 'count after it');
	check_same(0, $s->forgetPrefix('nothing'), 'forgetPrefix of nothing');
	check_same(5, $s->forgetPrefix(''), 'forgetPrefix of all');
	check_same([], $s->keys(), 'keys after it');
}
