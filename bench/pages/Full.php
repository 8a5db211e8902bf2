<?php

declare(strict_types=1);

use FrankenPHP\SharedArray;
use FrankenPHP\SharedState\TableFullException;

/** Writes of new keys, each one timed, into a table that is full, or has room. */
final class Full
{
    private const WRITES = 5_000;
    private const VALUE_BYTES = 100;

    private readonly SharedArray $shared;

    public function __construct(private readonly string $table)
    {
        $this->shared = new SharedArray($table);
    }

    /** @return array{p50: int, p99: int} nanoseconds, without those that telling the time takes */
    public function latencies(): array
    {
        if ($this->table !== 'room') {
            $this->fill();
        }
        $before = $this->shared->stats();
        $clock = self::time(static function (): void {
        }, array_fill(0, self::WRITES, ''));
        $times = self::time($this->write(...), $this->newKeys());
        $this->check($before, $this->shared->stats());
        return ['p50' => self::rank($times, 50) - self::rank($clock, 50), 'p99' => self::rank($times, 99) - self::rank($clock, 50)];
    }

    private function fill(): void
    {
        $before = $this->shared->stats();
        do {
            foreach ($this->newKeys() as $key) {
                $this->write($key);
            }
            $now = $this->shared->stats();
        } while ($now['evicted'] === $before['evicted'] && $now['refused'] === $before['refused']);
    }

    private function write(string $key): void
    {
        try {
            $this->shared->put($key, str_repeat('x', self::VALUE_BYTES), 3600);
        } catch (TableFullException) {
        }
    }

    /** @return list<string> keys that no other call has given */
    private function newKeys(): array
    {
        $number = (new SharedArray())->increment('full', self::WRITES);
        return array_map(static fn (int $n): string => "full:$n", range($number - self::WRITES, $number - 1));
    }

    /**
     * @param Closure(string): void $write
     * @param list<string> $keys
     * @return list<int> nanoseconds, in ascending order
     */
    private static function time(Closure $write, array $keys): array
    {
        $times = [];
        foreach ($keys as $key) {
            $begin = hrtime(true);
            $write($key);
            $times[] = hrtime(true) - $begin;
        }
        sort($times);
        return $times;
    }

    /** @param list<int> $times in ascending order */
    private static function rank(array $times, int $percent): int
    {
        return $times[intdiv(count($times) * $percent, 100)];
    }

    /** Did every write go the way that it is timed for? */
    private function check(array $before, array $after): void
    {
        $evicted = $after['evicted'] - $before['evicted'];
        $refused = $after['refused'] - $before['refused'];
        $asMeant = match ($this->table) {
            'room' => $evicted === 0 && $refused === 0,
            'full_noeviction' => $evicted === 0 && $refused === self::WRITES,
            default => $evicted >= self::WRITES / 2 && $refused === 0,
        };
        if (!$asMeant) {
            throw new RuntimeException(self::WRITES . " writes into $this->table: $evicted evicted, $refused refused");
        }
    }
}
