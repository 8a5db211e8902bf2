<?php

// The script of an intervals worker: it registers what it alone knows, and refreshes what it is woken for.

use FrankenPHP\SharedArray;

require __DIR__ . '/scenarios/dispatch.php';

$store = new SharedArray('computed');
$store->increment('worker:starts');
$store->interval('by closure', function () use ($store): array {
	static $n = 0;
	return ['thread' => basename(readlink('/proc/thread-self')), 'n' => ++$n, 'at' => microtime(true)];
}, 0.2);

while (frankenphp_handle_request(function (): void {
	FrankenPHP\SharedState\refresh_intervals();
})) {
}
