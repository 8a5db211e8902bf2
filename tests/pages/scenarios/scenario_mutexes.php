<?php

// SharedMutex: what each call answers, and holders that come to every kind of end.

namespace Scenario;

use FrankenPHP\SharedArray;
use FrankenPHP\SharedChannel;
use FrankenPHP\SharedCounter;
use FrankenPHP\SharedFlag;
use FrankenPHP\SharedMutex;
use FrankenPHP\SharedState\ContentionException;
use FrankenPHP\SharedState\DeadlockException;
use FrankenPHP\SharedState\InvalidValueException;
use FrankenPHP\SharedState\OperationTimeoutException;
use FrankenPHP\SharedState\StaleHandleException;
use FrankenPHP\SharedState\TableFullException;
use FrankenPHP\SharedState\ValueTooLargeException;
use FrankenPHP\SharedState\WaitCancelledException;

function mutex(string $name = 'mutex', mixed $initial = null): SharedMutex
{
	return new SharedMutex($initial, $name);
}

function mutex_value(SharedMutex $m): mixed
{
	return $m->withLock(fn (mixed $value) => $value);
}

function mutex_clear(array $q): void
{
	foreach (['mutex', 'dies', 'ring 0', 'ring 1', 'ring 2', 'ring 3', 'ring 4'] as $name) {
		SharedMutex::remove($name);
	}
	foreach (['held', 'go', 'begun'] as $name) {
		SharedFlag::remove($name);
	}
	SharedCounter::remove('waiting');
	SharedCounter::remove('inside');
}

function mutexes_basics(array $q): void
{
	$m = new SharedMutex(0);
	check_same(0, mutex_value($m), 'the initial value');
	check_same(42, $m->withLock(function (int &$s) { $s = 42; return $s; }), 'withLock() returns what the closure does');
	check_same(43, $m->tryWithLock(fn (&$s) => ++$s), 'tryWithLock() that finds it free');
	check_same(44, $m->withLockTimeout(fn (&$s) => ++$s, 1000), 'withLockTimeout() that finds it free');
	check_same(44, mutex_value($m), 'the changes persist');
	check_same(null, mutex_value(new SharedMutex()), 'no initial value is null');
	$m->withLock(function ($s) { $s = 7; });
	$m->withLock(function () {});
	check_same(44, mutex_value($m), 'a closure without a reference changes nothing');
	check_same('44', $m->withLock('strval'), 'a function by name');
	foreach ([0, -1, PHP_INT_MIN] as $ms) {
		check_throws(\ValueError::class, ['$ms', (string) $ms], fn () => $m->withLockTimeout(fn () => check(false, 'ran'), $ms), "a wait of $ms ms");
	}
	check_same(44, $m->withLockTimeout(fn ($s) => $s, PHP_INT_MAX), 'the longest wait');

	// What is returned is the caller's, of any type.
	$object = new \stdClass();
	$closure = fn () => $object;
	$file = tmpfile();
	foreach ([[1, 'a' => [2]], $object, $closure, $file, null, false, 1.5] as $v) {
		check($m->withLock(fn () => $v) === $v, 'returned as it is: ' . get_debug_type($v));
	}

	// What is stored is a copy.
	foreach ([['k' => 'v', 'n' => 42, 5 => [true, null]], 'text', bytes(300_000), -0.0, NAN, PHP_INT_MIN, null, true, \Suit::Hearts, new \Point(1, 'x')] as $v) {
		check_same($v, mutex_value(new SharedMutex($v)), 'an initial ' . get_debug_type($v));
		$m->withLock(function (&$s) use ($v) { $s = $v; });
		check_same($v, mutex_value($m), 'a stored ' . get_debug_type($v));
	}
	$m->withLock(function (&$s) use (&$kept) { $s = ['in' => 1]; $kept = &$s; });
	$kept['in'] = 2;
	check_same(['in' => 1], mutex_value($m), 'a reference that was kept changes nothing later');
	$array = [1];
	$r = &$array[0];
	$m->withLock(function (&$s) use ($array) { $s = $array; });
	$r = 2;
	check_same([1], mutex_value($m), 'nor does one inside the value');

	// Exceptions: what was done stays.
	$m = new SharedMutex([1]);
	$e = new \DomainException('failed');
	try {
		$m->withLock(function (array &$s) use ($e) { $s[] = 2; throw $e; });
		check(false, 'nothing was thrown');
	} catch (\DomainException $thrown) {
		check($thrown === $e, 'the same exception');
	}
	check_same([1, 2], mutex_value($m), 'partial changes are kept');
	check_throws(\TypeError::class, ['string'], fn () => $m->withLock(function (string &$s) {}), 'a closure that takes another type');
	check_same([1, 2], mutex_value($m), 'which has changed nothing');

	// What cannot be stored.
	foreach ([tmpfile(), fn () => 1, ['deep' => [fn () => 1]]] as $bad) {
		check_throws(InvalidValueException::class, ['mutex'], fn () => $m->withLock(function (&$s) use ($bad) { $s = $bad; }), 'a value that cannot be stored');
		check_throws(InvalidValueException::class, [], fn () => $m->tryWithLock(function (&$s) use ($bad) { $s = $bad; }), 'nor by tryWithLock()');
		check_throws(InvalidValueException::class, [], fn () => new SharedMutex($bad), 'nor as initial value');
		check_same([1, 2], mutex_value($m), 'the value before stands');
	}
	try {
		$m->withLock(function (&$s) use ($e) { $s = fn () => 1; throw $e; });
	} catch (InvalidValueException $thrown) {
		check($thrown->getPrevious() === $e, 'both are told');
	}
	check($thrown instanceof InvalidValueException, 'an exception over a value that cannot be stored');
	check_throws(ValueTooLargeException::class, ['mutex', 'max_value'], fn () => $m->withLock(function (&$s) { $s = str_repeat('x', 1 << 21); }), 'too large a value');
	check_throws(ValueTooLargeException::class, ['max_value'], fn () => new SharedMutex(str_repeat('x', 1 << 21)), 'too large an initial value');
	check_same([1, 2], mutex_value($m), 'the value before stands');
	foreach (['throw', 'nested'] as $how) {
		$object = new \Difficult($how, $m);
		check_throws(['throw' => \LogicException::class, 'nested' => DeadlockException::class][$how], [], fn () => $m->withLock(function (&$s) use ($object) { $s = $object; }), "__serialize(), $how");
		check_same([1, 2], mutex_value($m), 'the value before stands');
	}
}

function mutexes_names(array $q): void
{
	$name = "names\0{$q['mode']}";
	SharedMutex::remove($name);
	$a = new SharedMutex(1, $name);
	$b = new SharedMutex(2, $name);
	check_same([1, $a->id()], [mutex_value($b), $b->id()], 'a named one is the same');
	check($a == $b && $a != new SharedMutex(1) && $a->id() > 0, 'compared');
	check((new SharedMutex())->id() !== (new SharedMutex())->id() && (new SharedMutex(1, '')) != new SharedMutex(1, ''), 'unnamed ones are apart');
	$b->withLock(fn (&$n) => $n += 10);
	$id = $a->id();
	unset($a, $b);
	$kept = new SharedMutex(0, $name);
	check_same([11, $id], [mutex_value($kept), $kept->id()], 'and keeps its value');
	check_same([true, false], [SharedMutex::remove($name), SharedMutex::remove($name)], 'remove');
	$new = new SharedMutex(5, $name);
	check($new != $kept && $new->id() !== $id, 'a new one');
	check_same([5, 11], [mutex_value($new), mutex_value($kept)], 'a handle to the old one works on');
	check_same('other', $new->withLock(fn () => $kept->withLock(fn () => 'other')), 'they are two');
	SharedMutex::remove($name);

	check_throws(\Error::class, ['clone'], fn () => clone $kept, 'clone');
	check_throws(\Exception::class, ['not allowed'], fn () => serialize($kept), 'serialize');
	check_throws(\Exception::class, ['not allowed'], fn () => unserialize('O:22:"FrankenPHP\SharedMutex":0:{}'), 'unserialize');
	check_throws(\Error::class, ['dynamic property'], function () use ($kept) { $kept->more = 1; }, 'a dynamic property');
	$kept->__construct('again');
	check_same('again', mutex_value($kept), 'a constructor that is called again opens another one');
	check_throws(StaleHandleException::class, ["mutex {$kept->id()}"], fn () => $kept->withLock(fn () => $kept->__construct()), 'one that is called under the lock of what nobody else has');
	check_same(null, mutex_value($kept), 'the other one');
}

/**
 * Handles go into a mutex and out of it, and mutexes into tables, channels and mutexes.
 */
function mutexes_handles(array $q): void
{
	$m = new SharedMutex();
	$id = $m->withLock(function (&$v) { $v = ['deep' => [new SharedCounter(7)]]; return $v['deep'][0]->id(); });
	$c = $m->withLock(fn ($v) => $v['deep'][0]);
	check_same([$id, 8], [$c->id(), $c->add()], 'a counter whose only handle was in the mutex');
	check_same(8, $m->tryWithLock(fn ($v) => $v['deep'][0]->get()), 'is the same');
	check_throws(InvalidValueException::class, [], fn () => $m->withLock(function (&$v) { $v = [$v, fn () => 1]; }), 'a value that cannot be stored');
	check_same(8, $m->tryWithLock(fn ($v) => $v['deep'][0]->get()), 'the counter survives that');
	check_same(0, $m->withLock(fn () => new SharedCounter())->get(), 'a counter that is made inside and returned');

	$s = new SharedArray('handles');
	$s['mutex'] = new SharedMutex('in a table');
	check_same(['in a table', true], [mutex_value($s['mutex']), $s['mutex'] == $s['mutex']], 'a mutex in a table');
	$s['mutex']->withLock(function (&$v) { $v = 'changed'; });
	check_same('changed', mutex_value($s->pull('mutex')), 'as long as the row is there');
	$channel = new SharedChannel(1);
	$channel->send([$m]);
	check($channel->recv()->value()[0] == $m, 'a mutex in a channel');
	$outer = new SharedMutex($m);
	check_same([true, 8], [mutex_value($outer) == $m, $outer->withLock(fn ($inner) => $inner->withLock(fn ($v) => $v['deep'][0]->get()))], 'a mutex in a mutex');
	$outer->withLock(function (&$v) use ($outer) { $v = $outer; });
	check_throws(DeadlockException::class, [], fn () => $outer->withLock(fn ($self) => $self->withLock(fn () => 1)), 'a mutex in itself');
	$outer->withLock(function (&$v) { $v = null; });
}

function mutexes_deadlocks(array $q): void
{
	$m = new SharedMutex(0);
	$calls = ['withLock' => [], 'tryWithLock' => [], 'withLockTimeout' => [1000]];
	foreach ($calls as $method => $rest) {
		check_same('outer', $m->withLock(function (int &$n) use ($m, $method, $rest) {
			$n++;
			check_throws(DeadlockException::class, ["mutex {$m->id()}"], fn () => $m->$method(fn () => check(false, 'ran'), ...$rest), "$method() under the mutex itself");
			return 'outer';
		}), 'which goes on');
	}
	check_same(3, mutex_value($m), 'and commits');

	// Another fiber of the same thread.
	$fiber = new \Fiber(fn () => $m->withLock(function (int &$n) { $n = 10; return \Fiber::suspend(); }));
	$fiber->start();
	foreach ($calls as $method => $rest) {
		check_throws(DeadlockException::class, [], fn () => $m->$method(fn () => check(false, 'ran'), ...$rest), "$method() for what another fiber has");
	}
	$other = new \Fiber(fn () => check_throws(DeadlockException::class, [], fn () => $m->withLock(fn () => 1), 'in a fiber'));
	$other->start();
	$fiber->resume('resumed');
	check_same(['resumed', 10], [$fiber->getReturn(), mutex_value($m)], 'the fiber that has it goes on');

	$fiber = new \Fiber(fn () => $m->withLock(function (int &$n) { $n = 99; try { \Fiber::suspend(); } finally { $n = 98; } }));
	$fiber->start();
	unset($fiber);
	check_same(10, $m->tryWithLock(fn ($n) => $n), 'a fiber that was destroyed has changed nothing, and the mutex is free');

	$fiber = new \Fiber(fn () => $m->withLock(function (int &$n) { $n = 11; \Fiber::suspend(); }));
	$fiber->start();
	check_throws(\DomainException::class, ['into'], fn () => $fiber->throw(new \DomainException('into')), 'an exception into a fiber');
	check_same(11, mutex_value($m), 'keeps what was done');

	// A lock and a mutex.
	$l = locks()->lock('deadlock');
	check_same('both', $m->withLock(fn () => $l->block(1, fn () => 'both')), 'a lock under a mutex');
	check_throws(DeadlockException::class, [], fn () => $l->get(fn () => $m->withLock(fn () => $l->block(5))), 'and itself');
	check($l->isOwnedBy(null), 'it is free');
}

/**
 * Has the mutex until the test says so.
 */
function mutex_hold(array $q): mixed
{
	return mutex()->withLock(function (&$v) use ($q) {
		$v = $q['value'];
		(new SharedFlag(name: 'held'))->set(true);
		try {
			return (new SharedFlag(name: 'go'))->wait(30);
		} catch (WaitCancelledException) { // a reload, which the others are to see while the mutex is held
			usleep(500_000);
		}
	});
}

function mutex_go(array $q): void
{
	(new SharedFlag(name: 'go'))->set(true);
}

function mutex_held(array $q): bool
{
	return (new SharedFlag(name: 'held'))->get();
}

function mutex_waiting(array $q): int
{
	return (new SharedCounter(name: 'waiting'))->get();
}

/**
 * While another request has it.
 */
function mutex_busy(array $q): void
{
	$m = mutex();
	check_throws(ContentionException::class, ['"mutex"'], fn () => $m->tryWithLock(fn () => check(false, 'ran')), 'tryWithLock()');
	check_throws(OperationTimeoutException::class, ["{$m->id()}", '20 ms'], fn () => $m->withLockTimeout(fn () => check(false, 'ran'), 20), 'withLockTimeout()');
	check_same(1, mutex_value(new SharedMutex(1)), 'others are free');
}

/**
 * Waits for the mutex and adds to a text.
 */
function mutex_append(array $q): mixed
{
	(new SharedCounter(name: 'waiting'))->add();
	return mutex()->withLock(fn (&$v) => $v .= $q['text']);
}

function mutex_get(array $q): mixed
{
	return mutex_value(mutex($q['name'] ?? 'mutex'));
}

function mutex_count(array $q): void
{
	$m = mutex();
	for ($i = 0; $i < $q['n']; $i++) {
		match ($i % 2) {
			0 => $m->withLock(function (&$n) { $n++; }),
			1 => $m->withLockTimeout(function (&$n) { $n++; }, 60_000),
		};
	}
}

function mutex_set(array $q): void
{
	mutex($q['name'])->withLock(function (&$v) use ($q) { $v = $q['value']; });
}

/**
 * Changes the value and comes to an end with the mutex.
 */
function mutex_and_end(array $q): mixed
{
	return mutex('dies')->withLock(function (&$v) use ($q) {
		$v = 'changed';
		$inside = new SharedCounter(name: 'inside');
		check_same(1, $inside->add(), 'alone');
		(new SharedFlag(name: 'begun'))->set(true);
		usleep(10_000); // so that another waits
		$inside->add(-1);
		return lock_end($q['how']);
	});
}

function mutex_in_fiber(array $q): void
{
	$fiber = new \Fiber(fn () => mutex_and_end($q));
	$fiber->start();
	alive()->set(hrtime(true));
	if ($q['how'] === 'fiber and error') {
		str_repeat('x', 1 << 40); // a fatal error, which unwinds no fiber
	}
	unset($fiber);
	check_same('before', mutex_value(mutex('dies')), 'a destroyed fiber has given it back');
}

/**
 * Gets the mutex once its holder is gone: what it finds, and after how many milliseconds.
 *
 * @return array{string, float}
 */
function mutex_after(array $q): array
{
	check((new SharedFlag(name: 'begun'))->wait(30), 'the other request has begun');
	return mutex('dies')->withLock(function ($v) {
		$ms = ms_since_death();
		$inside = new SharedCounter(name: 'inside');
		check_same(1, $inside->add(), 'never two at once');
		$inside->add(-1);
		return [$v, $ms];
	});
}

function mutex_begun(array $q): bool
{
	return (new SharedFlag(name: 'begun'))->get();
}

/**
 * Leaves a fiber inside the mutex to a later request of this thread.
 */
function mutex_leave_fiber(array $q): void
{
	Between::$kept = new \Fiber(function () {
		try {
			return mutex()->withLock(function (&$v) { $v = 'from the past'; \Fiber::suspend(); });
		} catch (\Exception $e) {
			return $e;
		}
	});
	Between::$kept->start();
}

function mutex_resume_fiber(array $q): void
{
	$m = mutex();
	check_same('new', $m->tryWithLock(fn (&$v) => $v = 'new'), 'the end of its request has freed it');
	$fiber = Between::$kept;
	Between::$kept = null;
	if ($q['held']) {
		$m->withLock(function (&$v) use ($fiber) {
			$v = 'newer';
			$fiber->resume();
		});
	} else {
		$fiber->resume();
	}
	$e = $fiber->getReturn();
	check($e instanceof StaleHandleException && str_contains($e->getMessage(), '"mutex"'), 'it throws: ' . get_debug_type($e));
	check_same($q['held'] ? 'newer' : 'new', $m->tryWithLock(fn ($v) => $v), 'and changes nothing');
}

/**
 * One of a ring of requests: has its own mutex or lock, then waits for the next one's. It answers what came of that, and how many
 * milliseconds after the last of them began to wait.
 *
 * @return array{string, float}
 */
function mutex_ring(array $q): array
{
	$of = (int) $q['of'];
	$take = function (int $i, callable $then) use ($q, $of): mixed {
		$i %= $of;
		return $q['locks'] && $i % 2 ? locks()->lock("ring $i")->block(INF, $then) : mutex("ring $i", 0)->withLock($then);
	};
	return $take((int) $q['i'], function (&$n = null) use ($take, $q, $of) {
		meet("ring {$q['id']}", $of);
		$last = new SharedCounter(0, "ring {$q['id']}");
		$last->set(hrtime(true));
		try {
			return [$take($q['i'] + 1, function (&$n = null) { $n++; return 'got it'; }), 0.0];
		} catch (DeadlockException $e) {
			return ['deadlock', (hrtime(true) - $last->get()) / 1e6];
		} finally {
			SharedCounter::remove("ring {$q['id']}");
		}
	});
}

/**
 * Waits for a value that another request computes, and that one for the mutex that this one has; or the other way round.
 */
function mutex_and_remember(array $q): string
{
	$s = new SharedArray('computed');
	$key = "with a mutex {$q['id']}";
	$remember = fn (callable $then) => $s->remember($key, null, $then);
	$with = fn (callable $then) => mutex('ring 0', 0)->withLock($then);
	[$outer, $inner] = $q['first'] ? [$remember, $with] : [$with, $remember];
	return $outer(function () use ($inner, $key) {
		meet($key, 2);
		try {
			return $inner(fn () => 'inner');
		} catch (DeadlockException) {
			return 'deadlock';
		}
	});
}

function mutex_for_ever(array $q): ?string
{
	(new SharedCounter(name: 'waiting'))->add();
	try {
		mutex()->withLock(fn () => 1);
		return null;
	} catch (WaitCancelledException $e) {
		return $e->getMessage();
	}
}

function mutex_until_time_is_up(array $q): void
{
	set_time_limit(1);
	try {
		mutex()->withLock(fn () => 1);
	} catch (\Throwable) {
		echo 'CAUGHT';
	} finally {
		echo 'FINALLY';
	}
}

/**
 * Many come and go; memory that is used up is said, and what there is works on.
 */
function mutexes_full(array $q): int
{
	for ($i = 0; $i < $q['n']; $i++) {
		$name = "name {$q['mode']} $i";
		$m = new SharedMutex($i, $name);
		SharedMutex::remove($name);
		new SharedMutex();
	}
	unset($m);
	$held = [];
	try {
		for (;;) {
			$held[] = new SharedMutex(str_repeat('x', 5000));
		}
	} catch (TableFullException $e) {
		check(str_contains($e->getMessage(), 'locks_memory'), $e->getMessage());
	}
	check_throws(TableFullException::class, ['locks_memory'], fn () => $held[0]->withLock(function (&$v) { $v .= str_repeat('y', 10_000); }), 'a value that grows');
	check_same(5000, strlen(mutex_value($held[0])), 'the value before stands');
	$held[0]->withLock(function (&$v) { $v = 'small'; });
	check_same('small', mutex_value($held[0]), 'those that there are work on');
	check_same(1, mutex_value(new SharedMutex(1)), 'and there is room again');
	return count($held);
}
