<?php

declare(strict_types=1);

use FrankenPHP\SharedArray;

/** Snapshots of a large table: a request's first, and each one after a change of one key. */
final class Snapshots
{
    private const KEYS = 100_000;

    public static function seed(): void
    {
        $values = [];
        for ($i = 0; $i < self::KEYS; ++$i) {
            $values["key:$i"] = $i;
        }
        self::table()->replace($values);
    }

    public static function work(string $name, int $stamp): Work
    {
        $shared = self::table();
        $changed = $name !== 'first';
        $hold = $name === 'held';
        $last = null;
        $pass = static function (int $pass) use ($shared, $changed, $hold, $stamp, &$last): array {
            if ($changed) {
                $shared['key:0'] = $stamp + $pass;
            }
            $rows = $shared->snapshot();
            $last = $hold ? $rows : null; // until the next one is there
            return [count($rows), $rows['key:99999'], $rows['key:0']];
        };
        $check = static fn (array $last, int $passes): bool => [$last[0], $last[1]] === [self::KEYS, 99999]
            && (!$changed || $last[2] === $stamp + $passes);
        return new Work(1, $pass, $check, cold: !$changed);
    }

    private static function table(): SharedArray
    {
        return new SharedArray('snapshots');
    }
}
