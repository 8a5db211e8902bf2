<?php

namespace Scenario;

use FrankenPHP\SharedArray;

function nothing(array $q): void
{
}

/**
 * Stores one string under one key.
 */
function write(array $q): void
{
	$s = new SharedArray();
	$s[$q['key']] = $q['value'];
}

function read(array $q): mixed
{
	return (new SharedArray($q['table'] ?? null))[$q['key']];
}

/**
 * Adds 1 so many times, by the method: none may be lost.
 */
function increment(array $q): int
{
	$s = new SharedArray();
	for ($i = 0; $i < $q['times']; $i++) {
		$s->increment($q['key']);
	}
	return $s[$q['key']];
}

/**
 * The rows that reloads, restarts and refused configs must not touch.
 */
function rows_write(array $q): void
{
	$rows = [];
	for ($i = 0; $i < 200; $i++) {
		$rows["row:$i"] = rows_value($i);
	}
	(new SharedArray('rows'))->merge($rows);
}

function rows_value(int $i): mixed
{
	return match ($i % 5) {
		0 => $i,
		1 => $i / 7,
		2 => "text $i \0 \xff",
		3 => ['id' => $i, 'list' => [$i, "$i", null, true], 7 => ['deep' => [$i]]],
		4 => \Suit::Hearts,
	};
}

/**
 * One row after another, all of them at once, and a write of one's own.
 */
function rows_verify(array $q): void
{
	check(class_exists(SharedArray::class, false), 'the class is there');
	check(extension_loaded('frankenshare'), 'the extension is loaded');
	$s = new SharedArray('rows');
	$all = $s->snapshot();
	for ($i = 0; $i < 200; $i++) {
		check_same(rows_value($i), $s["row:$i"], "row:$i");
		check_same(rows_value($i), $all["row:$i"] ?? null, "snapshot of row:$i");
	}
	check_same(200, count($s), 'count');
	$scratch = new SharedArray('scratch');
	$mine = bin2hex(random_bytes(8));
	$scratch[$mine] = $mine;
	check_same($mine, $scratch[$mine], 'a write of its own');
	check($scratch->forget($mine), 'the write of its own was there to forget');
}

function stats(array $q): array
{
	return (new SharedArray($q['table'] ?? null))->stats();
}

function opcache_restart(array $q): bool
{
	return opcache_reset();
}

/**
 * Which table the request's site has chosen, and who the request is.
 */
function who(array $q): array
{
	static $served = 0;
	$s = new SharedArray();
	$stats = $s->stats();
	return [
		'table' => $stats['table'],
		'request' => $stats['thread']['request'],
		'served' => ++$served,
		'client' => $q['client'],
		'mark' => $s['mark'],
	];
}

/**
 * What the option max_value of a table comes to: the longest string that it takes.
 */
function max_value(array $q): int
{
	$s = new SharedArray($q['table']);
	for ($n = (int) $q['from']; $n <= $q['to']; $n++) {
		try {
			$s['probe'] = str_repeat('x', $n);
		} catch (\FrankenPHP\SharedState\ValueTooLargeException) {
			return $n - 1;
		}
	}
	return $n - 1;
}

function table_exists(array $q): bool
{
	try {
		new SharedArray($q['table']);
		return true;
	} catch (\FrankenPHP\SharedState\UnknownTableException) {
		return false;
	}
}
