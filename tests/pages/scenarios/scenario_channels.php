<?php

// SharedChannel, and handles as values.

namespace Scenario;

use FrankenPHP\SharedArray;
use FrankenPHP\SharedChannel;
use FrankenPHP\SharedCounter;
use FrankenPHP\SharedFlag;
use FrankenPHP\SharedState\{InvalidValueException, OperationTimeoutException, RecvResult, RecvStatus, SendResult, SendStatus,
	SharedStateException, TableFullException, ValueTooLargeException};

function channels_basics(array $q): void
{
	$c = new SharedChannel(3);
	$values = [null, 42, -0.0, "bytes\0\xff", ['list' => [1, [2]], 7 => 'x'], \Suit::Hearts, new \Point(1, [\Plain::Two]), bytes(300_000)];
	foreach ($values as $v) {
		$sent = $c->send($v);
		check($sent->isOk() && $sent->status() === SendStatus::Ok && count($c) === 1, 'send ' . brief($v));
		$got = $c->recv();
		check($got->isOk() && $got->status() === RecvStatus::Ok && !$got->isEmpty() && !$got->isTimeout() && !$got->isClosed(), 'recv ' . brief($v));
		check_same($v, $got->value(), 'value');
		check_same($v, $got->valueOr('other'), 'valueOr');
	}
	foreach ([1, 2, 3] as $n) {
		check($c->trySend($n)->isOk(), "trySend $n");
	}
	$full = $c->trySend(4);
	check($full->isFull() && !$full->isOk() && !$full->isTimeout() && !$full->isClosed() && $full->status() === SendStatus::Full, 'full');
	$late = $c->sendTimeout(4, 20);
	check($late->isTimeout() && !$late->isFull() && $late->status() === SendStatus::Timeout && count($c) === 3, 'full for 20 ms');
	check_same([1, 2, 3], [$c->recv()->value(), $c->tryRecv()->value(), $c->recvTimeout(5)->value()], 'in order');
	$empty = $c->tryRecv();
	check($empty->isEmpty() && $empty->status() === RecvStatus::Empty && $empty->valueOr('other') === 'other', 'empty');
	check_throws(SharedStateException::class, ['Empty'], fn () => $empty->value(), 'the value of an empty one');
	$late = $c->recvTimeout(20);
	check($late->isTimeout() && !$late->isEmpty() && $late->status() === RecvStatus::Timeout, 'empty for 20 ms');
	check_throws(OperationTimeoutException::class, ['Timeout'], fn () => $late->value(), 'the value of a late one');

	$c->send('left');
	check_same([false, true, false, true], [$c->isClosed(), $c->close(), $c->close(), $c->isClosed()], 'close');
	foreach ([$c->send(1), $c->trySend(1), $c->sendTimeout(1, 5)] as $r) {
		check($r->isClosed() && $r->status() === SendStatus::Closed, 'send to a closed one');
	}
	check_same('left', $c->recv()->value(), 'drained');
	foreach ([$c->recv(), $c->tryRecv(), $c->recvTimeout(5)] as $r) {
		check($r->isClosed() && $r->status() === RecvStatus::Closed && $r->valueOr(1) === 1, 'recv from a closed one');
		check_throws(SharedStateException::class, ['Closed'], fn () => $r->value(), 'the value of a closed one');
	}

	foreach ([0, -1] as $n) {
		check_throws(\ValueError::class, ['at least 1'], fn () => new SharedChannel($n), "a capacity of $n");
		check_throws(\ValueError::class, ['millisecond'], fn () => $c->recvTimeout($n), "recv within $n ms");
		check_throws(\ValueError::class, ['millisecond'], fn () => $c->sendTimeout(1, $n), "send within $n ms");
	}
	$c = new SharedChannel(2);
	check_throws(InvalidValueException::class, ['a Closure'], fn () => $c->send(fn () => 1), 'a closure');
	check_throws(InvalidValueException::class, ["a Closure at ['k']"], fn () => $c->trySend(['k' => fn () => 1]), 'a closure in an array');
	check_throws(ValueTooLargeException::class, ['max_value'], fn () => $c->send(bytes(1_100_000)), 'too much');
	check_same(0, count($c), 'nothing of it was sent');
	check_throws(\Error::class, ['private'], fn () => new RecvResult(), 'a result that is made');
	check_throws(\Error::class, ['private'], fn () => new SendResult(), 'a result that is made');

	$name = "channel\0{$q['mode']}";
	SharedChannel::remove($name);
	$a = new SharedChannel(1, $name);
	$a->send('kept');
	$id = $a->id();
	unset($a);
	$b = new SharedChannel(9, $name);
	check_same([$id, 1, true], [$b->id(), count($b), $b->trySend(1)->isFull()], 'a name keeps its channel');
	check_same([true, false], [SharedChannel::remove($name), SharedChannel::remove($name)], 'remove');
	check_same(['kept', 0], [$b->recv()->value(), count(new SharedChannel(1, $name))], 'who has it keeps it');
	SharedChannel::remove($name);
	foreach ([[fn () => clone $b, 'clone'], [fn () => serialize($b), 'not allowed'], [fn () => serialize($full), 'not allowed']] as [$f, $word]) {
		try {
			$f();
			check(false, "$word was done");
		} catch (\Throwable $e) {
			check(str_contains($e->getMessage(), $word), $e->getMessage());
		}
	}
}

/**
 * Handles read back as the same object, wherever they were.
 */
function handles_basics(array $q): void
{
	$s = new SharedArray('scratch');
	$k = "handle:{$q['mode']}";
	$objects = [new SharedCounter(5), new SharedFlag(true), new SharedChannel(2)];
	if (class_exists(\FrankenPHP\SharedMutex::class)) {
		$objects[] = new \FrankenPHP\SharedMutex(1);
	}
	$pipe = new SharedChannel(4);
	foreach ($objects as $o) {
		$s[$k] = $o;
		check($s[$k] == $o && $s[$k]->id() === $o->id() && $s[$k] !== $s[$k], $o::class . ' in a table');
		$s[$k] = ['deep' => [1, $o, \Suit::Hearts, $o]];
		check_same([$o->id(), \Suit::Hearts], [$s[$k]['deep'][1]->id(), $s[$k]['deep'][2]], $o::class . ' in an array');
		check_same($o->id(), $s->snapshot()[$k]['deep'][3]->id(), 'by snapshot');
		check_same($o->id(), $s->many([$k])[$k]['deep'][1]->id(), 'by many');
		check_same($o->id(), $s->scan($k)[$k]['deep'][1]->id(), 'by scan');
		check($s->compareAndSet($k, ['deep' => [1, $o, \Suit::Hearts, $o]], $o) && !$s->compareAndSet($k, $pipe, 1), 'compared by what it is on');
		check_same($o->id(), $s->pull($k)->id(), 'by pull');
		$s->merge([$k => $o, "$k:2" => [$o]]);
		check_same($o->id(), $s["$k:2"][0]->id(), 'by merge');
		$pipe->send($o);
		$pipe->send([$o]);
		check_same([$o->id(), $o->id()], [$pipe->recv()->value()->id(), $pipe->recv()->value()[0]->id()], 'through a channel');
	}
	if (isset($objects[3])) {
		$objects[3]->withLock(function (&$value) use ($objects) { $value = [$objects[0], 'x']; });
		check_same($objects[0]->id(), $objects[3]->withLock(fn (&$value) => $value[0]->id()), 'in a mutex');
	}

	$s[$k] = $objects[0];
	$id = $objects[0]->id();
	unset($objects, $o);
	check_same([5, 6, 6], [$s[$k]->get(), $s[$k]->add(), $s->get($k)->get()], 'the row keeps it alive');
	$old = $s->pull($k);
	check_same([$id, 6], [$old->id(), $old->get()], 'and what was pulled is it still');
	$s->forgetPrefix($k);

	check_throws(InvalidValueException::class, ['shared object and another object'], fn () => $s->put($k, [$old, new \Point(1, 2)]), 'a handle beside an object');
	check(!$s->exists($k), 'nothing was stored');
	(new SharedArray('replaced'))->replace(['h' => $old]);
	unset($old);
	check_same($id, (new SharedArray('replaced'))->replace(['n' => 1])['h']->id(), 'by replace');
}

function handle_put(array $q): int
{
	$c = new SharedCounter(7);
	(new SharedArray('scratch'))->put('handed on', ['counter' => $c]);
	return $c->id();
}

function handle_add(array $q): int
{
	$c = (new SharedArray('scratch'))['handed on']['counter'];
	$c->add();
	return $c->id();
}

function handle_get(array $q): int
{
	return (new SharedArray('scratch'))['handed on']['counter']->get();
}

/**
 * Puts new objects into one key, and reads and uses what is there, over and over.
 */
function handle_race(array $q): void
{
	$s = new SharedArray('scratch');
	for ($i = 0; $i < $q['n']; $i++) {
		$c = new SharedCounter();
		$c->set($c->id());
		$s['raced'] = $i % 2 ? $c : [$c, bytes(2000)];
		unset($c);
		$read = $s['raced'];
		$read = is_array($read) ? $read[0] : $read;
		if ($read->get() !== $read->id()) {
			check(false, "the counter {$read->id()} has the value {$read->get()}");
		}
	}
	check(true, 'raced');
}

function channel_clear(array $q): void
{
	foreach (['jobs', 'full', 'empty'] as $name) {
		SharedChannel::remove($name);
	}
	SharedCounter::remove('waiting');
	SharedFlag::remove('never');
	(new SharedChannel(1, 'full'))->send('full');
	new SharedChannel(1, 'empty');
	new SharedChannel(4, 'jobs');
}

/**
 * Sends values and receives as many, of any request's.
 */
function channel_pass_on(array $q): array
{
	$jobs = new SharedChannel(4, 'jobs');
	$got = [];
	for ($i = 0; $i < $q['n']; $i++) {
		check($jobs->send([(int) $q['id'], $i])->isOk(), 'send');
		$got[] = $jobs->recv()->value();
	}
	return $got;
}

/**
 * Waits without limit, for what does not come.
 */
function channel_wait(array $q): string
{
	$waiting = new SharedCounter(0, 'waiting');
	$waiting->add();
	try {
		match ($q['for']) {
			'recv' => (new SharedChannel(1, 'empty'))->recv(),
			'send' => (new SharedChannel(1, 'full'))->send('more'),
			'flag' => (new SharedFlag(false, 'never'))->wait(INF),
		};
		return 'nothing';
	} catch (\Exception $e) {
		return $e::class;
	}
}

function channel_waiting(array $q): int
{
	return (new SharedCounter(0, 'waiting'))->get();
}

function channel_after(array $q): void
{
	check_same([1, 0], [count(new SharedChannel(1, 'full')), count(new SharedChannel(1, 'empty'))], 'what was not sent is not there');
	$c = new SharedChannel(1, 'empty');
	$c->send(1);
	check_same(1, $c->recv()->value(), 'nobody waits any more');
}

/**
 * Receives a value in whose making the request comes to its end.
 */
function channel_trap(array $q): void
{
	SharedChannel::remove('trap');
	$c = new SharedChannel(3, 'trap');
	$c->send(new \Trap());
	$c->send('next');
	\Trap::$armed = $q['how'];
	if ($q['how'] !== 'drop' && $q['how'] !== 'leave') {
		$c->recv();
		return;
	}
	$fiber = new \Fiber(function () use ($c): void {
		try {
			$c->recv();
		} catch (SharedStateException $e) {
			(new SharedArray('scratch'))->put('late', $e->getMessage());
		}
	});
	$fiber->start();
	\Trap::$armed = null;
	static $left = [];
	if ($q['how'] === 'leave') {
		$left = [$fiber];
	}
	(new SharedArray('scratch'))->forget('late');
	Kept::$fiber = $q['how'] === 'leave' ? $fiber : null;
}

final class Kept
{
	public static ?\Fiber $fiber = null;
}

/**
 * Goes on with a fiber of an earlier request.
 */
function channel_resume(array $q): ?string
{
	Kept::$fiber?->resume();
	return (new SharedArray('scratch'))['late'];
}

function channel_trapped(array $q): array
{
	\Trap::$armed = null;
	$c = new SharedChannel(3, 'trap');
	$all = [];
	while (($r = $c->tryRecv())->isOk()) {
		$all[] = is_object($r->value()) ? 'trap' : $r->value();
	}
	return $all;
}

function channel_starved(array $q): int
{
	return count(new SharedChannel(2, "recv:{$q['left']}"));
}

/**
 * Takes away what starve() has left.
 */
function channels_tidy(array $q): void
{
	foreach ($q['lefts'] ? explode(' ', $q['lefts']) : [] as $left) {
		SharedChannel::remove("recv:$left");
	}
	(new SharedArray('scratch'))->replace([]);
}

function channel_names(array $q): int
{
	for ($i = 0; $i < $q['n']; $i++) {
		$name = "{$q['id']}:$i";
		$c = new SharedChannel(2, $name);
		$c->send([$c, new SharedCounter(1, $name)]);
		$c->recv();
		SharedCounter::remove($name);
		SharedChannel::remove($name);
	}
	return $i;
}

/**
 * How many channels there can be.
 */
function channels_full(array $q): int
{
	$all = [];
	try {
		for (;;) {
			$all[] = new SharedChannel(1);
		}
	} catch (TableFullException $e) {
		check(str_contains($e->getMessage(), 'locks_memory'), $e->getMessage());
	}
	$n = count($all);
	check($all[0]->id() > 0, 'those that there are work on');
	try {
		while ($all[0]->trySend(1)->isOk()) {
			$all[0]->recv();
			array_pop($all);
			break;
		}
	} catch (TableFullException $e) {
		check(str_contains($e->getMessage(), 'locks_memory'), $e->getMessage());
	}
	return $n;
}
