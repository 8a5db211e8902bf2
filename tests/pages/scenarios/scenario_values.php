<?php

namespace Scenario;

use FrankenPHP\SharedArray;
use FrankenPHP\SharedState\InvalidValueException;
use FrankenPHP\SharedState\ValueTooLargeException;

const MAX_VALUE = 1 << 20;

/**
 * As many bytes, of every value, and the same ones each time.
 */
function bytes(int $n, string $seed = ''): string
{
	$s = '';
	for ($i = 0; strlen($s) < $n; $i++) {
		$s .= hash('sha512', "$seed$i", true);
	}
	return substr($s, 0, $n);
}

function nested(int $depth): array
{
	$v = [];
	for ($i = 1; $i < $depth; $i++) {
		$v = [$v];
	}
	return $v;
}

/**
 * @return array<string, mixed> what must come back as it went in
 */
function cases(): array
{
	$left_by_reference = ['a' => 1, 'b' => [2, 3], 'c' => 'x'];
	foreach ($left_by_reference as &$v) {
	}
	foreach ($left_by_reference['b'] as &$w) {
	}
	$all_bytes = implode('', array_map('chr', range(0, 255)));
	$point = new \Point(1, 2.5);
	return [
		'null' => null,
		'true' => true,
		'false' => false,
		'zero' => 0,
		'PHP_INT_MAX' => PHP_INT_MAX,
		'PHP_INT_MIN' => PHP_INT_MIN,
		'2**53+1' => 2 ** 53 + 1,
		'INF' => INF,
		'-INF' => -INF,
		'NAN' => NAN,
		'-0.0' => -0.0,
		'0.0' => 0.0,
		'1.0' => 1.0,
		'1e308' => 1e308,
		'0.1+0.2' => 0.1 + 0.2,
		'PHP_FLOAT_MIN' => PHP_FLOAT_MIN,
		'PHP_FLOAT_EPSILON' => PHP_FLOAT_EPSILON,
		'empty string' => '',
		'NUL' => "\0",
		'0xff' => "\xff",
		'NUL inside' => "a\0b",
		'numeric string' => '007',
		'int-like string' => '12',
		'all bytes' => $all_bytes,
		'4 KiB less 1' => bytes(4095),
		'4 KiB' => bytes(4096),
		'64 KiB and 1' => bytes((64 << 10) + 1),
		'1 MiB less the overhead' => bytes(MAX_VALUE - 64),
		'1 MiB' => bytes(MAX_VALUE),
		'1 MiB less the overhead in an array' => ['data' => bytes(MAX_VALUE - 64)],
		'[]' => [],
		'list' => [1, 2, 3],
		'mixed keys' => ['a' => 1, '0' => 2, 5 => 'x'],
		'order of keys' => [5 => 'x', 0 => 2, 'a' => 1, -3 => null],
		'int-like keys' => [1 => 'a', '01' => 'b', -5 => 'c', '-0' => 'd', '9223372036854775808' => 'e'],
		'empty parts' => ['', [], [[]], ['' => ''], null],
		'list with a gap' => [0 => 'a', 2 => 'c'],
		'binary keys' => ["a\0b" => 1, "a\0c" => 2, $all_bytes => 3],
		'floats inside' => [INF, -INF, NAN, -0.0, 1.0, 2 => 1.5],
		'1,000 ints' => range(1, 1000),
		'512 deep' => nested(512),
		'left by foreach with a reference' => $left_by_reference,
		'backed enum' => \Suit::Hearts,
		'plain enum' => \Plain::Two,
		'enums inside' => [\Suit::Spades, 'p' => [\Plain::One, \Plain::One]],
		'object' => $point,
		'object with private parts' => new \Point(1, ['k' => "v\0"], new \Point(3, null)),
		'object that serializes itself' => new \Money(1234, 'EUR'),
		'object of PHP' => new \DateTimeImmutable('2024-02-29 12:00:00.123456', new \DateTimeZone('UTC')),
		'ArrayObject' => new \ArrayObject(['x' => [1, 2]]),
		'stdClass' => (object) ['a' => 1, '0' => (object) []],
		'objects inside' => ['p' => new \Point(PHP_INT_MIN, -0.0), [new \Money(1, 'USD'), \Suit::Hearts]],
		'one object twice' => [$point, $point],
	];
}

function values_write(array $q): int
{
	$s = new SharedArray('values');
	$cases = cases();
	$s->replace([]);
	match ($q['by']) {
		'offset' => array_walk($cases, function ($v, $k) use ($s) { $s[$k] = $v; }),
		'put' => array_walk($cases, fn ($v, $k) => $s->put($k, $v)),
		'merge' => $s->merge($cases),
		'putMany' => $s->putMany($cases),
		'replace' => $s->replace($cases),
	};
	return count($s);
}

/**
 * Reads every case in every way, twice: the second time from the thread's cache.
 */
function values_verify(array $q): void
{
	$s = new SharedArray('values');
	$cases = cases();
	check_same(count($cases), count($s), 'count');
	for ($round = 1; $round <= 2; $round++) {
		$ways = [
			'many' => $s->many(array_keys($cases), 'absent'),
			'snapshot' => $s->snapshot(),
			'scan' => $s->scan(),
			'foreach' => iterator_to_array($s),
		];
		foreach ($cases as $name => $expected) {
			check_same($expected, $s[$name], "$name, read $round");
			check_same($expected, $s->get($name, 'absent'), "$name by get(), read $round");
			check($s->exists($name), "$name exists, read $round");
			check_same($expected !== null, isset($s[$name]), "isset of $name, read $round");
			foreach ($ways as $way => $values) {
				check(array_key_exists($name, $values), "$name is in $way, read $round");
				check_same($expected, $values[$name] ?? null, "$name by $way, read $round");
			}
		}
	}
	$twice = $s['one object twice'];
	check($twice[0] === $twice[1], 'an object that was in an array twice is there once');
	check($s['object'] !== $s['object'], 'each read of an object gives one of its own');
}

/**
 * An array that came out of the store is the reader's own.
 */
function values_are_copies(array $q): void
{
	$s = new SharedArray('values');
	$s['a'] = ['x' => [1]];
	$a = $s['a'];
	$a['x'][] = 2;
	$a['y'] = 3;
	check_same(['x' => [1]], $s['a'], 'the stored array after its copy was changed');
	$all = $s->snapshot();
	$all['a']['x'] = 'changed';
	check_same(['x' => [1]], $s->snapshot()['a'], 'the snapshot after its copy was changed');
	$source = ['k' => 'v'];
	$s['b'] = $source;
	$source['k'] = 'w';
	check_same(['k' => 'v'], $s['b'], 'the stored array after its source was changed');
	$o = $s['o'] = new \Point(1, 2);
	$o->x = 9;
	check_same(1, $s['o']->x, 'the stored object after its source was changed');
	$text = 'abc';
	$s['t'] = $text;
	$text[0] = 'X';
	check_same('abc', $s['t'], 'the stored string after its source was changed');
	$t = $s['t'];
	$t[0] = 'Y';
	check_same('abc', $s['t'], 'the stored string after its copy was changed');
}

/**
 * Just below the limit, at it, above it, for strings and for arrays.
 */
function values_at_limit(array $q): void
{
	$s = new SharedArray('limited');
	$limit = 1000;
	foreach ([$limit - 1, $limit] as $n) {
		$s['k'] = $v = bytes($n);
		check_same($v, $s['k'], "a string of $n bytes");
	}
	check_throws(ValueTooLargeException::class, [(string) ($limit + 1), (string) $limit, 'limited', '"k"'],
		fn () => $s['k'] = bytes($limit + 1), 'a string above the limit');
	check_same($v, $s['k'], 'the old value after a string was too large');

	$fits = null;
	for ($n = $limit - 32; $n <= $limit + 1; $n++) {
		$v = ['x' => bytes($n)];
		$old = $s['a'];
		try {
			$s['a'] = $v;
			check_same($v, $s['a'], "an array with $n bytes");
			check($fits !== false, "an array with $n bytes fits though a smaller one did not");
			$fits = true;
		} catch (ValueTooLargeException $e) {
			check($fits !== null, "an array with $n bytes does not fit");
			check(str_contains($e->getMessage(), (string) $limit), "the limit is named: {$e->getMessage()}");
			check_same($old, $s['a'], 'the old value after an array was too large');
			$fits = false;
		}
	}
	check($fits === false, 'an array of more than the limit fits');
	$s['n'] = PHP_INT_MAX;
	check_same(PHP_INT_MAX, $s['n'], 'a number has no length');
}

/**
 * Arrays deeper than the limit are refused, however deep they are, and no stack overflows.
 */
function values_too_deep(array $q): void
{
	$s = new SharedArray('values');
	$s['deep'] = 'old';
	foreach ([513, 514, 10_000, 1_000_000] as $depth) {
		$v = nested($depth);
		check_throws(InvalidValueException::class, ['512'], fn () => $s['deep'] = $v, "$depth deep");
		check_throws(InvalidValueException::class, ['512'], fn () => $s->merge(['deep' => $v]), "$depth deep in merge()");
		check_same('old', $s['deep'], "the old value after one $depth deep");
		while ($v !== []) { // level by level: PHP would free it by recursion
			$v = $v[0];
		}
	}
	$s['deep'] = nested(512);
	check_same(nested(512), $s['deep'], '512 deep');
}

/**
 * `$q['size']` bytes in one string: refused, whatever a 32-bit length would make of it.
 */
function values_huge(array $q): void
{
	ini_set('memory_limit', -1);
	$s = new SharedArray('values');
	$s['huge'] = 'old';
	$v = str_repeat('x', (int) $q['size']);
	check_throws(ValueTooLargeException::class, [$q['size'], (string) MAX_VALUE], fn () => $s['huge'] = $v, 'a huge string');
	check_throws(ValueTooLargeException::class, [(string) MAX_VALUE], fn () => $s['huge'] = ['in' => $v], 'a huge string in an array');
	check_same('old', $s['huge'], 'the old value');
}
