<?php

namespace Scenario;

use FrankenPHP\SharedArray;
use FrankenPHP\SharedState\{InvalidKeyException, InvalidValueException, SharedStateException, TableFullException, UnavailableException,
	UninitializedException, UnknownTableException, ValueTooLargeException};

function exceptions_have_one_parent(array $q): void
{
	check_same(\RuntimeException::class, get_parent_class(SharedStateException::class), 'parent of SharedStateException');
	foreach ([InvalidKeyException::class, InvalidValueException::class, TableFullException::class, UnavailableException::class,
		UninitializedException::class, UnknownTableException::class, ValueTooLargeException::class] as $class) {
		check_same(SharedStateException::class, get_parent_class($class), "parent of $class");
	}
}

/**
 * Every way to store $value under 'k' must throw the same, and leave both keys and the rest of the table as they were.
 */
function refused_everywhere(SharedArray $s, mixed $value, string $class, array $words, string $what): void
{
	$old = ['k' => ['old', 1], 'other' => 'stays'];
	$s->forgetPrefix(''); // not replace(): what that puts aside is cleared away later, which version() counts
	$s->merge($old);
	$version = $s->version();
	foreach ([
		'[]' => fn () => $s['k'] = $value,
		'offsetSet()' => fn () => $s->offsetSet('k', $value),
		'put()' => fn () => $s->put('k', $value),
		'merge()' => fn () => $s->merge(['other' => 'changed', 'k' => $value, 'new' => 1]),
		'putMany()' => fn () => $s->putMany(['other' => 'changed', 'k' => $value, 'new' => 1]),
		'replace()' => fn () => $s->replace(['k' => $value, 'new' => 1]),
		'[] in an array' => fn () => $s['k'] = ['in' => [1, $value]],
	] as $way => $f) {
		check_throws($class, [...$words, '"k"'], $f, "$what by $way");
		check_same($old['k'], $s['k'], "the old value after $what by $way");
		$all = $s->snapshot();
		ksort($all);
		check_same($old, $all, "the table after $what by $way");
	}
	check_same($version, $s->version(), "the version after $what");
}

function refused_values(array $q): void
{
	$s = new SharedArray('refused');
	$recursive = ['x' => 1];
	$recursive['self'] = &$recursive;
	$closed = fopen('php://memory', 'r');
	fclose($closed);
	$with_closure = (object) ['f' => fn () => 1];
	foreach ([
		'a closure' => [fn () => 1, ['Closure']],
		'a first-class callable' => [strlen(...), ['Closure']],
		'an object that holds a closure' => [$with_closure, ['Closure']],
		'a resource' => [fopen('php://memory', 'r'), ['resource', 'stream']],
		'a closed resource' => [$closed, ['resource']],
		'a recursive array' => [$recursive, ['contains itself']],
		'a generator' => [(function () { yield 1; })(), ['Generator']],
		'an anonymous class' => [new class {}, ['class@anonymous']],
		'a reflection object' => [new \ReflectionClass('Point'), ['ReflectionClass']],
		'a fiber' => [new \Fiber(fn () => 1), ['Fiber']],
		'a weak map' => [new \WeakMap(), ['WeakMap']],
	] as $what => [$value, $words]) {
		refused_everywhere($s, $value, InvalidValueException::class, $words, $what);
	}
	refused_everywhere($s, nested(513), InvalidValueException::class, ['512'], 'an array 513 deep');
	foreach ([bytes((1 << 20) + 1), array_fill(0, 1000, bytes(1100)), new \ArrayObject([bytes(1 << 20)])] as $value) {
		refused_everywhere($s, $value, ValueTooLargeException::class, [(string) (1 << 20)], 'too large ' . get_debug_type($value));
	}
	refused_everywhere(new SharedArray('deny'), new \Point(1, 2), InvalidValueException::class, ['Point', 'deny'], 'an object where they are denied');
	$deny = new SharedArray('deny');
	$deny['suit'] = [\Suit::Hearts];
	check_same([\Suit::Hearts], $deny['suit'], 'an enum where objects are denied');
}

class SubPoint extends \Point
{
}

final class Hider
{
	public function __construct(private mixed $held)
	{
	}
}

final class Mimic
{
	public static ?\Exception $prepared = null;

	public function __serialize(): array
	{
		throw self::$prepared ?? new \Exception("Serialization of 'Point' is not allowed");
	}
}

/**
 * Where only some classes may be stored.
 */
function refused_classes(array $q): void
{
	$s = new SharedArray('listed');
	$list = 'objects serialize Point money ArrayObject';
	foreach ([
		'a class that is not listed' => [new Hider(1), 'Scenario\\Hider'],
		'a subclass' => [new SubPoint(1, 2), 'Scenario\\SubPoint'],
		'an object in a public property' => [new \Point(1, (object) []), 'stdClass'],
		'an object in a private property' => [new \Point(1, 2, new \Point(1, 2, new SubPoint(1, 2))), 'Scenario\\SubPoint'],
		'an object in an array in a property' => [new \Point(1, ['deep' => [new Hider(1)]]), 'Scenario\\Hider'],
		'an object in an internal class' => [new \ArrayObject([new \Point(1, new Hider(1))]), 'Scenario\\Hider'],
	] as $what => [$value, $class]) {
		refused_everywhere($s, $value, InvalidValueException::class, ["an object of class $class (", $list, 'table "listed"'], $what);
	}
	foreach ([
		'Point' => new \Point(1, ['deep' => new \Point(3, \Suit::Hearts)], new \Point(1, new \Money(5, 'EUR'))),
		'Money' => [new \Money(5, 'EUR'), \Plain::One],
		'ArrayObject' => new \ArrayObject([new \Point(1, 'O:8:"stdClass":0:{}')]),
		'a handle' => ['handle' => new SharedArray('rows')],
	] as $what => $value) {
		foreach (['[]' => fn () => $s['k'] = $value, 'merge()' => fn () => $s->merge(['k' => $value])] as $way => $f) {
			$f();
			check_same($value, $s['k'], "$what by $way");
		}
	}
	$deny = new SharedArray('deny');
	$deny['handle'] = new SharedArray('rows');
	check_same(new SharedArray('rows'), $deny['handle'], 'a handle where objects are denied');
	refused_everywhere($deny, [new SharedArray('rows'), new Hider(1)], InvalidValueException::class, ['Hider', 'objects deny'], 'an object beside a handle');
}

/**
 * PHP's refusal of a class becomes ours, but not an exception of the user's with the same text.
 */
function refused_by_its_text(array $q): void
{
	$s = new SharedArray('refused');
	$old = new \Exception("Serialization of 'Point' is not allowed");
	foreach ([null, $old] as Mimic::$prepared) {
		foreach ([
			'[]' => fn () => $s['k'] = new Mimic(),
			'put()' => fn () => $s->put('k', [new Mimic()]),
			'merge()' => fn () => $s->merge(['k' => new Mimic()]),
		] as $way => $f) {
			$thrown = null;
			try {
				$f();
			} catch (\Throwable $thrown) {
			}
			check_same('Exception', get_debug_type($thrown), "what is thrown by $way");
			check(Mimic::$prepared === null || $thrown === $old, "the very exception by $way");
		}
	}
}

/**
 * Stores an object, and reads it after a reload that denies its class.
 */
function refused_after_reload(array $q): void
{
	$s = new SharedArray('narrowed');
	if ($q['narrow'] === 'no') {
		$s['k'] = new \Point(1, 2);
		check_same(new \Point(1, 2), $s['k'], 'the stored object');
		return;
	}
	check_same(new \Point(1, 2), $s['k'], 'the object that was stored before');
	check_throws(InvalidValueException::class, ['Point', 'objects serialize Money', '"k"'], fn () => $s['k'] = new \Point(3, 4), 'its class');
	check_same(new \Point(1, 2), $s['k'], 'the old value');
}

final class Refuser
{
	public function __construct(private int $after, public array $ballast = [])
	{
	}

	public function __serialize(): array
	{
		throw new \DomainException('I am not stored');
	}
}

/**
 * What __serialize() throws reaches the caller, and no part of the value is stored.
 */
function refused_by_the_object(array $q): void
{
	refused_by(new Refuser(1), new SharedArray('refused'));
}

function refused_by(object $o, SharedArray $s): void
{
	$old = ['k' => 'old', 'other' => 'stays'];
	$s->replace($old);
	foreach ([
		'[]' => fn () => $s['k'] = $o,
		'put()' => fn () => $s->put('k', ['a' => 1, 'b' => $o]),
		'merge()' => fn () => $s->merge(['other' => 'changed', 'k' => $o]),
		'putMany()' => fn () => $s->putMany(['other' => 'changed', 'k' => $o]),
		'replace()' => fn () => $s->replace(['k' => $o]),
	] as $way => $f) {
		check_throws(\DomainException::class, ['I am not stored'], $f, "an object that throws by $way");
		$all = $s->snapshot();
		ksort($all);
		check_same($old, $all, "the table after an object that throws by $way");
	}
}

/**
 * A table that is used up refuses what needs memory, changes nothing for it, and does all else.
 */
function refused_when_full(array $q): void
{
	$s = new SharedArray('full');
	$s->replace(['n' => 5, 'f' => 1.5, 'text' => 'old']);
	$model = [];
	$full = null;
	for ($i = 0; $i < 100_000 && $full === null; $i++) {
		try {
			$s["fill:$i"] = $v = bytes(100 + $i % 1000, (string) $i);
			$model["fill:$i"] = $v;
		} catch (TableFullException $e) {
			$full = $e;
		}
	}
	check($full !== null, 'the table gets full');
	if ($full === null) {
		return;
	}
	foreach (['"fill:' . ($i - 1) . '"', 'full', (string) (1 << 20)] as $word) {
		check(str_contains($full->getMessage(), $word), "the message names $word: {$full->getMessage()}");
	}
	$stats = $s->stats();
	check($stats['memory_used'] <= $stats['memory_limit'], "memory used, {$stats['memory_used']}, is within its limit, {$stats['memory_limit']}");
	$payload = $stats['keys_bytes'] + $stats['values_bytes'];
	check($payload > $stats['memory_limit'] * 0.6, "a full table holds more than 60 % of its memory in keys and values: $payload bytes");
	check($stats['refused'] > 0, 'the refused write is counted');

	$large = bytes(200_000);
	foreach ([
		'[]' => fn () => $s['text'] = $large,
		'put()' => fn () => $s->put('text', $large),
		'merge()' => fn () => $s->merge(['n' => 6, 'text' => $large]),
		'putMany()' => fn () => $s->putMany(['n' => 6, 'text' => $large]),
	] as $way => $f) {
		check_throws(TableFullException::class, ['full'], $f, "a large value in a full table by $way");
		check_same('old', $s['text'], "the old value after a full table by $way");
		check_same(5, $s['n'], "the other value after a full table by $way");
	}
	$huge = array_fill_keys(array_map(fn ($i) => "new:$i", range(1, 10)), bytes(200_000));
	check_throws(TableFullException::class, ['full'], fn () => $s->replace($huge), 'replace() with more than the table');
	check_same(count($model) + 3, count($s), 'count of a full table');
	foreach ($model as $k => $v) {
		check($s[$k] === $v, "$k in a full table");
	}
	check_same(6, $s->increment('n'), 'an int changes in a full table');
	check_same(1.0, $s->decrement('f', 0.5), 'a float changes in a full table');
	$s['n'] = 77;
	check_same(77, $s['n'], 'an int takes the place of another in a full table');
	check($s->forget('fill:0') && !$s->exists('fill:0'), 'a key leaves a full table');
	check_same(count($model) - 1, $s->forgetPrefix('fill:'), 'many keys leave it');
	$s['text'] = $large;
	check_same($large, $s['text'], 'then there is room again');
	$s->replace([]);
}

/**
 * What is above the limit of one value is refused for itself: nothing else has to go for it.
 */
function refused_alone(array $q): void
{
	$s = new SharedArray('refused');
	$model = [];
	for ($i = 0; $i < 500; $i++) {
		$model["k$i"] = bytes(50, (string) $i);
	}
	$s->replace($model);
	$v = bytes((1 << 20) + 1);
	for ($i = 0; $i < 20; $i++) {
		check_throws(ValueTooLargeException::class, [], fn () => $s["k$i"] = $v, 'a value above the limit');
	}
	$all = $s->snapshot();
	ksort($all);
	ksort($model);
	check(same($model, $all), 'all other keys are as they were');
}

/**
 * What is no number is no counter, and what has no room in its type is no result.
 */
function refused_numbers(array $q): void
{
	$s = new SharedArray('refused');
	foreach (['abc' => 'string', '12abc' => 'string', '' => 'string', ' 1' => 'string', '01' => 'string', '1.5' => 'string', '-0' => 'string',
		'9223372036854775808' => 'string'] as $text => $kind) {
		$text = (string) $text;
		$s['k'] = $text;
		check_throws(InvalidValueException::class, ['"k"', $kind], fn () => $s->increment('k'), "increment of '$text'");
		check_throws(InvalidValueException::class, ['"k"', $kind], fn () => $s->decrement('k', 2), "decrement of '$text'");
		check_same($text, $s['k'], 'the value that is no number');
	}
	foreach ([[], [1], null, true, false, \Suit::Hearts, new \Point(1, 2)] as $v) {
		$s['k'] = $v;
		check_throws(InvalidValueException::class, ['"k"'], fn () => $s->increment('k'), 'increment of ' . get_debug_type($v));
		check_same($v, $s['k'], 'the value that is no number');
	}
	$s['k'] = '41';
	check_same(42, $s->increment('k'), 'a string that is the text of an int counts as that int');
	check_same(42, $s['k'], 'and becomes an int');
	$s['k'] = '-9';
	check_same(-10, $s->decrement('k'), 'the same below 0');

	$s['max'] = PHP_INT_MAX;
	check_throws(InvalidValueException::class, ['"max"', (string) PHP_INT_MAX], fn () => $s->increment('max'), 'PHP_INT_MAX + 1');
	check_throws(InvalidValueException::class, ['"max"'], fn () => $s->decrement('max', -1), 'PHP_INT_MAX - -1');
	check_throws(InvalidValueException::class, ['"max"'], fn () => $s->decrement('max', PHP_INT_MIN), 'PHP_INT_MAX - PHP_INT_MIN');
	check_same(PHP_INT_MAX, $s['max'], 'PHP_INT_MAX after them');
	$s['min'] = PHP_INT_MIN;
	check_throws(InvalidValueException::class, ['"min"', (string) PHP_INT_MIN], fn () => $s->decrement('min'), 'PHP_INT_MIN - 1');
	check_same(PHP_INT_MIN, $s['min'], 'PHP_INT_MIN after it');
	check_same(0, $s->decrement('min', PHP_INT_MIN), 'PHP_INT_MIN - PHP_INT_MIN');
	$s['minus one'] = -1;
	check_same(PHP_INT_MAX, $s->decrement('minus one', PHP_INT_MIN), '-1 - PHP_INT_MIN');
	$s['zero'] = 0;
	check_throws(InvalidValueException::class, ['"zero"'], fn () => $s->decrement('zero', PHP_INT_MIN), '0 - PHP_INT_MIN');

	unset($s['new'], $s['new float'], $s['new minus']);
	check_same(1, $s->increment('new'), 'an absent key counts as 0');
	check_same(2.5, $s->increment('new', 1.5), 'int and float make a float');
	check_same(1.5, $s->increment('new float', 1.5), 'a new float');
	check_same(-3, $s->decrement('new minus', 3), 'a new negative');
	check_same(-3, $s['new minus'], 'and it is stored');
}

/**
 * A multi-fetch tells a stored null from an absent key.
 */
function null_is_a_value(array $q): void
{
	$s = new SharedArray('refused');
	$s->replace(['null' => null, 'false' => false, 'zero' => 0, 'text' => '']);
	check_same(['null' => null, 'false' => false, 'zero' => 0, 'text' => '', 'gone' => 'default', 7 => 'default'],
		$s->many(['null', 'false', 'zero', 'text', 'gone', 7], 'default'), 'many()');
	check_same(null, $s->get('null', 'default'), 'get() of a stored null');
	check_same('default', $s->get('gone', 'default'), 'get() of an absent key');
	check_same(['null' => null], $s->scan('null'), 'scan()');
	check(array_key_exists('null', $s->snapshot()), 'snapshot() has the stored null');
	check(in_array('null', $s->keys(), true), 'keys() has the stored null');
	check_same(4, count($s), 'count()');
}

/**
 * Values of all sizes come and go in a table that stays three quarters full: none is refused.
 */
function never_refused(array $q): void
{
	$s = new SharedArray('churned');
	$s->forgetPrefix('');
	$room = (int) ($s->stats()['memory_limit'] * 0.75);
	mt_srand(7);
	$model = [];
	$used = 0;
	for ($i = 0; $i < $q['n']; $i++) {
		$k = 'k' . mt_rand(0, 5000);
		$size = (int) (10 * 1.1 ** mt_rand(0, 97)); // 10 bytes to 100 KB, small ones as often as large ones
		$used += $size - ($model[$k] ?? 0);
		$model[$k] = $size;
		while ($used > $room) {
			$gone = array_rand($model);
			$used -= $model[$gone];
			unset($model[$gone], $s[$gone]);
		}
		if (isset($model[$k])) {
			$s[$k] = str_repeat(chr($size % 256), $size);
		}
	}
	check_same(0, $s->stats()['refused'], 'writes that were refused');
	check_same(count($model), count($s), 'count');
	foreach ($model as $k => $size) {
		check($s[$k] === str_repeat(chr($size % 256), $size), "$k of $size bytes");
	}
}
