<?php

declare(strict_types=1);

/** The works of a peer. */
final class Works
{
    /** Several times what a thread's cache has room for, so that who goes through them all finds none in it. */
    private const READ_KEYS = 20_000;
    private const WRITE_KEYS = 1_000;
    private const LIST_LENGTH = 1_000;
    private const BATCH = 100;

    /**
     * @param int $stamp is in every value that is written, so that one of another measurement is told apart
     */
    public function __construct(
        private readonly Peer $peer,
        private readonly int $stamp,
        private readonly int $thread,
        private readonly int $keys,
    ) {
    }

    public static function seed(Peer $peer): void
    {
        $values = ['k' => 42, 'list' => range(1, self::LIST_LENGTH), 'n' => 0];
        for ($i = 0; $i < self::READ_KEYS; ++$i) {
            $values["int:$i"] = $i;
            $values["string:$i"] = self::text($i);
        }
        $peer->put($values);
        if (!self::same($values, $peer->answers(array_keys($values)))) {
            throw new RuntimeException($peer::class . ' does not hold what it was given');
        }
    }

    /**
     * Some keys of a kind in random order, made anew, as a page makes them: their hashes are not known yet.
     *
     * @param int $of how many keys of that kind there are
     * @return list<string>
     */
    public static function keys(string $kind, int $count, int $of): array
    {
        $numbers = range(0, $of - 1);
        shuffle($numbers);
        return array_map(static fn (int $n): string => "$kind:$n", array_slice($numbers, 0, $count));
    }

    public function work(string $name): Work
    {
        return match ($name) {
            'read' => $this->read(),
            'read_list' => $this->readList(),
            'first_int' => $this->first('int'),
            'first_string' => $this->first('string'),
            'write_int' => $this->write('write_int', $this->value(...)),
            'write_string' => $this->write('write_string', fn (int $pass): string => self::text($this->value($pass))),
            'write_list' => $this->writeList(),
            'merge' => $this->merge(),
            'increment' => $this->increment(),
            'put_ttl' => $this->putWithTtl(),
            'add_absent' => $this->make('add', $this->peer->addEach(...), fn (mixed $last): bool => $last === true),
            'add_present' => $this->addPresent(),
            'remember_absent' => $this->make('remember', $this->peer->rememberEach(...),
                fn (mixed $last): bool => $last === $this->value(1)),
            'remember_present' => $this->rememberPresent(),
            'compare_and_set' => $this->count('compare', $this->peer->compareAndSet(...)),
            'update' => $this->count('update', $this->peer->update(...)),
        };
    }

    private function read(): Work
    {
        $check = static fn (mixed $last): bool => $last === 42;
        $byThread = $this->peer->countsByThread();
        return new Work(1_000, $this->peer->read(1_000), $check, $this->peer->cachedReads(...), $byThread);
    }

    private function readList(): Work
    {
        $list = range(1, self::LIST_LENGTH);
        $check = static fn (mixed $last): bool => $last === $list;
        $ops = $this->peer instanceof Apcu ? 20 : 1_000;
        $byThread = $this->peer->countsByThread();
        return new Work($ops, $this->peer->readList($ops), $check, $this->peer->cachedReads(...), $byThread);
    }

    private function first(string $type): Work
    {
        $keys = self::keys($type, $this->keys, self::READ_KEYS);
        $expected = [];
        foreach ($keys as $key) {
            $number = (int) substr($key, strlen($type) + 1);
            $expected[$key] = $type === 'int' ? $number : self::text($number);
        }
        $check = fn (mixed $last): bool =>
            $last === end($expected) && self::same($expected, $this->peer->answers($keys));
        $count = $this->peer->storeReads(...);
        $byThread = $this->peer->countsByThread();
        return new Work(count($keys), $this->peer->readEach($keys), $check, $count, $byThread, cold: true);
    }

    /** @param Closure(int): (int|string) $value of a pass */
    private function write(string $kind, Closure $value): Work
    {
        $keys = self::keys($kind, self::WRITE_KEYS, self::WRITE_KEYS);
        $check = fn (mixed $last, int $passes, bool $together): bool =>
            $this->holds(array_fill_keys($keys, $value($passes)), $together);
        return new Work(count($keys), $this->peer->writeEach($keys, $value), $check, $this->peer->writes(...));
    }

    private function putWithTtl(): Work
    {
        $keys = self::keys('ttl', self::WRITE_KEYS, self::WRITE_KEYS);
        $check = fn (mixed $last, int $passes, bool $together): bool =>
            $this->holds(array_fill_keys($keys, $this->value($passes)), $together);
        return new Work(count($keys), $this->peer->putEach($keys, $this->value(...)), $check, $this->peer->writes(...));
    }

    /**
     * Makes keys that are absent: in one pass, for in another they are there.
     *
     * @param Closure(list<string>, Closure(int): int): Closure $each
     * @param Closure(mixed): bool $checkLast
     */
    private function make(string $kind, Closure $each, Closure $checkLast): Work
    {
        $keys = self::keys($kind, $this->keys, $this->keys);
        $this->peer->forget($keys);
        $check = fn (mixed $last, int $passes): bool =>
            $checkLast($last) && $this->holds(array_fill_keys($keys, $this->value($passes)), false);
        return new Work(count($keys), $each($keys, $this->value(...)), $check, $this->peer->writes(...), cold: true);
    }

    private function addPresent(): Work
    {
        $check = fn (mixed $last): bool => $last === false && $this->peer->stored(['k'])['k'] === 42;
        return new Work(1_000, $this->peer->addEach(array_fill(0, 1_000, 'k'), $this->value(...)), $check);
    }

    private function rememberPresent(): Work
    {
        $check = static fn (mixed $last): bool => $last === 42;
        return new Work(1_000, $this->peer->rememberEach(array_fill(0, 1_000, 'k'), $this->value(...)), $check);
    }

    /**
     * Counts from 0 on under a key of this thread's: what fails leaves the number behind.
     *
     * @param Closure(string, int): Closure $counting
     */
    private function count(string $kind, Closure $counting): Work
    {
        $ops = 1_000;
        $key = "$kind:$this->thread";
        $this->peer->put([$key => 0]);
        $check = fn (mixed $last, int $passes): bool =>
            $last === ($passes + 1) * $ops && $this->peer->stored([$key])[$key] === $last;
        return new Work($ops, $counting($key, $ops), $check);
    }

    private function writeList(): Work
    {
        $odd = [$this->value(1), ...range(2, self::LIST_LENGTH)];
        $even = [$this->value(2), ...range(2, self::LIST_LENGTH)];
        $check = fn (mixed $last, int $passes, bool $together): bool =>
            $this->holds(['list_w' => $even], $together);
        return new Work(20, $this->peer->writeList(20, $odd, $even), $check, $this->peer->writes(...));
    }

    private function merge(): Work
    {
        $keys = self::keys('merge', self::BATCH, self::BATCH);
        $odd = array_fill_keys($keys, $this->value(1));
        $even = array_fill_keys($keys, $this->value(2));
        $check = fn (mixed $last, int $passes, bool $together): bool => $this->holds($even, $together);
        return new Work(10 * self::BATCH, $this->peer->merge(10, $odd, $even), $check, $this->peer->writes(...));
    }

    private function increment(): Work
    {
        $number = fn (): int => $this->peer->stored(['n'])['n'];
        $check = static fn (mixed $last, int $passes, bool $together): bool => $together || $last === $number();
        return new Work(1_000, $this->peer->increment(1_000), $check, $number);
    }

    /** Does the peer hold these values, or, where other threads write too, values of theirs? */
    private function holds(array $expected, bool $together): bool
    {
        $stored = $this->peer->stored(array_keys($expected));
        if (!$together) {
            return self::same($expected, $stored);
        }
        foreach ($expected as $key => $value) {
            $have = $stored[$key];
            if (get_debug_type($have) !== get_debug_type($value) || is_array($have) && count($have) !== count($value)) {
                return false;
            }
            if ((int) (is_array($have) ? $have[0] : $have) >> 35 !== $this->stamp) {
                return false;
            }
        }
        return true;
    }

    private static function same(array $expected, array $stored): bool
    {
        foreach ($expected as $key => $value) {
            if (!array_key_exists($key, $stored) || $stored[$key] !== $value) {
                return false;
            }
        }
        return true;
    }

    /** A number that no other pass, thread or measurement writes: a write that changes nothing could cost less. */
    private function value(int $pass): int
    {
        return $this->stamp << 35 | $this->thread << 32 | $pass;
    }

    private static function text(int $n): string
    {
        return sprintf('%020d', $n);
    }
}
