<?php

namespace FrankenShare\Testing;

use FrankenPHP\SharedState\InvalidValueException;
use FrankenPHP\SharedState\ValueTooLargeException;

/**
 * A value as a table holds it: a copy that nothing outside can change.
 *
 * @internal
 */
final class Value
{
    private const MAX_DEPTH = 512;
    private const MAX_BYTES = 1 << 20;

    /**
     * @param mixed $copy what was stored, as PHP's serializer writes it when it holds an object
     */
    private function __construct(private mixed $copy, private bool $serialized)
    {
    }

    /**
     * @throws InvalidValueException when the value cannot be stored
     */
    public static function of(mixed $value): self
    {
        $hasObject = false;
        $copy = self::copy($value, 0, $hasObject);
        if ($hasObject) {
            try {
                $copy = serialize($copy);
            } catch (\Exception $e) {
                if ($e::class === \Exception::class && str_starts_with($e->getMessage(), "Serialization of '")) {
                    throw new InvalidValueException($e->getMessage(), 0, $e);
                }
                throw $e;
            }
        }
        return new self($copy, $hasObject);
    }

    /**
     * @throws ValueTooLargeException when it is a string of more than 1 MiB, or is serialized to one
     */
    public function checkSize(): self
    {
        if (is_string($this->copy) && strlen($this->copy) > self::MAX_BYTES) {
            throw new ValueTooLargeException('Cannot store a value of ' . strlen($this->copy) . ' bytes (max_value is ' . self::MAX_BYTES . ')');
        }
        return $this;
    }

    public function get(): mixed
    {
        return $this->serialized ? unserialize($this->copy) : $this->copy;
    }

    /**
     * The same to the last bit?
     */
    public function is(self $other): bool
    {
        return $this->serialized === $other->serialized && self::identical($this->copy, $other->copy);
    }

    /**
     * References become values, as in the store.
     */
    private static function copy(mixed $value, int $depth, bool &$hasObject): mixed
    {
        if (is_object($value)) {
            $hasObject = $hasObject || !$value instanceof \UnitEnum;
            return $value;
        }
        if (!is_array($value)) {
            if ($value !== null && !is_scalar($value)) {
                throw new InvalidValueException('Cannot store a resource');
            }
            return $value;
        }
        if ($depth === self::MAX_DEPTH) {
            throw new InvalidValueException('Cannot store an array nested deeper than ' . self::MAX_DEPTH);
        }
        $copy = [];
        foreach ($value as $key => $element) {
            $copy[$key] = self::copy($element, $depth + 1, $hasObject);
        }
        return $copy;
    }

    private static function identical(mixed $a, mixed $b): bool
    {
        if (is_float($a) && is_float($b)) {
            return pack('E', $a) === pack('E', $b);
        }
        if (!is_array($a) || !is_array($b)) {
            return $a === $b;
        }
        if (array_keys($a) !== array_keys($b)) {
            return false;
        }
        foreach ($a as $key => $element) {
            if (!self::identical($element, $b[$key])) {
                return false;
            }
        }
        return true;
    }
}
