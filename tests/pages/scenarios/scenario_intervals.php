<?php

// Values that are computed anew from time to time.

namespace Scenario;

use FrankenPHP\SharedArray;
use FrankenPHP\SharedState\InvalidValueException;

function resolve(): array
{
	$s = new SharedArray('computed');
	if ($s->get('fail')) {
		throw new \RuntimeException('the resolver fails as it should');
	}
	if ($s->get('slow')) {
		$s->increment('inside');
		usleep(300_000);
		if ($s->decrement('inside') > 0) {
			$s['twice'] = true;
		}
	}
	return ['n' => $s->increment('runs'), 'thread' => basename(readlink('/proc/thread-self')), 'at' => microtime(true)];
}

final class Resolver
{
	public function __invoke(): string
	{
		return 'invoked';
	}

	public static function resolve(): string
	{
		return 'static';
	}

	public function method(): string
	{
		return 'method';
	}
}

/**
 * Registers others when it is replaced.
 */
final class Registering
{
	public function __invoke(): string
	{
		return 'before';
	}

	public function __destruct()
	{
		$s = new SharedArray('computed');
		for ($i = 0; $i < 100; $i++) {
			$s->interval("registered $i", fn () => $i, 3600);
		}
	}
}

function interval_register(array $q): void
{
	(new SharedArray('computed'))->interval('named', 'Scenario\resolve', $q['seconds']);
}

function interval_read(array $q): mixed
{
	return (new SharedArray('computed'))[$q['key']];
}

function interval_set(array $q): void
{
	(new SharedArray('computed'))->put($q['key'], true);
}

function interval_forget(array $q): void
{
	(new SharedArray('computed'))->forget($q['key']);
}

/**
 * Registers a closure, as each request of an application may when it starts, and reads the value.
 */
function interval_closure(array $q): mixed
{
	$s = new SharedArray('computed');
	$s->interval('own', fn () => $s->increment('own:runs'), $q['seconds']);
	return $s['own'];
}

/**
 * What may be a resolver where there is no intervals worker.
 */
function interval_resolvers(array $q): void
{
	$s = new SharedArray('computed');
	foreach (['function' => 'Scenario\resolve_constant', 'static' => 'Scenario\Resolver::resolve', 'pair' => [Resolver::class, 'resolve'],
		'class' => Resolver::class, 'first class' => resolve_constant(...), 'method' => [new Resolver(), 'method'], 'object' => new Resolver(),
		'closure' => fn () => 'closure'] as $name => $resolver) {
		$s->forget($name);
		$s->interval($name, $resolver, 60);
		check_same(['function' => 'constant', 'static' => 'static', 'pair' => 'static', 'class' => 'invoked', 'first class' => 'constant', 'method' => 'method',
			'object' => 'invoked', 'closure' => 'closure'][$name], $s->get($name), "a resolver that is a $name");
		check_same($s[$name], $s->get($name), 'read in both ways');
	}
	foreach (['no such function', 'Scenario\NoSuchClass', \ArrayObject::class, 7, null] as $resolver) {
		check_throws(\TypeError::class, ['resolver'], fn () => $s->interval('bad', $resolver, 60), 'no resolver: ' . brief($resolver));
	}
	foreach ([0, -1, NAN, INF] as $seconds) {
		check_throws(\ValueError::class, ['seconds'], fn () => $s->interval('bad', 'Scenario\resolve_constant', $seconds), "$seconds seconds");
	}
	check_throws(InvalidValueException::class, ['bad', '1ms', '10ms'], fn () => $s->interval('bad', 'Scenario\resolve_constant', 0.001), 'too short');
	$s->interval('throws', fn () => throw new \RuntimeException('the first value fails'), 60);
	$s->forget('function');
	check_same(false, isset($s['function']), 'isset() computes nothing');
	check_same('constant', $s['function'], 'and spares the next read nothing');
	$s->interval('replaced', new Registering(), 60);
	$s->interval('replaced', fn () => 'replaced', 60);
	check_same('replaced', $s->get('replaced'), 'whatever the destructor of the one before registers');
	check_throws(\RuntimeException::class, ['the first value fails'], fn () => $s['throws'], 'the first read throws');
	check_same('x', (function () use ($s) {
		$s->interval('recursive', fn () => ($s['recursive'] ?? 'x'), 60);
		$s->forget('recursive');
		return $s['recursive'];
	})(), 'a resolver that reads its own key finds nothing');
}

function resolve_constant(): string
{
	return 'constant';
}

/**
 * What an intervals worker on another thread cannot run.
 */
function interval_refused(array $q): void
{
	$s = new SharedArray('computed');
	foreach ([fn () => 1, new Resolver(), [new Resolver(), 'method']] as $resolver) {
		check_throws(InvalidValueException::class, ['"refused"', 'intervals worker', 'Class::method'], fn () => $s->interval('refused', $resolver, 60), 'refused');
	}
	check_same(null, $s['refused'], 'it is no interval');
}
