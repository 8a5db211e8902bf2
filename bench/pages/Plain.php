<?php

declare(strict_types=1);

/** What is timed of PHP itself: the loops with nothing inside, whose time is subtracted, and a read of an ArrayObject. */
final class Plain
{
    private const OPS = 1_000;

    public static function work(string $name): Work
    {
        return match ($name) {
            'for' => self::emptyFor(),
            'foreach' => self::emptyForeach(),
            'read' => self::readArrayObject(),
        };
    }

    private static function emptyFor(): Work
    {
        $ops = self::OPS;
        return new Work($ops, static function () use ($ops): int {
            for ($i = 0; $i < $ops; ++$i) {
            }
            return $i;
        }, static fn (int $last): bool => $last === $ops);
    }

    private static function emptyForeach(): Work
    {
        $keys = Works::keys('int', self::OPS, self::OPS);
        return new Work(self::OPS, static function () use ($keys): string {
            foreach ($keys as $key) {
            }
            return $key;
        }, static fn (string $last): bool => $last === end($keys));
    }

    private static function readArrayObject(): Work
    {
        $ops = self::OPS;
        $array = new ArrayObject(['k' => 42, 'list' => [], 'n' => 0]);
        return new Work($ops, static function () use ($array, $ops): int {
            for ($i = 0; $i < $ops; ++$i) {
                $v = $array['k'];
            }
            return $v;
        }, static fn (int $last): bool => $last === 42);
    }
}
