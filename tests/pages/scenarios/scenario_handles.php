<?php

namespace Scenario;

use FrankenPHP\SharedArray;
use FrankenPHP\SharedState\{UninitializedException, UnknownTableException};

/**
 * Handles copied in every way that PHP has.
 */
function handles_copied(array $q): void
{
	$s = new SharedArray('handles');
	$s->replace(['k' => 'v']);
	$other = new SharedArray('values');
	$copy = clone $s;
	$copy['from copy'] = 1;
	check_same(1, $s['from copy'], 'a clone is a second handle on the table');
	unset($copy);
	check_same('v', $s['k'], 'the handle lives on without its clone');

	check($s == clone $s && $s == new SharedArray('handles'), 'handles of one table are equal');
	check_same([true, false, false, false], [$s != $other, $s == $other, $s < $other, $s > $other], 'handles of two tables are not');
	check($s !== clone $s, 'and are two objects');
	with_errors(fn () => check(($s == 1) === true && $s != null && $s != 'text' && $s != [], 'comparison with what is no handle'));
	check(in_array($s, [$other, clone $s]), 'in_array()');
	check_same(1, count(array_unique([$s, clone $s], SORT_REGULAR)), 'array_unique()');

	check((bool) $s, 'a handle is true');
	check_same([], (array) $s, '(array)');
	check_same([], get_object_vars($s), 'get_object_vars()');
	$w = \WeakReference::create($s);
	check($w->get() === $s, 'WeakReference');
	$storage = new \SplObjectStorage();
	$storage[$s] = 1;
	check(isset($storage[$s]), 'SplObjectStorage');

	$s['handle'] = $other;
	$s['handles'] = ['a' => $other, 'b' => [$s]];
	check($s['handle'] == $other, 'a handle stored in the store');
	check($s['handles'] == ['a' => $other, 'b' => [$s]], 'handles in a stored array');
	$other['seen through'] = 'x';
	check_same('x', $s['handle']['seen through'], 'a stored handle works');
	unset($other['seen through']);
	$s['self'] = $s;
	check_same('v', $s['self']['self']['k'], 'a table that holds its own handle');
	check_same(5, count($s->snapshot()), 'a snapshot of it');
	ob_start();
	var_dump($s);
	var_export($s);
	print_r($s);
	check(str_contains(ob_get_clean(), 'handles'), 'it can be dumped');

	$s->__construct('values');
	check($s == $other, 'the constructor called again opens another table');
	check_throws(UnknownTableException::class, ['no/table'], fn () => $s->__construct('no/table'), 'and may fail');
	check($s == $other, 'which leaves the handle as it was');
}

/**
 * A serialized handle holds the table's name and no data, and reading one back changes nothing.
 */
function handles_serialized(array $q): void
{
	$s = new SharedArray('handles');
	$contents = ['secret key' => 'secret value', 'n' => 1];
	$s->forgetPrefix(''); // not replace(): what that puts aside is cleared away later, which version() counts
	$s->merge($contents);
	$version = $s->version();
	$text = serialize($s);
	check(!str_contains($text, 'secret'), "no data: $text");
	check_same('O:22:"FrankenPHP\SharedArray":1:{s:5:"table";s:7:"handles";}', $text, 'serialize()');
	check_same(['table' => 'handles'], $s->__serialize(), '__serialize()');
	$back = unserialize($text);
	check($back == $s && $back !== $s, 'unserialize() gives a handle of the same table');
	check_same('secret value', $back['secret key'], 'which works');

	$class = 'O:22:"FrankenPHP\SharedArray"';
	foreach ([
		"$class:0:{}",
		"$class:1:{s:5:\"table\";s:7:\"unknown\";}",
		"$class:1:{s:5:\"table\";s:0:\"\";}",
		"$class:1:{s:5:\"table\";i:1;}",
		"$class:1:{s:5:\"table\";N;}",
		"$class:1:{s:5:\"table\";a:1:{i:0;s:7:\"handles\";}}",
		"$class:1:{s:5:\"other\";s:7:\"handles\";}",
		"$class:1:{i:0;s:7:\"handles\";}",
		"$class:2:{s:5:\"table\";s:7:\"handles\";s:10:\"secret key\";s:8:\"injected\";}",
		"$class:1:{s:5:\"table\";O:22:\"FrankenPHP\SharedArray\":0:{}}",
		"$class:1:{s:5:\"table\";s:100:\"" . str_repeat('n', 100) . '";}',
		"$class:1:{s:5:\"table\";s:8:\"handles\0\";}",
	] as $made) {
		try {
			[$o] = with_errors(fn () => unserialize($made));
		} catch (\Throwable $e) {
			check(false, "unserialize() of $made threw " . $e::class . ": {$e->getMessage()}");
			continue;
		}
		check($o instanceof SharedArray, "a handle comes of $made");
		if ($o instanceof SharedArray) {
			check_uninitialized($o, $made);
		}
	}
	for ($i = 0; $i < strlen($text); $i++) { // each byte changed, and each end cut off
		foreach ([substr_replace($text, chr(ord($text[$i]) ^ 1), $i, 1), substr_replace($text, '9', $i, 1), substr($text, 0, $i)] as $made) {
			try {
				with_errors(fn () => unserialize($made, ['max_depth' => 10]));
			} catch (\Throwable) {
			}
		}
	}
	[$o] = with_errors(fn () => unserialize('C:22:"FrankenPHP\SharedArray":11:{x:i:0;m:a:0}'));
	check_uninitialized($o, 'the old form of serialization');
	$all = $s->snapshot();
	ksort($all);
	ksort($contents);
	check_same($contents, $all, 'the contents after all of them');
	check_same($version, $s->version(), 'the version after all of them');

	$s->__unserialize(['table' => 'values']);
	check($s == new SharedArray('values'), '__unserialize() called by hand opens that table');
}

/**
 * Whatever is done with a handle of no table throws, but for looking at it.
 */
function check_uninitialized(SharedArray $o, string $what): void
{
	foreach ([
		'read' => fn () => $o['k'],
		'write' => fn () => $o['k'] = 1,
		'isset' => fn () => isset($o['k']),
		'empty' => fn () => empty($o['k']),
		'unset' => function () use ($o) { unset($o['k']); },
		'foreach' => function () use ($o) { foreach ($o as $v) { } },
		'count' => fn () => count($o),
		'json_encode' => fn () => json_encode($o),
		'serialize' => fn () => serialize($o),
		'clone' => fn () => (clone $o)['k'],
		'offsetGet' => fn () => $o->offsetGet('k'),
		'offsetSet' => fn () => $o->offsetSet('k', 1),
		'offsetExists' => fn () => $o->offsetExists('k'),
		'offsetUnset' => fn () => $o->offsetUnset('k'),
		'getIterator' => fn () => $o->getIterator(),
		'jsonSerialize' => fn () => $o->jsonSerialize(),
		'merge' => fn () => $o->merge(['k' => 1]),
		'replace' => fn () => $o->replace([]),
		'keys' => fn () => $o->keys(),
		'snapshot' => fn () => $o->snapshot(),
		'version' => fn () => $o->version(),
		'get' => fn () => $o->get('k'),
		'put' => fn () => $o->put('k', 1),
		'putMany' => fn () => $o->putMany(['k' => 1]),
		'many' => fn () => $o->many(['k']),
		'exists' => fn () => $o->exists('k'),
		'forget' => fn () => $o->forget('k'),
		'forgetMany' => fn () => $o->forgetMany(['k']),
		'forgetPrefix' => fn () => $o->forgetPrefix('k'),
		'scan' => fn () => $o->scan(),
		'stats' => fn () => $o->stats(),
		'increment' => fn () => $o->increment('k'),
		'decrement' => fn () => $o->decrement('k'),
		'many of nothing' => fn () => $o->many([]),
		'merge of nothing' => fn () => $o->merge([]),
	] as $use => $f) {
		check_throws(UninitializedException::class, [SharedArray::class], $f, "$use on $what");
	}
	ob_start();
	var_dump($o);
	print_r($o);
	var_export($o);
	check(str_contains(ob_get_clean(), 'SharedArray'), "$what can be dumped");
	check((array) $o === [] && $o == clone $o && $o != new SharedArray('handles'), "$what can be compared");
}

/**
 * An object whose constructor did not run.
 */
function handles_without_constructor(array $q): void
{
	$class = new \ReflectionClass(SharedArray::class);
	check($class->isFinal() && $class->isInternal(), 'the class is final');
	check_throws(\ReflectionException::class, ['final', SharedArray::class], fn () => $class->newInstanceWithoutConstructor(), 'newInstanceWithoutConstructor()');
	$o = unserialize('O:22:"FrankenPHP\SharedArray":0:{}');
	check_uninitialized($o, 'an object that was not constructed');
	$o->__construct('handles');
	check($o == new SharedArray('handles'), 'the constructor can still run');
	check_throws(UnknownTableException::class, ['no-such-table', 'default'], fn () => new SharedArray('no-such-table'), 'a table that is not there');
	foreach (['', ' ', "handles\0", 'a/b', str_repeat('n', 64)] as $name) {
		check_throws(UnknownTableException::class, [trim($name, "\0")], fn () => new SharedArray($name), 'the table name ' . brief($name));
	}
}

function handles_have_no_properties(array $q): void
{
	$s = new SharedArray('handles');
	check_throws(\Error::class, ['dynamic property', 'SharedArray::$x'], fn () => $s->x = 1, 'a dynamic property');
	[$v, $errors] = with_errors(fn () => $s->x);
	check_same(null, $v, 'reading a property');
	check_same(1, count($errors), 'warns');
	check(!isset($s->x) && !property_exists($s, 'x'), 'there is no property');
	[, $errors] = with_errors(function () use ($s) { unset($s->x); });
	check_same([], $errors, 'unset of none');
}

/**
 * The compiler refuses it, and with it the request.
 */
function handles_subclassed(array $q): void
{
	eval('class Sub extends FrankenPHP\SharedArray {}');
}

function info(array $q): void
{
	ob_start();
	phpinfo();
	$text = ob_get_clean();
	check(str_contains($text, 'frankenshare') && str_contains($text, 'frankenshare.autostart'), 'phpinfo() has the section');
	check(str_contains($text, 'handles') && str_contains($text, 'bytes used'), 'with the figures of the tables');
	$e = new \ReflectionExtension('frankenshare');
	check(count($e->getClasses()) >= 9, 'ReflectionExtension::getClasses()');
	ob_start();
	$e->info();
	check(str_contains(ob_get_clean(), 'frankenshare'), 'ReflectionExtension::info()');
	check(str_contains((string) $e, 'SharedArray'), 'the extension as a string');
	check_same(['frankenshare.autostart'], array_keys($e->getINIEntries()), 'its ini entries');
	check_same(['frankenshare.autostart' => '1'], ini_get_all('frankenshare', false), 'ini_get_all()');
	check(str_contains((string) new \ReflectionClass(SharedArray::class), 'increment'), 'the class as a string');
	foreach ((new \ReflectionClass(SharedArray::class))->getMethods() as $m) {
		check($m->isConstructor() || $m->hasReturnType() || $m->hasTentativeReturnType(), "{$m->name}() has a return type");
	}
	check_same(false, ini_set('frankenshare.autostart', '0'), 'ini_set() of a system setting');
}
