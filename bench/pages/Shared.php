<?php

declare(strict_types=1);

use FrankenPHP\SharedArray;

final class Shared implements Peer
{
    private readonly SharedArray $shared;

    public function __construct()
    {
        $this->shared = new SharedArray();
    }

    public function read(int $ops): Closure
    {
        $shared = $this->shared;
        return static function () use ($shared, $ops): mixed {
            for ($i = 0; $i < $ops; ++$i) {
                $v = $shared['k'];
            }
            return $v;
        };
    }

    public function readList(int $ops): Closure
    {
        $shared = $this->shared;
        return static function () use ($shared, $ops): mixed {
            for ($i = 0; $i < $ops; ++$i) {
                $v = $shared['list'];
            }
            return $v;
        };
    }

    public function readEach(array $keys): Closure
    {
        $shared = $this->shared;
        return static function () use ($shared, $keys): mixed {
            foreach ($keys as $key) {
                $v = $shared[$key];
            }
            return $v;
        };
    }

    public function writeEach(array $keys, Closure $value): Closure
    {
        $shared = $this->shared;
        return static function (int $pass) use ($shared, $keys, $value): void {
            $v = $value($pass);
            foreach ($keys as $key) {
                $shared[$key] = $v;
            }
        };
    }

    public function writeList(int $ops, array $odd, array $even): Closure
    {
        $shared = $this->shared;
        return static function () use ($shared, $ops, $odd, $even): void {
            for ($i = 0; $i < $ops; $i += 2) {
                $shared['list_w'] = $odd;
                $shared['list_w'] = $even;
            }
        };
    }

    public function merge(int $calls, array $odd, array $even): Closure
    {
        $shared = $this->shared;
        return static function () use ($shared, $calls, $odd, $even): void {
            for ($i = 0; $i < $calls; $i += 2) {
                $shared->merge($odd);
                $shared->merge($even);
            }
        };
    }

    public function increment(int $ops): Closure
    {
        $shared = $this->shared;
        return static function () use ($shared, $ops): int {
            for ($i = 0; $i < $ops; ++$i) {
                $v = $shared->increment('n');
            }
            return $v;
        };
    }

    public function putEach(array $keys, Closure $value): Closure
    {
        $shared = $this->shared;
        return static function (int $pass) use ($shared, $keys, $value): void {
            $v = $value($pass);
            foreach ($keys as $key) {
                $shared->put($key, $v, 3600);
            }
        };
    }

    public function addEach(array $keys, Closure $value): Closure
    {
        $shared = $this->shared;
        return static function (int $pass) use ($shared, $keys, $value): bool {
            $v = $value($pass);
            foreach ($keys as $key) {
                $added = $shared->add($key, $v);
            }
            return $added;
        };
    }

    public function rememberEach(array $keys, Closure $value): Closure
    {
        $shared = $this->shared;
        return static function (int $pass) use ($shared, $keys, $value): int {
            $compute = static fn (): int => $value($pass);
            foreach ($keys as $key) {
                $v = $shared->remember($key, null, $compute);
            }
            return $v;
        };
    }

    public function compareAndSet(string $key, int $ops): Closure
    {
        $shared = $this->shared;
        return static function (int $pass) use ($shared, $key, $ops): int {
            $end = ($pass + 1) * $ops;
            for ($n = $pass * $ops; $n < $end; ++$n) {
                $shared->compareAndSet($key, $n, $n + 1);
            }
            return $n;
        };
    }

    public function update(string $key, int $ops): Closure
    {
        $shared = $this->shared;
        return static function () use ($shared, $key, $ops): int {
            $change = static fn (int $n): int => $n + 1;
            for ($i = 0; $i < $ops; ++$i) {
                $v = $shared->update($key, $change);
            }
            return $v;
        };
    }

    public function forget(array $keys): void
    {
        $this->shared->forgetMany($keys);
    }

    public function answers(array $keys): array
    {
        return $this->shared->many($keys);
    }

    public function stored(array $keys): array
    {
        [$kind] = explode(':', $keys[0]);
        return array_intersect_key($this->shared->scan($kind), array_flip($keys));
    }

    public function cachedReads(): int
    {
        return $this->shared->stats()['thread']['hits'];
    }

    public function storeReads(): int
    {
        return $this->shared->stats()['thread']['reads'];
    }

    public function countsByThread(): bool
    {
        return true;
    }

    public function writes(): int
    {
        return $this->shared->stats()['writes'];
    }

    public function put(array $values): void
    {
        $this->shared->merge($values);
    }
}
