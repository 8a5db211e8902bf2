<?php

// The store used by code that PHP runs in the middle of an operation on it, or of a serialization that is not the store's.

namespace Scenario;

use FrankenPHP\SharedArray;
use FrankenPHP\SharedState\InvalidValueException;

/**
 * Runs a closure when it is made a string.
 */
final class Interruption
{
	public function __construct(private \Closure $run)
	{
	}

	public function __toString(): string
	{
		($this->run)();
		return 'x';
	}
}

/**
 * Names a property that it does not have, so that serialize() calls the error handler.
 */
final class Sleeper
{
	public ?object $kept = null;
	public ?object $again = null;

	public function __sleep(): array
	{
		return ['kept', 'missing', 'again'];
	}
}

#[\AllowDynamicProperties]
class Node
{
	public ?object $next = null;
}

/**
 * The left side of an operator is held while the right side's code empties this thread's cache of it.
 */
function reentry_operand(array $q): void
{
	$s = new SharedArray('reentry');
	$text = str_repeat('abc', 100);
	$s['k'] = $text;
	check_same($text, $s['k'], 'read before');
	$kept = [];
	$s['k'] .= new Interruption(function () use ($s, &$kept) {
		for ($i = 0; $i < 500; $i++) {
			$s["other$i"] = $i;
		}
		$s->forget('k');
		check_same(null, $s['k'], 'gone in between');
		for ($i = 0; $i < 200; $i++) {
			$kept[] = str_repeat(\chr(65 + $i % 26), 100 + $i * 16);
		}
	});
	check_same($text . 'x', $s['k'], 'the value that was read, and the text');
	$s->forgetPrefix('');
}

/**
 * A key that is no key of an array calls the error handler, which takes away the variable that the value is in.
 */
function reentry_offset(array $q): void
{
	$s = new SharedArray('reentry');
	$text = str_repeat('abc', 100);
	$v = str_repeat('abc', 100);
	$reference = &$v;
	unset($reference);
	set_error_handler(function () use (&$v) {
		$v = null;
		return true;
	});
	$s[1.5] = $v;
	restore_error_handler();
	check_same($text, $s[1], 'the value of before');
	$s->forget(1);
}

/**
 * What is stored while a serialize() of the program is under way stands for itself, and that one is not disturbed.
 */
function reentry_serialize(array $q): void
{
	$s = new SharedArray('reentry');
	$o = new Node();
	$o->text = str_repeat('b', 50);
	$sleeper = new Sleeper();
	$sleeper->kept = $sleeper->again = $o;
	$handled = 0;
	set_error_handler(function () use ($s, $o, &$handled) {
		$handled++;
		$s['log'] = ['context' => $o, 'again' => $o];
		return true;
	});
	$expected = 'O:' . \strlen(Node::class) . ':';
	$text = serialize([$o, $sleeper]);
	restore_error_handler();
	check($handled > 0, 'the handler ran');
	check(str_contains($text, $expected), 'the program\'s own serialization has the object');
	$log = $s['log'];
	check_same($o->text, $log['context']->text, 'the stored object');
	check($log['context'] === $log['again'], 'is one object twice');
	check_same(['log'], array_keys($s->snapshot()), 'the table can be read');
	$s->forget('log');
}

/**
 * What is read while an unserialize() of the program is under way does not become a part of it.
 */
function reentry_unserialize(array $q): void
{
	$s = new SharedArray('reentry');
	$o = new Node();
	$s['config'] = [$o, $o];
	$read = null;
	set_error_handler(function () use ($s, &$read) {
		$read = $s['config'];
		return true;
	});
	// The second element refers to the fourth value, which must be the one inside the string.
	$old = unserialize('a:3:{i:0;O:21:"Scenario\Interruption":1:{s:1:"z";i:1;}i:1;O:8:"stdClass":1:{s:1:"a";i:7;}i:2;r:4;}');
	restore_error_handler();
	check(\is_array($read) && $read[0] instanceof Node && $read[0] === $read[1], 'the handler read the value');
	check(\is_array($old) && $old[1] === $old[2] && $old[2]->a === 7, 'the program got its own objects');
	$s->forget('config');
}

/**
 * Objects may nest as deep as PHP's unserialize() goes by default; deeper ones are refused when they are stored.
 */
function reentry_depth(array $q): void
{
	$s = new SharedArray('reentry');
	$chain = function (int $n): Node {
		$first = $last = new Node();
		while (--$n > 0) {
			$last = $last->next = new Node();
		}
		return $first;
	};
	$s['deep'] = $chain(4096);
	$n = 0;
	for ($node = $s['deep']; $node !== null; $node = $node->next) {
		$n++;
	}
	check_same(4096, $n, 'objects nested 4096 deep');
	try {
		$s['deep'] = $chain(4097);
		check(false, 'objects nested 4097 deep were taken');
	} catch (InvalidValueException $e) {
		check(str_contains($e->getMessage(), '4096'), 'the message names the limit: ' . $e->getMessage());
	}
	check_same(['deep'], array_keys($s->snapshot()), 'the table can be read');
	$s->forget('deep');
}
