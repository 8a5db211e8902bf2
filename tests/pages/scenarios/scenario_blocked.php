<?php

// Requests that wait without bound, and what they leave behind when PHP is stopped.

namespace Scenario;

use FrankenPHP\SharedChannel;
use FrankenPHP\SharedCounter;
use FrankenPHP\SharedFlag;
use FrankenPHP\SharedMutex;
use FrankenPHP\SharedState\WaitCancelledException;

function blocked_clear(array $q): void
{
	SharedMutex::remove('blocked');
	SharedFlag::remove('blocked');
	SharedFlag::remove('blocked: held');
	SharedChannel::remove('blocked');
	SharedCounter::remove('blocked');
	locks_clear($q);
	check(locks()->lock('blocked', 0, 'taker')->acquire(), 'the lock is free');
}

/**
 * Has the mutex until PHP is stopped and a moment longer, so that who waits is ended and does not get it.
 */
function blocked_hold(array $q): void
{
	register_shutdown_function(fn () => usleep(200_000));
	mutex('blocked')->withLock(function () {
		(new SharedFlag(false, 'blocked: held'))->set(true);
		try {
			(new SharedFlag(false, 'blocked'))->wait(INF);
		} catch (WaitCancelledException) {
			usleep(200_000);
		}
	});
}

function blocked_held(array $q): bool
{
	return (new SharedFlag(false, 'blocked: held'))->wait(10);
}

function blocked_wait(array $q): string
{
	(new SharedCounter(0, 'blocked'))->add();
	try {
		match ($q['in']) {
			'withLock' => mutex('blocked')->withLock(fn () => 1),
			'block' => locks()->lock('blocked')->block(INF),
			'recv' => (new SharedChannel(1, 'blocked'))->recv(),
			'wait' => (new SharedFlag(false, 'blocked'))->wait(INF),
		};
		return 'the wait has come to its end';
	} catch (\Throwable $e) {
		return $e::class;
	} finally {
		echo 'FINALLY ';
	}
}

function blocked_count(array $q): int
{
	return (new SharedCounter(0, 'blocked'))->get();
}

/**
 * Who waited has nothing, and waits no more.
 */
function blocked_after(array $q): void
{
	check_same('free', mutex('blocked')->tryWithLock(fn () => 'free'), 'the mutex is free');
	$l = locks()->restoreLock('blocked', 'taker');
	check($l->release() && $l->isOwnedBy(null), 'the lock was still its owner\'s, and nobody was next');
	$c = new SharedChannel(1, 'blocked');
	check($c->trySend('for nobody')->isOk() && count($c) === 1, 'nobody receives');
	check_same('for nobody', $c->tryRecv()->valueOr('gone'), 'but this request');
	check(!(new SharedFlag(false, 'blocked'))->get(), 'the flag was never set');
}

/**
 * Adds to a number that only the lock or the mutex protects, as often as it gets it until a moment, and notes for how many
 * microseconds it has waited.
 *
 * @return array{n: int, mean: float, most: float}
 */
function crowd_loop(array $q): array
{
	set_time_limit(0);
	$s = locks();
	$l = $s->lock('crowd', 0, null, true);
	$m = mutex('crowd', 0);
	$n = 0;
	$sum = $most = 0.0;
	$waited = function (int $since) use (&$sum, &$most, &$n): void {
		$us = (hrtime(true) - $since) / 1000;
		$sum += $us;
		$most = max($most, $us);
		$n++;
	};
	while (microtime(true) < $q['until']) {
		$since = hrtime(true);
		if ($q['on'] === 'lock') {
			$l->block(60);
			$waited($since);
			$s['crowd'] = ($s['crowd'] ?? 0) + 1;
			check($l->release(), 'it is its own lock');
		} else {
			$m->withLock(function (int &$value) use ($waited, $since) {
				$waited($since);
				$value++;
			});
		}
	}
	return ['n' => $n, 'mean' => $sum / max($n, 1), 'most' => $most];
}

function crowd_clear(array $q): void
{
	locks_clear($q);
	SharedMutex::remove('crowd');
}

function crowd_sum(array $q): int
{
	return $q['on'] === 'lock' ? locks()['crowd'] : mutex_value(mutex('crowd'));
}
