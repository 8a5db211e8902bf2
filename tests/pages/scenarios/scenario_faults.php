<?php

// Faults that other caches had. Each function is one, by its number.

namespace Scenario;

use FrankenPHP\SharedArray;
use FrankenPHP\SharedState\InvalidValueException;

function fault_038(array $q): void
{
	$s = new SharedArray('unswept');
	foreach (['increment' => 1, 'decrement' => -1] as $way => $expected) {
		$s->put('n', 40, 0.01);
		check_same(40, $s['n'], 'in the thread\'s cache');
		usleep(15_000);
		check_same($expected, $s->$way('n', 1, 10), "$way() of what has expired");
		check($s->ttl('n') > 9, 'with the time to live that was given');
	}
}

function fault_040(array $q): void
{
	$s = new SharedArray('cached');
	$s->forget('window');
	$start = hrtime(true);
	$n = 0;
	for ($sum = 1; $sum >= $n;) {
		$n = $sum;
		$sum = $s->increment('window', 1, 0.5);
		if (hrtime(true) - $start > 5_000_000_000) {
			break;
		}
		usleep(20_000);
	}
	$closed = (hrtime(true) - $start) / 1e9;
	check($n > 3 && $sum === 1, "the window has closed after $n increments");
	check($closed >= 0.5 && $closed < 1.5, "it has closed after $closed seconds");
}

/**
 * Stores a key late in the request.
 */
function fault_041_write(array $q): void
{
	$s = new SharedArray('cached');
	usleep(2_000_000);
	$s->put("late:{$q['key']}", 'here', 1);
	$start = hrtime(true);
	while ($s->exists("late:{$q['key']}")) {
		usleep(1000);
	}
	$life = (hrtime(true) - $start) / 1e9;
	check($life > 0.9 && $life < 1.5, "it has lived for $life seconds in the request that stored it");
}

function fault_041_read(array $q): void
{
	$s = new SharedArray('cached');
	for ($deadline = microtime(true) + 10; !$s->exists("late:{$q['key']}") && microtime(true) < $deadline;) {
		usleep(1000);
	}
	check_same('here', $s["late:{$q['key']}"], 'what another thread reads at once');
	check($s->ttl("late:{$q['key']}") > 0.5, 'its time to live there');
}

function fault_044(array $q): void
{
	$s = new SharedArray('cached');
	$lives = [0.5, 1, 1e-3, new \DateInterval('PT1S'), new \DateTime('+2 seconds'), new \DateTimeImmutable('+2 seconds'), PHP_INT_MAX, 1e18, new \DateInterval('P9999Y')];
	$passed = [-1, 0, -0.0, -1e-9, -0.5, PHP_INT_MIN, -1e18, new \DateInterval('PT0S'), \DateInterval::createFromDateString('-1 second'), new \DateTime('-1 second'),
		new \DateTimeImmutable('1970-01-01'), new \DateTimeImmutable('@-5.5')];
	foreach ($lives as $i => $ttl) {
		$s->put('k', 1);
		check($s->put('k', 2, $ttl) && $s['k'] === 2, "lives $i");
		$left = $s->ttl('k');
		check($i >= 6 ? $left === null : $left > 0 && $left <= 2, "the time to live of lives $i: " . brief($left));
	}
	foreach ($passed as $i => $ttl) {
		$s->put('k', 1);
		check_same([true, false, null], [$s->put('k', 2, $ttl), $s->exists('k'), $s['k']], "put that has passed $i");
		$s->put('k', 1);
		check_same([true, false], [$s->putMany(['k' => 2], $ttl), $s->exists('k')], "putMany that has passed $i");
		check_same([true, false], [$s->add('k', 2, $ttl), $s->exists('k')], "add that has passed $i");
		check_same([5, false], [$s->increment('k', 5, $ttl), $s->exists('k')], "increment that has passed $i");
		$s->put('k', 1);
		check_same([false, 1], [$s->add('k', 2, $ttl), $s['k']], "add over a live row that has passed $i");
		check_same([true, false, false], [$s->touch('k', $ttl), $s->exists('k'), $s->touch('k', $ttl)], "touch that has passed $i");
	}
	$month = (new \DateTimeImmutable())->add(new \DateInterval('P1M'))->getTimestamp() - time();
	$s->put('k', 1, new \DateInterval('P1M'));
	check(abs($s->ttl('k') - $month) < 2, 'a month is one of the calendar');
	foreach ([NAN, INF, -INF, 1e19, -1e300] as $ttl) {
		foreach (['put' => fn () => $s->put('k', 2, $ttl), 'putMany' => fn () => $s->putMany(['k' => 2], $ttl), 'add' => fn () => $s->add('new', 2, $ttl),
			'touch' => fn () => $s->touch('k', $ttl), 'increment' => fn () => $s->increment('k', 1, $ttl), 'decrement' => fn () => $s->decrement('k', 1, $ttl)] as $way => $f) {
			check_throws(\ValueError::class, [sprintf('%s', is_nan($ttl) ? 'NAN' : (is_infinite($ttl) ? 'INF' : 'e+')), $way], $f, "$way for $ttl seconds");
		}
	}
	foreach (['soon', [], new \stdClass()] as $ttl) {
		check_throws(\TypeError::class, ['ttl', 'DateInterval'], fn () => $s->put('k', 2, $ttl), 'put for ' . brief($ttl));
	}
	check_same([1, false], [$s['k'], $s->exists('new')], 'nothing was changed');
}

function fault_046(array $q): void
{
	$s = new SharedArray('cached');
	foreach (['forever' => fn () => $s->forever('k', 1), 'put' => fn () => $s->put('k', 2), 'add' => fn () => $s->forget('k') && $s->add('k', 3),
		'offset' => fn () => $s['k'] = 4, 'merge' => fn () => $s->merge(['k' => 5]), 'increment' => fn () => $s->forget('k') && $s->increment('k')] as $way => $f) {
		$f();
		check_same([true, null], [$s->exists('k'), $s->ttl('k')], "no time to live after $way");
	}
}

function fault_047(array $q): void
{
	$s = new SharedArray('cached');
	$values = ['null' => null, 'bool' => false, 'int' => 7, 'float' => 7.5, 'string' => 'seven', 'long' => bytes(100_000), 'array' => [7], 'enum' => \Suit::Hearts,
		'object' => new \Point(7, 7)];
	foreach (['put', 'over', 'putMany', 'add', 'touch'] as $way) {
		foreach ($values as $k => $v) {
			if ($way !== 'add') {
				$s[$k] = $way === 'put' ? 'another' : $v;
			} else {
				$s->forget($k);
			}
			match ($way) {
				'put', 'over' => $s->put($k, $v, 0.05),
				'putMany' => $s->putMany([$k => $v], 0.05),
				'add' => $s->add($k, $v, 0.05),
				'touch' => $s->touch($k, 0.05),
			};
		}
		$early = hrtime(true);
		foreach ($values as $k => $v) {
			$seen = $s[$k];
			check(same($v, $seen) || hrtime(true) - $early > 30_000_000, "$k lives after $way");
		}
		usleep(60_000);
		foreach ($values as $k => $v) {
			check_same([null, false, 'gone'], [$s[$k], $s->exists($k), $s->get($k, 'gone')], "$k has expired after $way");
		}
	}
}

function fault_053(array $q): void
{
	$s = new SharedArray('cached');
	foreach ([[PHP_INT_MAX, 'increment', 1], [PHP_INT_MIN, 'decrement', 1], [PHP_INT_MAX - 5, 'increment', 6], [PHP_INT_MIN, 'increment', -1], [PHP_INT_MAX, 'decrement', -1],
		[PHP_INT_MIN, 'increment', PHP_INT_MIN], [PHP_FLOAT_MAX, 'increment', PHP_FLOAT_MAX], [-PHP_FLOAT_MAX, 'decrement', PHP_FLOAT_MAX]] as [$n, $way, $by]) {
		$s->put('n', $n, 60);
		check_throws(InvalidValueException::class, ['"n"'], fn () => $s->$way('n', $by), "$way of $n by $by");
		check_same($n, $s['n'], 'the number stays');
		check($s->ttl('n') > 50, 'and its expiry');
	}
	$s['n'] = PHP_INT_MAX - 1;
	check_same(PHP_INT_MAX, $s->increment('n'), 'the largest int itself');
}

function fault_055(array $q): void
{
	$s = new SharedArray('cached');
	$s['n'] = -1;
	check_same([PHP_INT_MAX, PHP_INT_MAX], [$s->decrement('n', PHP_INT_MIN), $s['n']], 'decrement of -1 by PHP_INT_MIN');
	$s['n'] = 0;
	check_throws(InvalidValueException::class, ['"n"'], fn () => $s->decrement('n', PHP_INT_MIN), 'decrement of 0 by PHP_INT_MIN');
	check_same(0, $s['n'], 'the number stays');
	$s->forget('n');
	check_throws(InvalidValueException::class, ['"n"'], fn () => $s->decrement('n', PHP_INT_MIN), 'decrement of nothing by PHP_INT_MIN');
	check(!$s->exists('n'), 'nothing was made');
}

function fault_056(array $q): void
{
	$s = new SharedArray('cached');
	$s->forget('n');
	foreach ([0, null, false, '', []] as $expected) {
		for ($i = 0; $i < 2; $i++) { // the second time the thread knows that the key is absent
			check_same([false, false], [$s->compareAndSet('n', $expected, 1), $s->exists('n')], 'compareAndSet() of nothing with ' . brief($expected));
		}
	}
	$s->put('n', 0, 0.001);
	usleep(2000);
	check_same([false, false], [$s->compareAndSet('n', 0, 1), $s->exists('n')], 'compareAndSet() of what has expired');
	check_same([true, true, 1], [$s->add('n', 0), $s->compareAndSet('n', 0, 1), $s['n']], 'add() is there for it');
}

/**
 * An add() on a key that is there asks the thread's cache, or the lock-free reader, and no one else.
 */
function fault_059(array $q): void
{
	$s = new SharedArray('cached');
	$s->put('taken', 'by one', 100);
	$s->put('taken:long', range(1, 5000), 100); // too long to be read for a look at it
	check_same($s['taken'], $s['taken'], 'the key'); // now the thread knows it
	$before = $s->stats();
	for ($i = 0; $i < 1000; $i++) {
		check($s->add('taken', fn () => 'not even looked at', 5) === false, 'add() on a key that is there');
		check($s->add('taken:long', 'x', 5) === false, 'add() on a long value that is there');
	}
	$after = $s->stats();
	check_same($before['thread']['hits'] + 1000, $after['thread']['hits'], 'answers of the thread\'s cache');
	check_same($before['thread']['reads'] + 1000, $after['thread']['reads'], 'answers of the lock-free reader');
	check_same($before['thread']['locked'], $after['thread']['locked'], 'answers under a lock');
}

function fault_064(array $q): void
{
	$s = new SharedArray('cached');
	$values = [null, false, true, 0, 0.0, -0.0, 1, 1.0, '', '0', '0.0', '1', [], [0], ['0'], [null], [false], [[]], ['a' => 1, 'b' => 2], ['b' => 2, 'a' => 1], [1 => 'x'], ['x'], NAN, INF,
		0.1 + 0.2, 0.3, [0.1 + 0.2], [NAN], [-0.0], [0.0], \Suit::Hearts, \Suit::Spades, \Plain::One, [\Suit::Hearts], new \Point(1, 2), new \Point(1, 3), [new \Point(1, 2)],
		new \Money(5, 'EUR'), str_repeat('x', 5000), str_repeat('x', 5001), range(1, 2000), range(0, 1999)];
	foreach ($values as $i => $stored) {
		foreach ($values as $j => $expected) {
			$s['k'] = $stored;
			$s['k']; // for the thread's cache
			$set = $s->compareAndSet('k', $expected, "new $j");
			check_same($i === $j, $set, 'compareAndSet() of ' . brief($stored) . ' with ' . brief($expected));
			check_same($set ? "new $j" : $stored, $s['k'], 'what it leaves');
		}
		check(!$s->compareAndSet('missing', $stored, 1) && !$s->exists('missing'), 'a missing key is not ' . brief($stored));
	}
	// However an array came to be, equal is equal.
	$hash = ['x' => 0, 0 => 'a', 1 => 'b'];
	unset($hash['x']);
	$packed = ['a', 'b', 'c'];
	array_pop($packed);
	$reference = 'b';
	$late = [];
	$late[0] = 'a';
	$late['1'] = 'b';
	foreach ([$hash, $packed, ['a', &$reference], $late, json_decode('["a","b"]'), array_values(['p' => 'a', 'q' => 'b'])] as $i => $array) {
		$s['k'] = ['a', 'b'];
		check($s->compareAndSet('k', $array, $array) && $s->compareAndSet('k', ['a', 'b'], 1), "array $i equals ['a', 'b']");
	}
	$s['k'] = sqrt(-1.0);
	check($s->compareAndSet('k', $s['k'], 1), 'a NAN that was read');
	$s->put('k', 1, 60);
	check($s->compareAndSet('k', 1, [1]) && $s->ttl('k') > 50, 'the expiry stays, with a value of another kind');
}

function fault_065(array $q): void
{
	$s = new SharedArray('cached');
	foreach (['abc', [], [1], '12abc', '', ' 1', '1 ', '01', '1.5', '-', '-0', '+1', '1e3', '0x1', '9223372036854775808', null, true, false, \Suit::Hearts, new \Point(1, 2)] as $value) {
		foreach (['increment', 'decrement'] as $way) {
			$s->put('k', $value, 60);
			check_throws(InvalidValueException::class, ['"k"'], fn () => $s->$way('k'), "$way() of " . brief($value));
			check_same($value, $s['k'], 'the value stays');
			check($s->ttl('k') > 50, 'and its expiry');
		}
	}
	$s['k'] = '-12';
	check_same([-11, -11], [$s->increment('k'), $s['k']], 'the text of an int is one');
}

function fault_068(array $q): void
{
	$s = new SharedArray('cached');
	$s->replace(['null' => null, 'false' => false, 'zero' => 0, 'empty' => '']);
	for ($i = 0; $i < 2; $i++) {
		check_same(['null' => null, 'missing' => 'd', 'false' => false, 'zero' => 0, 'empty' => ''], $s->many(['null', 'missing', 'false', 'zero', 'empty'], 'd'), 'many()');
		foreach (['null' => null, 'false' => false, 'zero' => 0, 'empty' => '', 'missing' => 'd'] as $k => $v) {
			check_same([$v, $k !== 'missing'], [$s->get($k, 'd'), $s->exists($k)], "get() and exists() of $k");
		}
	}
	foreach (['null' => null, 'false' => false, 'missing' => 'd'] as $k => $v) {
		check_same($v, $s->pull($k, 'd'), "pull() of $k");
	}
}

function fault_043(array $q): void
{
	$s = new SharedArray('cached');
	$s->forget('entry');
	$runs = 0;
	$compute = function () use (&$runs) { return ++$runs; };
	check_same(1, $s->remember('entry', 0.05, $compute), 'computed');
	check_same(1, $s->remember('entry', 0.05, $compute), 'remembered');
	usleep(60_000);
	check_same(2, $s->remember('entry', 0.05, $compute), 'computed again after its life');
}

function fault_050(array $q): void
{
	$s = new SharedArray('cached');
	$s->forget('none');
	$s['for ever'] = 1;
	$s->put('brief', 1, 60);
	check_same([null, false], [$s->ttl('none'), $s->exists('none')], 'an absent key');
	check_same([null, true], [$s->ttl('for ever'), $s->exists('for ever')], 'a key without an expiry');
	check($s->ttl('brief') > 0 && $s->ttl('brief') <= 60, 'a key with one');
	$s->put('brief', 1, PHP_INT_MAX);
	check_same([null, true], [$s->ttl('brief'), $s->exists('brief')], 'a life too long to count');
}
