<?php

/**
 * What a scenario has checked in this request.
 */
final class Checks
{
	public static int $made = 0;
	/** @var list<string> */
	public static array $failed = [];

	public static function reset(): void
	{
		self::$made = 0;
		self::$failed = [];
	}
}

function check(bool $holds, string $what): void
{
	Checks::$made++;
	if (!$holds) {
		Checks::$failed[] = $what;
	}
}

/**
 * The same to the last bit: `===`, but that NAN is itself and -0.0 is not 0.0; objects are equal and of one class.
 */
function same(mixed $a, mixed $b): bool
{
	if (is_float($a) && is_float($b)) {
		return pack('E', $a) === pack('E', $b);
	}
	if (is_object($a) && is_object($b) && !$a instanceof UnitEnum) {
		return $a::class === $b::class && $a == $b;
	}
	if (is_array($a) && is_array($b)) {
		if (array_keys($a) !== array_keys($b)) {
			return false;
		}
		foreach ($a as $k => $v) {
			if (!same($v, $b[$k])) {
				return false;
			}
		}
		return true;
	}
	return $a === $b;
}

function check_same(mixed $expected, mixed $actual, string $what): void
{
	$holds = same($expected, $actual);
	check($holds, $holds ? $what : "$what: expected " . brief($expected) . ', got ' . brief($actual));
}

function brief(mixed $v): string
{
	$text = match (true) {
		is_string($v) => strlen($v) . ' bytes ' . var_export(substr($v, 0, 80), true),
		is_array($v) => count($v) . ' elements ' . @json_encode(array_slice($v, 0, 10, true), JSON_PARTIAL_OUTPUT_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE),
		$v instanceof UnitEnum => $v::class . '::' . $v->name,
		is_object($v) => $v::class,
		default => var_export($v, true),
	};
	return substr($text, 0, 300);
}

/**
 * $f must throw exactly $class, and its message must hold each of $words.
 *
 * @param list<string> $words
 */
function check_throws(string $class, array $words, callable $f, string $what): void
{
	try {
		$f();
		check(false, "$what: nothing was thrown, expected $class");
		return;
	} catch (Throwable $e) {
	}
	$message = $e->getMessage();
	check($e::class === $class, "$what: expected $class, got " . $e::class . ": $message");
	foreach ($words as $word) {
		check(str_contains($message, $word), "$what: the message does not name '$word': $message");
	}
}

/**
 * Runs $f and gives back what it returned and which errors PHP raised meanwhile.
 *
 * @return array{mixed, list<string>}
 */
function with_errors(callable $f): array
{
	$errors = [];
	set_error_handler(function (int $level, string $message) use (&$errors): bool {
		$errors[] = $message;
		return true;
	});
	try {
		return [$f(), $errors];
	} finally {
		restore_error_handler();
	}
}
