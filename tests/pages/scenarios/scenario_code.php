<?php

// Classes and literals that one request knows and another does not.

namespace Scenario;

use FrankenPHP\SharedArray;
use FrankenPHP\SharedState\InvalidValueException;

/**
 * Stores an object and an enum case of classes from a file.
 */
function code_write(array $q): void
{
	require_once $q['file'];
	$s = new SharedArray('code');
	$s['object'] = new \Changing(1, 'first');
	$s['objects'] = [new \Changing(2, 'second')];
	$s['case'] = \ChangingEnum::from('kept');
	$s['gone'] = \ChangingEnum::from('gone');
	check_same(1, $s['object']->id, 'the object where its class is');
	check_same(\ChangingEnum::from('gone'), $s['gone'], 'the enum case where its enum is');
}

/**
 * Reads them where the classes are not there: what PHP's own unserialize() does then.
 */
function code_read_without(array $q): bool
{
	if (class_exists('Changing', false)) {
		return false; // this thread's script has written them
	}
	$s = new SharedArray('code');
	$o = $s['object'];
	check_same(\__PHP_Incomplete_Class::class, $o::class, 'an object whose class is not there');
	check_same('Changing', ((array) $o)['__PHP_Incomplete_Class_Name'], 'and its class by name');
	check_same(1, ((array) $o)['id'], 'and its data');
	check_same(\__PHP_Incomplete_Class::class, $s['objects'][0]::class, 'one inside an array');
	foreach (['case', 'gone'] as $k) {
		foreach (['read' => fn () => $s[$k], 'get()' => fn () => $s->get($k), 'snapshot()' => fn () => $s->snapshot(), 'scan()' => fn () => $s->scan($k),
			'many()' => fn () => $s->many([$k])] as $way => $f) {
			check_throws(InvalidValueException::class, ['ChangingEnum'], $f, "an enum that is not there, by $way");
		}
		check($s->exists($k), 'the key of the enum case exists');
	}
	$s['copy'] = $o;
	check_same('Changing', ((array) $s['copy'])['__PHP_Incomplete_Class_Name'], 'an object without class, stored again');
	unset($s['copy']);
	return true;
}

/**
 * Reads them where the classes have changed: one property less, one more, one case gone.
 */
function code_read_changed(array $q): void
{
	require_once $q['file'];
	$s = new SharedArray('code');
	$o = $s['object'];
	check($o instanceof \Changing, 'the object is of the new class');
	check_same(1, $o->id, 'a property that stayed');
	check_same('new', $o->added, 'a property that came');
	check_same(\ChangingEnum::from('kept'), $s['case'], 'a case that stayed');
	check_throws(InvalidValueException::class, ['ChangingEnum', 'Gone'], fn () => $s['gone'], 'a case that is gone');
	check($s->forget('gone'), 'its key can be removed');
	check_same(3, count($s->snapshot()), 'then a snapshot works');
	$s['object'] = 'overwritten';
	check_same('overwritten', $s['object'], 'the object can be overwritten');
	check_same(3, $s->forgetMany(['object', 'objects', 'case']), 'all can be removed');
}

/**
 * Stores the literals of generated files, as keys and as values.
 */
function literals_write(array $q): void
{
	$s = new SharedArray('literals');
	for ($i = 0; $i < $q['n']; $i++) {
		foreach (require "{$q['dir']}/literals_$i.php" as $key => $value) {
			if ($key !== 'padding') {
				$s[$key] = $value;
				$s[$key];
			}
		}
	}
}

/**
 * They come back byte for byte; what is expected is put together here and was never a literal.
 */
function literals_verify(array $q): void
{
	$s = new SharedArray('literals');
	for ($i = 0; $i < $q['n']; $i++) {
		$hash = md5("literal $i");
		$key = 'key_' . $hash;
		check_same(['name_' . $hash => 'value_' . $hash, 'list' => [$i, 'item_' . $hash, ['deep_' . $hash => true]]], $s[$key], $key);
		check_same('string_' . $hash, $s['string_' . $key], "string_$key");
	}
	check_same(2 * $q['n'], count($s->snapshot()), 'snapshot()');
}

function opcache(array $q): array
{
	$status = opcache_get_status(false);
	return $status['opcache_statistics'] + ['used' => $status['memory_usage']['used_memory'], 'strings' => $status['interned_strings_usage']['number_of_strings'] ?? 0];
}
