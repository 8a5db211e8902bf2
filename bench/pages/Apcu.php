<?php

declare(strict_types=1);

final class Apcu implements Peer
{
    public function __construct()
    {
        if (!apcu_enabled()) {
            throw new RuntimeException('APCu is not enabled');
        }
    }

    public function read(int $ops): Closure
    {
        return static function () use ($ops): mixed {
            for ($i = 0; $i < $ops; ++$i) {
                $v = apcu_fetch('k');
            }
            return $v;
        };
    }

    public function readList(int $ops): Closure
    {
        return static function () use ($ops): mixed {
            for ($i = 0; $i < $ops; ++$i) {
                $v = apcu_fetch('list');
            }
            return $v;
        };
    }

    public function readEach(array $keys): Closure
    {
        return static function () use ($keys): mixed {
            foreach ($keys as $key) {
                $v = apcu_fetch($key);
            }
            return $v;
        };
    }

    public function writeEach(array $keys, Closure $value): Closure
    {
        return static function (int $pass) use ($keys, $value): void {
            $v = $value($pass);
            foreach ($keys as $key) {
                apcu_store($key, $v);
            }
        };
    }

    public function writeList(int $ops, array $odd, array $even): Closure
    {
        return static function () use ($ops, $odd, $even): void {
            for ($i = 0; $i < $ops; $i += 2) {
                apcu_store('list_w', $odd);
                apcu_store('list_w', $even);
            }
        };
    }

    public function merge(int $calls, array $odd, array $even): Closure
    {
        return static function () use ($calls, $odd, $even): void {
            for ($i = 0; $i < $calls; $i += 2) {
                apcu_store($odd);
                apcu_store($even);
            }
        };
    }

    public function increment(int $ops): Closure
    {
        return static function () use ($ops): int {
            for ($i = 0; $i < $ops; ++$i) {
                $v = apcu_inc('n');
            }
            return $v;
        };
    }

    public function putEach(array $keys, Closure $value): Closure
    {
        return static function (int $pass) use ($keys, $value): void {
            $v = $value($pass);
            foreach ($keys as $key) {
                apcu_store($key, $v, 3600);
            }
        };
    }

    public function addEach(array $keys, Closure $value): Closure
    {
        return static function (int $pass) use ($keys, $value): bool {
            $v = $value($pass);
            foreach ($keys as $key) {
                $added = apcu_add($key, $v);
            }
            return $added;
        };
    }

    public function rememberEach(array $keys, Closure $value): Closure
    {
        return static function (int $pass) use ($keys, $value): int {
            $compute = static fn (): int => $value($pass);
            foreach ($keys as $key) {
                $v = apcu_entry($key, $compute);
            }
            return $v;
        };
    }

    public function compareAndSet(string $key, int $ops): Closure
    {
        return static function (int $pass) use ($key, $ops): int {
            $end = ($pass + 1) * $ops;
            for ($n = $pass * $ops; $n < $end; ++$n) {
                apcu_cas($key, $n, $n + 1);
            }
            return $n;
        };
    }

    public function update(string $key, int $ops): Closure
    {
        return static function () use ($key, $ops): int {
            $change = static fn (int $n): int => $n + 1;
            for ($i = 0; $i < $ops; ++$i) {
                do {
                    $n = apcu_fetch($key);
                    $v = $change($n);
                } while (!apcu_cas($key, $n, $v));
            }
            return $v;
        };
    }

    public function forget(array $keys): void
    {
        apcu_delete($keys);
    }

    public function answers(array $keys): array
    {
        return apcu_fetch($keys);
    }

    public function stored(array $keys): array
    {
        return apcu_fetch($keys);
    }

    public function cachedReads(): int
    {
        return $this->storeReads();
    }

    public function storeReads(): int
    {
        return (int) apcu_cache_info(true)['num_hits'];
    }

    public function countsByThread(): bool
    {
        return false;
    }

    public function writes(): int
    {
        return (int) apcu_cache_info(true)['num_inserts'];
    }

    public function put(array $values): void
    {
        if (apcu_store($values) !== []) {
            throw new RuntimeException('APCu did not store everything');
        }
    }
}
