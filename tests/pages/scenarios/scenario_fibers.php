<?php

namespace Scenario;

use FrankenPHP\SharedArray;

function fibers_rows(): array
{
	return ['a' => 1, 'b' => ['x'], 'c' => new \Point(1, 2), 'd' => \Suit::Hearts];
}

function fibers_prepare(array $q): void
{
	(new SharedArray('fibers'))->replace(fibers_rows());
}

function walker(SharedArray $s): \Fiber
{
	return new \Fiber(function () use ($s): array {
		$seen = [];
		foreach ($s as $k => $v) {
			$seen[$k] = $v;
			\Fiber::suspend($k);
		}
		ksort($seen);
		return $seen;
	});
}

/**
 * A fiber is suspended in a foreach over the table, and dropped, or resumed, or left there when the request ends.
 */
function fibers(array $q): void
{
	$s = new SharedArray('fibers');
	static $left = [];
	foreach ($left as $old) { // from a request before on this thread
		check_same(fibers_rows(), finish($old), 'what a fiber of an earlier request has seen');
	}
	$left = [];

	$dropped = walker($s);
	check(is_string($dropped->start()), 'the fiber suspends in its first round');
	unset($dropped);

	$resumed = walker($s);
	$resumed->start();
	$scratch = new SharedArray('scratch');
	$scratch->increment('fibers');
	foreach ($s as $v) {
		$s->keys();
		$s->snapshot();
	}
	check_same(fibers_rows(), finish($resumed), 'what a resumed fiber has seen');

	$crossed = array_map(fn () => walker($s), range(1, 5));
	array_map(fn ($f) => $f->start(), $crossed);
	foreach ($crossed as $f) {
		check_same(fibers_rows(), finish($f), 'what one of many fibers has seen');
	}

	$left[] = walker($s);
	end($left)->start();
	match ($q['end'] ?? 'return') {
		'return' => null,
		'exit' => exit('left'),
		'error' => a_function_that_does_not_exist(),
		'fatal' => trigger_error('left', E_USER_ERROR),
	};
}

function finish(\Fiber $f): array
{
	while (!$f->isTerminated()) {
		$f->resume();
	}
	return $f->getReturn();
}
