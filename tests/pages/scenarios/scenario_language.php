<?php

namespace Scenario;

use FrankenPHP\SharedArray;

/**
 * isset, exists, empty and ?? by what is stored.
 */
function language_isset(array $q): void
{
	$s = new SharedArray('language');
	foreach ([['v', true, false], [0, true, true], [false, true, true], ['', true, true], ['0', true, true], [[], true, true],
		[null, false, true], [0.0, true, true], [[0], true, false], [\Suit::Hearts, true, false], [new \Point(0, 0), true, false]] as [$v, $set, $empty]) {
		$s['k'] = $v;
		$name = brief($v);
		for ($round = 1; $round <= 2; $round++) { // cold, then from the thread's cache
			check_same($set, isset($s['k']), "isset of $name");
			check_same($set, $s->offsetExists('k'), "offsetExists of $name");
			check_same(true, $s->exists('k'), "exists of $name");
			check_same($empty, empty($s['k']), "empty of $name");
			check_same($v ?? 'default', $s['k'] ?? 'default', "?? of $name");
		}
	}
	$s['a'] = ['b' => ['c' => null, 'd' => 1]];
	check(isset($s['a']['b']['d']), 'isset of a nested value');
	check(!isset($s['a']['b']['c']), 'isset of a nested null');
	check(!isset($s['a']['x']['y']) && !isset($s['gone']['x']), 'isset of a nested absence');
	check_same(1, $s['a']['b']['d'], 'a nested read');
	unset($s['k'], $s['k']);
	check(!isset($s['k']) && !$s->offsetExists('k') && !$s->exists('k') && empty($s['k']), 'an absent key');
	[$v, $errors] = with_errors(fn () => $s['k']);
	check_same(null, $v, 'an absent key reads as null');
	check_same([], $errors, 'without a warning');
}

/**
 * The operators that read and then write.
 */
function language_assignments(array $q): void
{
	$s = new SharedArray('language');
	$s['n'] = 5;
	check_same(8, $s['n'] += 3, 'the value of +=');
	check_same(8, $s['n'], '+=');
	$s['n'] **= 2;
	check_same(64, $s['n'], '**=');
	$s['t'] = 'a';
	$s['t'] .= 'b';
	check_same('ab', $s['t'], '.=');
	unset($s['d']);
	check_same('set', $s['d'] ??= 'set', 'the value of ??=');
	$s['d'] ??= 'again';
	check_same('set', $s['d'], '??= on a value');
	$s['null'] = null;
	$s['null'] ??= 1;
	check_same(1, $s['null'], '??= on a stored null');
	unset($s['fresh']);
	$s['fresh'] += 2;
	check_same(2, $s['fresh'], '+= on an absent key');
	check_same('v', $s['x'] = 'v', 'the value of an assignment');
	[$a, $s['y'], $s['z']] = [1, 2, 3];
	check_same([2, 3], [$s['y'], $s['z']], 'destructuring into the table');
	['y' => $y, 'z' => $z] = $s;
	check_same([2, 3], [$y, $z], 'destructuring from the table');
}

/**
 * What PHP would change in place throws and changes nothing.
 */
function language_in_place(array $q): void
{
	$s = new SharedArray('language');
	$stored = ['n' => 1, 'a' => ['b' => [3, 1, 2], 'n' => 1], 'l' => [3, 1, 2], 'o' => new \Point(1, 2), 't' => 'text'];
	$s->replace($stored);
	$f = function (&$x) { $x = 1; };
	foreach ([
		'$s[n]++' => function () use ($s) { $s['n']++; },
		'++$s[n]' => function () use ($s) { ++$s['n']; },
		'$s[n]--' => function () use ($s) { $s['n']--; },
		'$s[a][b] = 1' => function () use ($s) { $s['a']['b'] = 1; },
		'$s[a][] = 1' => function () use ($s) { $s['a'][] = 1; },
		'$s[a][n]++' => function () use ($s) { $s['a']['n']++; },
		'$s[a][n] += 1' => function () use ($s) { $s['a']['n'] += 1; },
		'$s[a][x] ??= 1' => function () use ($s) { $s['a']['x'] ??= 1; },
		'$s[a][b][0] = 1' => function () use ($s) { $s['a']['b'][0] = 1; },
		'$s[absent][x] = 1' => function () use ($s) { $s['absent']['x'] = 1; },
		'unset($s[a][b])' => function () use ($s) { unset($s['a']['b']); },
		'unset($s[a][b][0])' => function () use ($s) { unset($s['a']['b'][0]); },
		'$r = &$s[n]' => function () use ($s) { $r = &$s['n']; },
		'$s[n] = &$r' => function () use ($s) { $r = 5; $s['n'] = &$r; },
		'[&$s[n]]' => function () use ($s) { $x = [&$s['n']]; },
		'sort($s[l])' => function () use ($s) { sort($s['l']); },
		'array_push($s[l], 1)' => function () use ($s) { array_push($s['l'], 1); },
		'f($s[n]) by reference' => function () use ($s, $f) { $f($s['n']); },
		'$s[o]->x = 9' => function () use ($s) { $s['o']->x = 9; },
		'$s[o]->x++' => function () use ($s) { $s['o']->x++; },
		'$s[t][0] = X' => function () use ($s) { $s['t'][0] = 'X'; },
		'foreach ($s[l] as &$v)' => function () use ($s) { foreach ($s['l'] as &$v) { $v = 0; } },
	] as $what => $change) {
		[, $errors] = with_errors(fn () => check_throws(\Error::class,
			$what === '$s[n] = &$r' ? [] : ['increment()', 'put()', SharedArray::class], $change, $what));
		check_same([], $errors, "notices of $what");
		$all = $s->snapshot();
		ksort($all);
		$expected = $stored;
		ksort($expected);
		check(same($expected, $all), "the table after $what: " . brief($all));
	}
	check_throws(\Error::class, ['[]', SharedArray::class], function () use ($s) { $s[] = 1; }, '$s[] = 1');
	check_throws(\Error::class, [], function () use ($s) { $s[][] = 1; }, '$s[][] = 1');
	check_throws(\Error::class, [], function () use ($s) { foreach ($s as &$v) { $v = 0; } }, 'foreach ($s as &$v)');
	$s->offsetSet(null, 'by null');
	check_same('by null', $s[''], 'offsetSet() with null is the key ""');
	unset($s['']);
	check_same(count($stored), count($s), 'count after all of them');
	check_same(9, (function () use ($s) { $o = $s['o']; $o->x = 9; return $o->x; })(), 'an object that was read can be changed');
	check_same(1, $s['o']->x, 'which does not change the stored one');
}

function language_iteration(array $q): void
{
	$s = new SharedArray('language');
	$model = ['a' => 1, 7 => 'x', '-3' => null, '007' => ['y'], 'o' => new \Point(1, 2)];
	$s->replace($model);
	$seen = [];
	foreach ($s as $k => $v) {
		$seen[$k] = $v;
		$s["new:$k"] = 1; // does not show
		unset($s['a']);
		foreach ($s as $inner) {
			break;
		}
	}
	check(same(sorted($model), sorted($seen)), 'foreach walks over the contents at its start: ' . brief($seen));
	check_same(9, count($s), 'what was stored meanwhile is there');
	check_same(\ArrayIterator::class, $s->getIterator()::class, 'getIterator()');
	[$spread] = [[...$s]];
	check_same(9, count($spread), 'spread');
	check_same(9, iterator_count($s), 'iterator_count()');
	$generated = iterator_to_array((function () use ($s) { yield from $s; })());
	check_same(9, count($generated), 'yield from');
}

function language_json(array $q): void
{
	$s = new SharedArray('language');
	$s->replace(['a' => 1, 'list' => [1, 2.5, null], '7' => ['x' => 'ä'], 'suit' => \Suit::Spades]);
	check_same(json_encode($s->snapshot()), json_encode($s), 'json_encode()');
	check_same($s->snapshot(), $s->jsonSerialize(), 'jsonSerialize()');
	check_same('{"in":' . json_encode($s) . '}', json_encode(['in' => $s]), 'json_encode() of an array with the table');
	$s->replace([]);
	check_same('[]', json_encode($s), 'json_encode() of an empty table');
	$s['inf'] = INF;
	check_throws(\JsonException::class, [], fn () => json_encode($s, JSON_THROW_ON_ERROR), 'json_encode() of INF');
	check_same(INF, $s['inf'], 'INF is still there');
}

function language_dump(array $q): void
{
	$s = new SharedArray('language');
	$s->replace(array_combine(array_map(fn ($i) => "dumped:$i", range(1, 100)), range(1, 100)));
	foreach (['var_dump', 'print_r', 'var_export'] as $f) {
		ob_start();
		$f($s);
		$text = ob_get_clean();
		check(str_contains($text, 'SharedArray') && str_contains($text, 'language'), "$f() names class and table: " . brief($text));
		if ($f === 'var_dump') {
			check_same(20, substr_count($text, 'dumped:'), 'the keys that var_dump() shows');
			check(str_contains($text, 'int(100)'), 'var_dump() shows the count');
		}
		check(substr_count($text, 'dumped:') <= 20, "$f() shows at most 20 keys");
	}
	$s->replace(['only' => 1]);
	ob_start();
	var_dump($s, [$s, $s]);
	check_same(3, substr_count(ob_get_clean(), 'only'), 'var_dump() of a few keys, and inside an array');
	$s->forget('only');
	ob_start();
	var_dump($s);
	check_same(0, substr_count(ob_get_clean(), 'only'), 'var_dump() of a key that is gone');
}
