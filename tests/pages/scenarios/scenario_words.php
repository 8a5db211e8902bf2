<?php

// SharedCounter and SharedFlag.

namespace Scenario;

use FrankenPHP\SharedCounter;
use FrankenPHP\SharedFlag;
use FrankenPHP\SharedState\InvalidValueException;

function words_basics(array $q): void
{
	$c = new SharedCounter(5);
	check_same([5, 5, 7, 8, 3], [$c->get(), $c->set(7), $c->get(), $c->add(), $c->add(-5)], 'get, set, add');
	check_same([false, true, 9], [$c->compareAndSet(0, 9), $c->compareAndSet(3, 9), $c->get()], 'compareAndSet');
	$c->set(PHP_INT_MAX);
	check_throws(InvalidValueException::class, [(string) PHP_INT_MAX, 'adding 1'], fn () => $c->add(), 'overflow');
	check_same(PHP_INT_MAX, $c->set(PHP_INT_MIN), 'the value stands');
	check_throws(InvalidValueException::class, [(string) PHP_INT_MIN], fn () => $c->add(PHP_INT_MIN), 'underflow');
	check((new SharedCounter())->id() !== (new SharedCounter())->id(), 'unnamed ones are apart');

	$name = "basics\0{$q['mode']}";
	SharedCounter::remove($name);
	$a = new SharedCounter(1, $name);
	$b = new SharedCounter(2, $name);
	check_same([1, $a->id()], [$b->get(), $b->id()], 'a named one is the same');
	check($a == $b && $a != $c, 'compared');
	$a->add(10);
	$id = $a->id();
	unset($a, $b);
	check_same([11, $id], [(new SharedCounter(0, $name))->get(), (new SharedCounter(0, $name))->id()], 'and keeps its value');
	check_same([true, false], [SharedCounter::remove($name), SharedCounter::remove($name)], 'remove');
	check_same(0, (new SharedCounter(0, $name))->get(), 'a new one');

	SharedFlag::remove($name);
	$f = new SharedFlag(true, $name);
	check_same([true, true, false, false, true], [$f->get(), $f->set(false), $f->get(), $f->set(true), $f->get()], 'a flag');
	check_same([false, true, false], [$f->compareAndSet(false, true), $f->compareAndSet(true, false), $f->get()], 'compareAndSet of a flag');
	check_same(false, $f->wait(0), 'waiting no time');
	check_same(false, $f->wait(0.01), 'waiting');
	$f->set(true);
	check_same(true, $f->wait(INF), 'no wait for what is set');
	foreach ([-1, NAN] as $seconds) {
		check_throws(\ValueError::class, ['seconds'], fn () => $f->wait($seconds), "waiting $seconds seconds");
	}
	SharedFlag::remove($name);

	foreach ([$c, $f] as $object) {
		check_throws(\Error::class, ['clone'], fn () => clone $object, 'clone');
		check_throws(\Exception::class, ['not allowed'], fn () => serialize($object), 'serialize');
		check_throws(\Exception::class, ['not allowed'], fn () => unserialize(sprintf('O:%d:"%s":0:{}', strlen($object::class), $object::class)), 'unserialize');
		check_throws(\Error::class, ['dynamic property'], function () use ($object) { $object->x = 1; }, 'a dynamic property');
		$object->__construct();
	}
	check_same(0, $c->get(), 'a constructor that is called again opens another one');
}

function words_count(array $q): void
{
	$c = new SharedCounter(0, 'counted');
	for ($i = 0; $i < $q['n']; $i++) {
		$c->add();
	}
}

function words_get(array $q): int
{
	return (new SharedCounter(0, 'counted'))->get();
}

function words_wait(array $q): mixed
{
	(new SharedCounter(0, 'waiting'))->add();
	try {
		return (new SharedFlag(false, $q['flag']))->wait(INF);
	} catch (\Exception $e) {
		return $e::class;
	} finally {
		(new SharedCounter(0, 'waiting'))->add(-1);
	}
}

function words_waiting(array $q): int
{
	return (new SharedCounter(0, 'waiting'))->get();
}

function words_set(array $q): void
{
	(new SharedFlag(false, $q['flag']))->set(true);
}

function words_clear(array $q): void
{
	SharedCounter::remove('counted');
	SharedCounter::remove('waiting');
	SharedFlag::remove('go');
}
