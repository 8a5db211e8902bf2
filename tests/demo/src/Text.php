<?php

declare(strict_types=1);

namespace FrankenShare\Demo;

/** Values as text that a person reads and writes, and back. */
final class Text
{
    private const JSON = JSON_PRESERVE_ZERO_FRACTION | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_PRETTY_PRINT;

    /**
     * A value's type, its text, which is valid UTF-8, its size in words, and whether parse() makes the same value from type
     * and text.
     *
     * @return array{type: string, text: string, size: string, editable: bool}
     */
    public static function describe(mixed $value): array
    {
        [$type, $text, $size, $editable] = match (true) {
            $value === null => ['null', 'null', '', true],
            is_bool($value) => ['bool', $value ? 'true' : 'false', '', true],
            is_int($value) => ['int', (string) $value, '8 bytes', true],
            is_float($value) => ['float', self::float($value), '8 bytes', true],
            is_string($value) && self::isPlain($value) => ['string', $value, self::amount(strlen($value), 'byte'), true],
            is_string($value) => ['binary', self::escape($value), self::amount(strlen($value), 'byte'), true],
            is_array($value) => self::describeArray($value),
            $value instanceof \UnitEnum => ['enum', $value::class . '::' . $value->name, '', false],
            default => ['object', self::printed($value), self::amount(count((array) $value), 'property', 'properties'), false],
        };

        return compact('type', 'text', 'size', 'editable');
    }

    /** The value that a type and a text stand for. */
    public static function parse(mixed $type, mixed $text): mixed
    {
        if (!is_string($type) || !is_string($text)) {
            throw new \DomainException('A value is sent as its type and its text.', 400);
        }

        return match ($type) {
            'null' => null,
            'bool' => match ($text) {
                'true' => true,
                'false' => false,
                default => throw new \DomainException('A bool is true or false.', 400),
            },
            'int' => filter_var(trim($text), FILTER_VALIDATE_INT, FILTER_NULL_ON_FAILURE)
                ?? throw new \DomainException('This is no int: write a whole number from ' . PHP_INT_MIN . ' to ' . PHP_INT_MAX . '.', 400),
            'float' => match (trim($text)) {
                'INF' => INF,
                '-INF' => -INF,
                'NAN' => NAN,
                default => filter_var(trim($text), FILTER_VALIDATE_FLOAT, FILTER_NULL_ON_FAILURE)
                    ?? throw new \DomainException('This is no float: write a number such as 1.5 or 2e10, or INF, -INF or NAN.', 400),
            },
            'string' => $text,
            'binary' => self::unescape($text),
            'array' => self::array($text),
            default => throw new \DomainException('Values of this type cannot be written here.', 400),
        };
    }

    /** Is it text that shows as it is: valid UTF-8 without control characters, but for tabs and ends of lines? */
    public static function isPlain(string $bytes): bool
    {
        return preg_match('/^[^\p{Cc}\p{Cf}]*$/Du', str_replace(["\t", "\n"], '', $bytes)) === 1;
    }

    /** Bytes as printable ASCII. */
    public static function escape(string $bytes): string
    {
        return preg_replace_callback('/[^\x20-\x7E]|\\\\/', static fn (array $found) => match ($found[0]) {
            "\n" => '\n',
            "\r" => '\r',
            "\t" => '\t',
            '\\' => '\\\\',
            default => sprintf('\x%02X', ord($found[0])),
        }, $bytes);
    }

    private static function unescape(string $text): string
    {
        return preg_replace_callback('/\\\\(?:x([0-9a-fA-F]{2})|.?)/su', static fn (array $found) => match (true) {
            isset($found[1]) => hex2bin($found[1]),
            $found[0] === '\n' => "\n",
            $found[0] === '\r' => "\r",
            $found[0] === '\t' => "\t",
            $found[0] === '\\\\' => '\\',
            default => throw new \DomainException("“{$found[0]}” is no escape: write \\xNN with two hexadecimal digits, \\n, \\r, \\t or \\\\.", 400),
        }, $text);
    }

    private static function float(float $value): string
    {
        return is_finite($value) ? json_encode($value, JSON_PRESERVE_ZERO_FRACTION) : (string) $value;
    }

    /** @return array<mixed> */
    private static function array(string $text): array
    {
        $value = json_decode($text, true);
        if (json_last_error() !== JSON_ERROR_NONE) {
            throw new \DomainException('This is no JSON: ' . json_last_error_msg() . '. Write an array such as [1, 2] or {"name": "value"}.', 400);
        }

        return is_array($value) ? $value : throw new \DomainException('This JSON is no array: write one such as [1, 2] or {"name": "value"}.', 400);
    }

    /**
     * An array as JSON, unless it holds what JSON cannot: objects, NAN, bytes that are no text.
     *
     * @return array{string, string, string, bool}
     */
    private static function describeArray(array $value): array
    {
        $json = json_encode($value, self::JSON);
        $faithful = $json !== false && json_decode($json, true) === $value;

        return ['array', $faithful ? $json : self::printed($value), self::amount(count($value), 'entry', 'entries'), $faithful];
    }

    private static function printed(mixed $value): string
    {
        $text = trim(print_r($value, true));

        return self::isPlain($text) ? $text : self::escape($text);
    }

    private static function amount(int $n, string $one, ?string $many = null): string
    {
        return number_format($n) . ' ' . ($n === 1 ? $one : $many ?? $one . 's');
    }
}
