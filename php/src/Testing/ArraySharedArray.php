<?php

namespace FrankenShare\Testing;

use FrankenPHP\SharedState\ContentionException;
use FrankenPHP\SharedState\InvalidKeyException;
use FrankenPHP\SharedState\InvalidValueException;
use FrankenPHP\SharedState\SharedArrayInterface;

if (!interface_exists(SharedArrayInterface::class, false)) {
    require_once __DIR__ . '/declarations.php';
}

/**
 * A SharedArrayInterface in memory, for unit tests. It answers as FrankenPHP\SharedArray does on a table with default settings that
 * nobody else uses and that is never full. A clone is a second handle on the same table.
 *
 * Three things PHP lets no class written in PHP do. `$shared[] = 1` and `$shared[null] = 1` cannot be told apart, so that both throw
 * an Error; so does only the first one of the real class. And `$shared['n']++` raises a notice, where the real one throws an Error. The
 * size of an array of scalars is not checked.
 */
final class ArraySharedArray implements SharedArrayInterface
{
    private const MAX_KEY = 64 << 10;

    /** Its rows are lists of a Value and an expiry, which is null for none. */
    private object $table;

    public function __construct()
    {
        $this->table = (object) ['rows' => [], 'version' => 0, 'clock' => new Clock(), 'intervals' => [], 'refreshing' => [], 'locks' => [], 'lastToken' => 0];
    }

    /**
     * Moves the clock on, by which keys expire.
     */
    public function advance(int|float $seconds): void
    {
        $this->table->clock->advance($seconds);
    }

    public function offsetGet(mixed $offset): mixed
    {
        return $this->get($this->keyOf($offset));
    }

    public function offsetSet(mixed $offset, mixed $value): void
    {
        if ($offset === null) {
            throw new \Error('Cannot use [] with ' . self::class . ': it has no next index');
        }
        $this->put($this->keyOf($offset), $value);
    }

    public function offsetExists(mixed $offset): bool
    {
        return $this->get($this->keyOf($offset)) !== null;
    }

    public function offsetUnset(mixed $offset): void
    {
        $this->forget($this->keyOf($offset));
    }

    public function count(): int
    {
        return count($this->live());
    }

    public function getIterator(): \ArrayIterator
    {
        return new \ArrayIterator($this->snapshot());
    }

    public function jsonSerialize(): array
    {
        return $this->snapshot();
    }

    public function merge(array $values): void
    {
        $this->putMany($values);
    }

    public function replace(array $values): array
    {
        $rows = $this->rowsOf($values, null);
        $old = $this->live();
        $this->change($rows);
        return $this->valuesOf($old);
    }

    public function keys(): array
    {
        return array_keys($this->live());
    }

    public function snapshot(): array
    {
        return $this->valuesOf($this->live());
    }

    public function version(): int
    {
        return $this->table->version;
    }

    public function get(string|int $key, mixed $default = null): mixed
    {
        $row = $this->readRow($key);
        return $row !== null ? $row[0]->get() : $default;
    }

    public function ttl(string|int $key): ?float
    {
        $expiry = $this->row($key)[1] ?? null;
        return $expiry !== null ? max($expiry - $this->table->clock->now(), 1) / 1e9 : null;
    }

    public function put(string|int $key, mixed $value, int|float|\DateInterval|\DateTimeInterface|null $ttl = null): bool
    {
        return $this->putMany([$key => $value], $ttl);
    }

    public function putMany(array $values, int|float|\DateInterval|\DateTimeInterface|null $ttl = null): bool
    {
        $span = $this->table->clock->span($ttl);
        $rows = $this->rowsOf($values, $span);
        $this->change($span === 0 ? array_diff_key($this->table->rows, $rows) : array_replace($this->table->rows, $rows));
        return true;
    }

    public function forever(string|int $key, mixed $value): bool
    {
        return $this->put($key, $value);
    }

    public function add(string|int $key, mixed $value, int|float|\DateInterval|\DateTimeInterface|null $ttl = null): bool
    {
        $span = $this->table->clock->span($ttl);
        if ($this->exists($key)) {
            return false;
        }
        $rows = $this->rowsOf([$key => $value], $span);
        if ($span !== 0) {
            $this->change(array_replace($this->table->rows, $rows));
        }
        return true;
    }

    public function compareAndSet(string|int $key, mixed $expected, mixed $new): bool
    {
        $expected = Value::of($expected);
        $row = $this->row($key);
        if ($row === null || !$expected->is($row[0])) {
            return false;
        }
        $this->change(array_replace($this->table->rows, [$key => [Value::of($new)->checkSize(), $row[1]]]));
        return true;
    }

    public function touch(string|int $key, int|float|\DateInterval|\DateTimeInterface|null $ttl): bool
    {
        $span = $this->table->clock->span($ttl);
        $row = $this->row($key);
        if ($span === 0) {
            return $this->forget($key);
        }
        if ($row !== null) {
            $this->change(array_replace($this->table->rows, [$key => [$row[0], $this->expiryAfter($span)]]));
        }
        return $row !== null;
    }

    public function many(array $keys, mixed $default = null): array
    {
        $values = [];
        foreach ($this->keysOf($keys) as $key) {
            $values[$key] = $this->get($key, $default);
        }
        return $values;
    }

    public function exists(string|int $key): bool
    {
        return $this->row($key) !== null;
    }

    public function forget(string|int $key): bool
    {
        return $this->forgetMany([$key]) === 1;
    }

    public function pull(string|int $key, mixed $default = null): mixed
    {
        $row = $this->row($key);
        $this->forget($key);
        return $row !== null ? $row[0]->get() : $default;
    }

    public function forgetMany(array $keys): int
    {
        $gone = array_intersect_key($this->live(), array_flip($this->keysOf($keys)));
        if ($gone !== []) {
            $this->change(array_diff_key($this->table->rows, $gone));
        }
        return count($gone);
    }

    public function forgetPrefix(string $prefix): int
    {
        return $this->forgetMany(array_keys($this->scan($prefix)));
    }

    public function flush(): bool
    {
        $this->change([]);
        return true;
    }

    public function sweep(): int
    {
        $live = $this->live();
        $expired = count($this->table->rows) - count($live);
        $this->table->rows = $live;
        return $expired;
    }

    public function evict(): int
    {
        return $this->sweep();
    }

    public function scan(string $prefix = '', int $limit = PHP_INT_MAX): array
    {
        if ($limit < 0) {
            throw new \ValueError("scan(): Argument #2 (\$limit) must not be negative, $limit given");
        }
        $found = array_filter($this->live(), fn ($key) => str_starts_with((string) $key, $prefix), ARRAY_FILTER_USE_KEY);
        return $this->valuesOf(array_slice($found, 0, $limit, true));
    }

    /**
     * Fewer figures than the real one's: those that a table without a store has.
     */
    public function stats(): array
    {
        return ['table' => 'default', 'store' => 'private', 'eviction' => 'noeviction', 'count' => count($this), 'version' => $this->version()];
    }

    public function increment(string|int $key, int|float $by = 1, int|float|\DateInterval|\DateTimeInterface|null $ttlIfNew = null): int|float
    {
        return $this->changeNumber($key, $ttlIfNew, fn (int|float $number) => $number + $by, $by);
    }

    public function decrement(string|int $key, int|float $by = 1, int|float|\DateInterval|\DateTimeInterface|null $ttlIfNew = null): int|float
    {
        return $this->changeNumber($key, $ttlIfNew, fn (int|float $number) => $number - $by, $by);
    }

    private function changeNumber(string|int $key, int|float|\DateInterval|\DateTimeInterface|null $ttl, \Closure $change, int|float $by): int|float
    {
        $span = $this->table->clock->span($ttl);
        $row = $this->row($key);
        $number = $row !== null ? $row[0]->get() : 0;
        if (is_string($number) && (string) (int) $number === $number) {
            $number = (int) $number;
        }
        if (!is_int($number) && !is_float($number)) {
            throw new InvalidValueException("Cannot change key \"$key\", which holds no number but " . get_debug_type($number));
        }
        $sum = $change($number);
        $isFloat = is_float($number) || is_float($by);
        if (is_int($sum) === $isFloat || ($isFloat && is_infinite($sum) && is_finite($number) && is_finite($by))) {
            throw new InvalidValueException("The result for key \"$key\" is out of range");
        }
        if ($row !== null || $span !== 0) {
            $this->checkKey($key);
            $expiry = $row !== null ? $row[1] : $this->expiryAfter($span);
            $this->change(array_replace($this->table->rows, [$key => [Value::of($sum), $expiry]]));
        }
        return $sum;
    }

    public function remember(string|int $key, int|float|\DateInterval|\DateTimeInterface|null $ttl, callable $compute): mixed
    {
        $this->table->clock->span($ttl);
        if ($this->row($key) !== null) {
            return $this->get($key);
        }
        $value = $compute();
        $this->put($key, $value, $ttl);
        return $value;
    }

    public function update(string|int $key, callable $change): mixed
    {
        for ($round = 0; $round <= 100; $round++) {
            $row = $this->row($key);
            $value = $change($row !== null ? $row[0]->get() : null);
            if ($this->row($key) === $row) {
                $this->checkKey($key);
                $this->change(array_replace($this->table->rows, [$key => [Value::of($value)->checkSize(), $row[1] ?? null]]));
                return $value;
            }
        }
        throw new ContentionException("Cannot update key \"$key\": the callable ran 100 times, and each time it had changed the value itself");
    }

    public function interval(string|int $key, callable|string $resolver, int|float $seconds): void
    {
        if (!($seconds > 0 && is_finite($seconds))) {
            throw new \ValueError("interval(): Argument #3 (\$seconds) must be a number of seconds above 0, $seconds given");
        }
        if ($seconds < 0.01) {
            throw new InvalidValueException("The interval of key \"$key\" is {$seconds}s, the least is 10ms");
        }
        if (!is_callable($resolver) && !(class_exists($resolver) && method_exists($resolver, '__invoke'))) {
            throw new \TypeError('interval(): Argument #2 ($resolver) must be a callable or the name of a class with __invoke()');
        }
        $this->checkKey($key);
        $this->table->intervals[$key] = [$resolver, (int) ($seconds * 1e9), $this->table->intervals[$key][2] ?? null];
    }

    public function lock(string $name, int|float|\DateInterval|\DateTimeInterface $seconds = 0, ?string $owner = null, bool $releaseAtRequestEnd = false): ArraySharedLock
    {
        $span = $this->table->clock->span($seconds);
        if ($span === 0 && (is_object($seconds) || $seconds < 0)) {
            throw new \ValueError('A lock must be held for 0 seconds, for no limit, or more');
        }
        return new ArraySharedLock($this->table, $name, $owner ?? bin2hex(random_bytes(16)), $span === 0 ? null : $span);
    }

    public function restoreLock(string $name, string $owner): ArraySharedLock
    {
        return new ArraySharedLock($this->table, $name, $owner, null);
    }

    public function flushLocks(): bool
    {
        $this->table->locks = [];
        return true;
    }

    /**
     * The row of a key that is read: of an interval, one that is as new as it should be. A refresh that throws leaves the old one.
     */
    private function readRow(string|int $key): ?array
    {
        $row = $this->row($key);
        [$resolver, $every, $refreshed] = $this->table->intervals[$key] ?? [null, 0, null];
        $now = $this->table->clock->now();
        if ($resolver === null || isset($this->table->refreshing[$key]) || ($row !== null && $refreshed !== null && $now - $refreshed < $every)) {
            return $row;
        }
        $this->table->refreshing[$key] = true;
        try {
            $value = is_callable($resolver) ? $resolver() : (new $resolver())();
            $this->put($key, $value);
            $this->table->intervals[$key][2] = $this->table->clock->now();
        } catch (\Exception $e) {
            if ($row === null) {
                throw $e;
            }
        } finally {
            unset($this->table->refreshing[$key]);
        }
        return $this->row($key);
    }

    /**
     * The key that an offset stands for, by PHP's own rules.
     */
    private function keyOf(mixed $offset): string|int
    {
        return array_key_first([$offset => true]);
    }

    /**
     * @return list<string|int>
     */
    private function keysOf(array $keys): array
    {
        foreach ($keys as $key) {
            if (!is_string($key) && !is_int($key)) {
                throw new \TypeError('The keys must contain only strings and ints, ' . get_debug_type($key) . ' given');
            }
        }
        return array_values($keys);
    }

    private function checkKey(string|int $key): void
    {
        if (strlen((string) $key) > self::MAX_KEY) {
            throw new InvalidKeyException('Cannot store under a key of ' . strlen((string) $key) . ' bytes; the limit is ' . self::MAX_KEY);
        }
    }

    private function expiryAfter(?int $span): ?int
    {
        $expiry = $span !== null ? $this->table->clock->now() + $span : null;
        return is_int($expiry) ? $expiry : null;
    }

    /**
     * Rows of values, all of which are looked at before one is stored.
     */
    private function rowsOf(array $values, ?int $span): array
    {
        $rows = [];
        foreach ($values as $key => $value) {
            $this->checkKey($key);
            $rows[$key] = [Value::of($value)->checkSize(), null];
        }
        $expiry = $this->expiryAfter($span);
        return array_map(fn (array $row) => [$row[0], $expiry], $rows);
    }

    private function valuesOf(array $rows): array
    {
        return array_map(fn (array $row) => $row[0]->get(), $rows);
    }

    /**
     * The row of a key that has not expired.
     */
    private function row(string|int $key): ?array
    {
        $row = $this->table->rows[$key] ?? null;
        return $row !== null && ($row[1] === null || $row[1] > $this->table->clock->now()) ? $row : null;
    }

    private function live(): array
    {
        return array_filter($this->table->rows, fn ($key) => $this->row($key) !== null, ARRAY_FILTER_USE_KEY);
    }

    private function change(array $rows): void
    {
        $this->table->rows = $rows;
        $this->table->version++;
    }
}
