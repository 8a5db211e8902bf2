<?php

// Locks: what each call answers, and holders that come to every kind of end.

namespace Scenario;

use FrankenPHP\SharedArray;
use FrankenPHP\SharedCounter;
use FrankenPHP\SharedLock;
use FrankenPHP\SharedState\DeadlockException;
use FrankenPHP\SharedState\LockTimeoutException;
use FrankenPHP\SharedState\TableFullException;
use FrankenPHP\SharedState\WaitCancelledException;

function locks(): SharedArray
{
	return new SharedArray('locks');
}

function locks_clear(array $q): void
{
	locks()->replace([]);
	locks()->flushLocks();
}

/**
 * The cases of Laravel's lock stores, by their names.
 */
function locks_basics(array $q): void
{
	$s = locks();
	locks_clear($q);
	$foo = fn (float $seconds = 0, ?string $owner = null): SharedLock => $s->lock('foo', $seconds, $owner);

	$a = $foo(10);
	check($a->isOwnedBy(null), 'isOwnedBy(null) before acquire');
	check($a->acquire() && !$a->acquire() && !$foo(10)->acquire(), 'cannot acquire a lock twice');
	check(!$foo()->release() && $a->isOwnedByCurrentProcess(), 'another owner cannot release a lock');
	$foo()->forceRelease();
	check($a->isOwnedBy(null), 'another owner can force-release a lock');
	check(!$a->release(), 'releasing after already force-released fails');
	check($a->acquire() && $a->release() && $a->acquire() && $a->release(), 'can acquire a lock again after release');
	check(!$a->release(), 'a second release fails');

	$brief = $foo(0.1);
	check($brief->acquire() && !$foo()->acquire(), 'until it expires it is held');
	usleep(110_000);
	check($brief->getRemainingLifetime() === null && $brief->isOwnedBy(null), 'lifetime of an expired lock');
	check(!$brief->refresh() && !$brief->refresh(5), 'an expired lock is not revived');
	check($foo()->get(fn () => true), 'can acquire a lock again after expiry');

	$for_ever = $foo();
	check($for_ever->acquire() && $for_ever->getRemainingLifetime() === null, 'a lock with no expiration never expires');
	check($for_ever->refresh() && $for_ever->getRemainingLifetime() === null, 'refresh on a permanent lock returns true');
	check(!$foo()->refresh(), 'but not for another owner');
	check($for_ever->refresh(5) && $for_ever->getRemainingLifetime() <= 5, 'and gives it a life when told to');
	$for_ever->release();

	$mine = $foo(10);
	$mine->acquire();
	$restored = $s->restoreLock('foo', $mine->owner());
	check($restored->isOwnedBy($mine->owner()) && $restored->isOwnedByCurrentProcess(), 'owner status can be checked after restoring');
	check(!$s->restoreLock('foo', 'other')->isOwnedByCurrentProcess() && !$restored->isOwnedBy('other') && !$restored->isOwnedBy(null), 'another owner does not own it after restoring');
	check($restored->refresh() && $mine->getRemainingLifetime() <= 10, 'a restored lock has no life of its own to refresh to');
	check($restored->release() && !$mine->release(), 'release using the owner token');
	check(!$s->restoreLock('nothing', 'x')->isOwnedByCurrentProcess() && $s->restoreLock('nothing', 'x')->isOwnedBy(null), 'restoring a lock that does not exist owns nothing');

	check(!$mine->refresh(), 'refresh returns false when the lock does not exist');
	$mine->acquire();
	check(!$foo(5)->refresh() && !$foo(5)->refresh(7), 'refresh returns false when not owned');
	check($mine->refresh(100) && $mine->getRemainingLifetime() > 90, 'refresh with a custom ttl');
	check($mine->refresh() && $mine->getRemainingLifetime() <= 10, 'refresh goes back to the original ttl');
	check($foo()->getRemainingLifetime() > 5, 'the lifetime is told to anybody');
	foreach ([0, -1, 0.0, -0.5, NAN, INF] as $n) {
		check_throws(\ValueError::class, ['#1'], fn () => $mine->refresh($n), "refresh by $n throws");
		check_throws(\ValueError::class, ['#1'], fn () => $foo()->refresh($n), "refresh by $n throws even when not owned");
	}
	foreach ([-1, -0.1, NAN, new \DateTime('@0'), new \DateInterval('PT0S')] as $n) {
		check_throws(\ValueError::class, ['$seconds'], fn () => $s->lock('foo', $n), 'a life that is none');
	}
	check_throws(\TypeError::class, ['$seconds'], fn () => $s->lock('foo', null), 'no life');
	check_throws(\ValueError::class, ['-1'], fn () => $mine->block(-1), 'a negative wait');

	$s['foo'] = 'value';
	check_same('value', $s->remember('foo', null, fn () => 'other'), 'remember() with the key of a held lock works');
	$s->flush();
	check($mine->isOwnedByCurrentProcess(), 'flush() leaves locks');
	$s['foo'] = 'value';
	check($s->flushLocks() && $mine->isOwnedBy(null), 'locks can be flushed');
	check_same('value', $s['foo'], 'and that leaves keys');

	check_same('result', $foo()->get(fn () => 'result'), 'get() runs the callback and returns its value');
	check_same([null, false], [$foo()->get(fn () => null), $foo()->get(fn () => false)], 'whatever that is');
	check_throws(\DomainException::class, ['failed'], fn () => $foo()->get(fn () => throw new \DomainException('failed')), 'get() passes an exception on');
	check($foo()->isOwnedBy(null), 'and releases after it');
	check_throws(\DomainException::class, ['failed'], fn () => $foo()->block(1, fn () => throw new \DomainException('failed')), 'block() passes an exception on');
	check($foo()->isOwnedBy(null), 'a failed block callback releases');
	$a = $foo(0, 'a');
	check($a->get() === true && $foo()->get() === false && $foo()->get(fn () => check(false, 'ran')) === false, 'get() is false when taken');
	$a->release();
}

/**
 * A lock that another request has: this one takes it and leaves it held.
 */
function lock_take(array $q): int
{
	check(locks()->lock($q['name'], (float) ($q['seconds'] ?? 0), 'taker')->acquire(), 'the lock is free');
	return locks()->restoreLock($q['name'], 'taker')->isOwnedByCurrentProcess() ? 1 : 0;
}

function locks_waits(array $q): void
{
	$s = locks();
	check($s->lock('taken')->isOwnedBy('taker'), 'another request has it');
	check_throws(LockTimeoutException::class, ['"taken"', '"locks"', '0.02'], fn () => $s->lock('taken')->block(0.02), 'block() for what does not come');
	check_throws(LockTimeoutException::class, ['0 seconds'], fn () => $s->lock('taken')->block(0), 'block(0)');
	check(!$s->restoreLock('taken', 'x')->release() && $s->restoreLock('taken', 'taker')->release(), 'its owner is known by name');
	check_same(true, $s->lock('taken', 0, 'me')->block(1), 'block() without a callback keeps the lock');
	check_throws(DeadlockException::class, ['"taken"'], fn () => $s->lock('taken')->block(INF), 'a wait for what this request has');
	$fiber = new \Fiber(fn () => $s->lock('fiber')->get(fn () => \Fiber::suspend()));
	$fiber->start();
	check_throws(DeadlockException::class, ['"fiber"'], fn () => $s->lock('fiber')->block(INF), 'a wait for what another fiber has');
	$fiber->resume();
	check_same('mine', $s->lock('fiber')->block(INF, fn () => 'mine'), 'which has given it back');
	check($s->restoreLock('taken', 'me')->release(), 'and release');
}

function lock_identity(array $q): void
{
	$l = locks()->lock('identity');
	check_throws(\Error::class, ['clone'], fn () => clone $l, 'clone');
	check_throws(\Exception::class, ['not allowed'], fn () => serialize($l), 'serialize');
	check_throws(\Exception::class, ['not allowed'], fn () => unserialize('O:21:"FrankenPHP\SharedLock":0:{}'), 'unserialize');
	check_throws(\Error::class, ['dynamic property'], function () use ($l) { $l->more = 1; }, 'a dynamic property');
	check_throws(\Error::class, ['private'], fn () => new SharedLock(), 'new');
	check_throws(\FrankenPHP\SharedState\InvalidValueException::class, ['SharedLock'], fn () => locks()->put('l', $l), 'a lock is no value');
	check($l != locks()->lock('identity') && $l == $l, 'a lock equals itself alone');
	check(preg_match('/^[0-9a-f]{32}$/', $l->owner()) === 1 && $l->owner() !== locks()->lock('identity')->owner(), 'an owner of its own');
	check_same(0, $l->token(), 'no token yet');
	$l->get(fn () => 1);
	$first = $l->token();
	$l->get(fn () => 1);
	check($first > 0 && $l->token() > $first, 'the token grows');
}

/** Fault 70: A's life ends, B has the lock, A releases. */
function lock_late_release(array $q): void
{
	$s = locks();
	$a = $s->lock('late', 0.05);
	$a->acquire();
	usleep(60_000);
	$b = $s->lock('late', 60);
	check($b->acquire() && $b->token() > $a->token(), 'B has it, with a larger token');
	check(!$a->release() && !$a->refresh() && $b->isOwnedByCurrentProcess(), 'a late release frees nothing');
	check($b->release(), 'B has it still');
}

/** Fault 73: waited longer than the lock lives. */
function lock_waits_longer_than_it_lives(array $q): void
{
	$l = locks()->lock('taken', 0.3);
	check($l->block(30) && $l->getRemainingLifetime() > 0.2 && $l->isOwnedByCurrentProcess(), 'the whole life from the acquisition');
	check($l->release(), 'and it is there to be released');
}

/** Fault 74: the same object takes the lock again after its life. */
function lock_again(array $q): void
{
	$l = locks()->lock('again', 0.02);
	check($l->acquire() && $l->release(), 'once');
	check($l->acquire(), 'twice');
	usleep(30_000);
	check($l->acquire() && $l->isOwnedByCurrentProcess() && $l->release(), 'after its life');
}

/** Fault 76: names leave nothing; memory that is used up is said. */
function lock_names(array $q): void
{
	$s = locks();
	for ($i = 0; $i < $q['n']; $i++) {
		$l = $s->lock("name {$q['id']} $i", 0, 'o');
		if (!$l->acquire() || !$l->release()) {
			check(false, "lock $i");
			return;
		}
	}
	check(true, 'all');
}

function locks_full(array $q): int
{
	$s = locks();
	$held = [];
	try {
		for (;;) {
			$l = $s->lock('held ' . count($held) . str_repeat('x', 5000), 0, null, true);
			$l->acquire();
			$held[] = $l;
		}
	} catch (TableFullException $e) {
		check(str_contains($e->getMessage(), 'locks_memory'), $e->getMessage());
	}
	check_throws(TableFullException::class, ['locks_memory'], fn () => $l->block(1), 'no memory to wait');
	check($held[0]->refresh(5) && $held[0]->release() && $held[0]->acquire(), 'the locks that there are work on');
	$s['key'] = 1;
	check_same(1, $s['key'], 'and so do keys');
	return count($held);
}

/** Fault 79: every call on the table under a lock. */
function lock_allows_all(array $q): void
{
	$s = locks();
	$l = $s->lock('all');
	check_same(3, $l->get(function () use ($s, $l) {
		$s['all'] = 1;
		$s->increment('all');
		$s->merge(['all' => 2]);
		$s->update('all', fn ($n) => $n + 1);
		$s->remember('other', null, fn () => 1);
		$s->snapshot();
		check($l->get() === false && $l->isOwnedByCurrentProcess() && $l->refresh(), 'the lock itself may be asked');
		check($s->lock('another')->get(fn () => true), 'and another taken');
		return $s->pull('all');
	}), 'any call may be made under a lock');
	check($l->isOwnedBy(null), 'and it is released');
}

/** Fault 80: a handle goes while others wait. */
function lock_handle_goes(array $q): void
{
	$handle = locks()->lock('taken', 0, 'taker');
	check($handle->isOwnedByCurrentProcess(), 'a second handle of its owner');
	unset($handle);
	check(locks()->lock('taken')->isOwnedBy('taker'), 'which frees nothing when it goes');
	check(!locks()->lock('taken')->release(), 'who has no lock releases none');
}

/**
 * Adds to a number that only the lock protects.
 */
function lock_count(array $q): void
{
	$s = locks();
	$l = $s->lock('count', 30);
	for ($i = 0; $i < $q['n']; $i++) {
		$l->block(60, function () use ($s) { $s['sum'] = ($s['sum'] ?? 0) + 1; });
	}
}

function locks_get(array $q): mixed
{
	return locks()->get($q['key']);
}

/**
 * Takes the lock and comes to an end with it.
 */
function lock_and_end(array $q): mixed
{
	$s = locks();
	$end = function () use ($s, $q) {
		$s->put('inside', 1 + ($s->get('inside') ?? 0));
		$s->put('begun', true);
		usleep(10_000); // so that another waits
		$s->put('inside', $s->get('inside') - 1);
		return lock_end($q['how']);
	};
	if ($q['callable']) {
		return $s->lock('dies', 0, 'dying')->block(30, $end);
	}
	$s->lock('dies', 0, 'dying', true)->block(30);
	return $end();
}

/**
 * When the holder was last known to live, on the clock of hrtime().
 */
function alive(): SharedCounter
{
	return new SharedCounter(0, 'alive');
}

function ms_since_death(): float
{
	return (hrtime(true) - alive()->get()) / 1e6;
}

function lock_end(string $how): mixed
{
	$alive = alive();
	$alive->set(hrtime(true));
	switch ($how) {
		case 'exit':
			exit;
		case 'throw':
			throw new \RuntimeException('the holder throws');
		case 'error':
			undefined_function();
		case 'fatal':
			trigger_error('the holder raises an error', E_USER_ERROR);
		case 'memory':
			return str_repeat('x', 1 << 40);
		case 'time':
			set_time_limit(1);
			while (true) {
				$alive->set(hrtime(true));
			}
		case 'hang up':
			while (true) {
				$alive->set(hrtime(true));
				echo str_repeat('x', 4096);
				flush();
			}
		case 'stay':
			while (true) {
				usleep(1000);
			}
		case 'linger':
			usleep(200_000);
			return null;
		case 'fiber':
		case 'fiber and error':
			\Fiber::suspend();
	}
	return null;
}

/**
 * The same in a fiber, which is destroyed, or suspended when there is an error elsewhere.
 */
function lock_in_fiber(array $q): void
{
	$fiber = new \Fiber(fn () => lock_and_end($q));
	$fiber->start();
	alive()->set(hrtime(true));
	if ($q['how'] === 'fiber and error') {
		str_repeat('x', 1 << 40); // a fatal error, which unwinds no fiber
	}
	unset($fiber);
	if ($q['callable']) { // without one it ends with the request
		check(!locks()->lock('dies')->isOwnedBy('dying'), 'a destroyed fiber has given it back');
	}
}

/**
 * Gets the lock once its holder is gone: after how many milliseconds.
 */
function lock_after(array $q): float
{
	$s = locks();
	for ($deadline = microtime(true) + 30; !$s['begun'];) {
		check(microtime(true) < $deadline, 'the other request has begun');
		usleep(500);
	}
	return $s->lock('dies')->block(40, function () use ($s) {
		$ms = ms_since_death();
		$s->put('inside', 1 + $s->get('inside'));
		check_same(1, $s->get('inside'), 'never two at once');
		$s->put('inside', 0);
		return $ms;
	});
}

/**
 * Waits without bound for what does not come.
 */
function lock_for_ever(array $q): ?string
{
	locks()->increment('waiting');
	try {
		locks()->lock('taken')->block(INF);
		return null;
	} catch (WaitCancelledException $e) {
		return $e->getMessage();
	}
}

/**
 * Waits until its time is up.
 */
function lock_until_time_is_up(array $q): void
{
	set_time_limit(1);
	try {
		locks()->lock('taken')->block(60);
	} finally {
		echo 'FINALLY';
	}
}
