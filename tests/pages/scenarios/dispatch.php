<?php

// Runs the scenario that the query names and answers with what it found, as JSON. Both modes come through here.

use FrankenPHP\SharedArray;

require __DIR__ . '/checks.php';
require __DIR__ . '/classes.php';
foreach (glob(__DIR__ . '/scenario_*.php') as $file) {
	require $file;
}

function dispatch(): void
{
	Checks::reset();
	Trap::$armed = null;
	if (isset($_GET['ready'])) { // asks for nothing but PHP
		return;
	}
	header('Content-Type: application/json');
	if (isset($_GET['meet'])) {
		meet($_GET['meet'], (int) $_GET['of']);
	}
	$value = ('Scenario\\' . $_GET['do'])($_GET);
	echo json_encode([
		'thread' => basename(readlink('/proc/thread-self')),
		'request' => (new SharedArray())->stats()['thread']['request'],
		'checks' => Checks::$made,
		'failures' => Checks::$failed,
		'value' => $value,
	], JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE);
}

/**
 * Waits until so many requests are at this point: then each of them has a thread of its own.
 */
function meet(string $name, int $of): void
{
	$s = new SharedArray('meetings');
	$s->increment($name);
	for ($deadline = microtime(true) + 20; $s[$name] < $of;) {
		if (microtime(true) > $deadline) {
			throw new RuntimeException("only {$s[$name]} of $of requests came to $name");
		}
		usleep(200);
	}
}
