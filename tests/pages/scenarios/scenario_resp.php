<?php

// The PHP side of what Redis clients do on the same tables.

namespace Scenario;

use FrankenPHP\SharedArray;

function resp_increment(array $q): void
{
	$s = new SharedArray();
	for ($i = 0; $i < $q['n']; $i++) {
		$s->increment($q['key']);
	}
}

/**
 * Takes from one account and gives to another, each by update().
 */
function resp_transfer(array $q): void
{
	$s = new SharedArray();
	mt_srand((int) $q['seed']);
	for ($i = 0; $i < $q['n']; $i++) {
		$sum = mt_rand(0, 20);
		$s->update('account:' . mt_rand(0, $q['accounts'] - 1), fn (?int $n) => $n - $sum);
		$s->update('account:' . mt_rand(0, $q['accounts'] - 1), fn (?int $n) => $n + $sum);
	}
}

function resp_store(array $q): void
{
	$s = new SharedArray();
	foreach (['int' => -5, 'float' => 0.1, 'string' => '007', 'bytes' => "a\0b\r\n", 'null' => null, 'array' => ['a' => [1, 2.5, 'x'], 5 => true],
		'list' => [], 'suit' => \Suit::Hearts, 'object' => new \Point(1, 2)] as $key => $value) {
		$s["resp:$key"] = $value;
	}
	check_same(9, count($s->scan('resp:')), 'values for clients to read');
}

function resp_verify(array $q): void
{
	$s = new SharedArray();
	foreach (['007' => '007', '1e5' => '1e5', 'Infinity' => 'Infinity', '5' => 5, 'serialized' => 'O:8:"stdClass":0:{}', 'bytes' => "\0\xff"] as $key => $value) {
		check_same($value, $s["client:$key"], "what a client has stored under $key");
	}
	$ttl = $s->ttl('client:ttl');
	check_same(true, $ttl > 99 && $ttl <= 100, "a client's time to live, $ttl");
}

/**
 * Writes and reads values that hold their keys.
 */
function resp_own_values(array $q): void
{
	$s = new SharedArray();
	for ($i = 0; $i < $q['n']; $i++) {
		$key = 'own:' . mt_rand(0, 199);
		if ($i % 2) {
			$s[$key] = "$key:" . str_repeat('y', mt_rand(0, 3000));
		} elseif (!str_starts_with($s[$key] ?? "$key:", "$key:")) {
			check_same("$key:", substr($s[$key], 0, 20), 'a value that holds its key');
		}
	}
}
