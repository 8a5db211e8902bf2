<?php

/**
 * @generate-class-entries
 */

namespace FrankenPHP\SharedState {

    /**
     * Parent of all exceptions of shared state. Itself thrown only for an internal failure.
     */
    class SharedStateException extends \RuntimeException
    {
    }

    /**
     * The value cannot be stored (a closure, a resource, a recursive or too deep array, an object where the table denies
     * them), cannot be read back (an enum case that is gone), or is no number that the call could change.
     */
    class InvalidValueException extends SharedStateException
    {
    }

    /**
     * The key is longer than the store allows.
     */
    class InvalidKeyException extends SharedStateException
    {
    }

    /**
     * The encoded value is longer than the table's max_value.
     */
    class ValueTooLargeException extends SharedStateException
    {
    }

    /**
     * The table's memory, or that of the locks, is used up. Nothing was changed.
     */
    class TableFullException extends SharedStateException
    {
    }

    /**
     * There is no table of that name, or the name is no table's name.
     */
    class UnknownTableException extends SharedStateException
    {
    }

    /**
     * The object belongs to no table: its constructor did not run, or it was unserialized from a string that names none.
     */
    class UninitializedException extends SharedStateException
    {
    }

    /**
     * The shared object that a stored handle is on is gone, or the mutex that a fiber goes on in was freed when its request ended.
     */
    class StaleHandleException extends SharedStateException
    {
    }

    /**
     * Shared state cannot be used here: it is not configured and autostart is off, this is a forked child process, the
     * server is shutting down, or the table was damaged by an internal failure.
     */
    class UnavailableException extends SharedStateException
    {
    }

    /**
     * An internal failure came while the mutex was held, so that nobody knows whether its value is right. It stays so: remove() its name.
     */
    class CorruptedMutexException extends SharedStateException
    {
    }

    /**
     * Parent of what can come of several requests that want the same.
     */
    class ConcurrencyException extends SharedStateException
    {
    }

    /**
     * Other writers came between again and again, or a mutex is another request's; nothing was changed.
     */
    class ContentionException extends ConcurrencyException
    {
    }

    /**
     * There is no result, or no mutex, for the time that the operation had was over.
     */
    class OperationTimeoutException extends ConcurrencyException
    {
    }

    /**
     * The lock was another's for as long as the caller wanted to wait.
     */
    class LockTimeoutException extends ConcurrencyException
    {
    }

    /**
     * The request would wait for what it holds itself, or for one that waits, over others perhaps, for it.
     */
    class DeadlockException extends ConcurrencyException
    {
    }

    /**
     * The wait was ended, for the server loads another configuration or stops.
     */
    class WaitCancelledException extends ConcurrencyException
    {
    }

    /**
     * Refreshes intervals that are due: in the script of the intervals worker those of all tables, elsewhere those that this
     * request has read. A resolver that throws is told of in PHP's log, and tried again later.
     *
     * @param bool $finish send the response first, if there is one
     * @return int how many were refreshed
     */
    function refresh_intervals(bool $finish = false): int {}

    /**
     * What FrankenPHP\SharedLock can do, for code that takes one to name as a type, and to be tested with a fake.
     *
     * A lock has a name in its table, and an owner while it is held: whoever knows the owner may release it. It is not re-entrant:
     * what is held is not free for its owner either. It needs no key, and a full table leaves it alone.
     *
     * Methods throw UnavailableException where the store cannot be used.
     */
    interface SharedLockInterface
    {
        /**
         * Takes the lock if it is free and nobody waits for it.
         *
         * @throws TableFullException when there is no memory for another lock; see locks_memory
         * @return bool is it held by this owner now?
         */
        public function acquire(): bool;

        /**
         * Takes the lock if it is free. With a callable calls that and releases the lock, however the call ends: it returns,
         * throws, exits or dies.
         *
         * @throws TableFullException when there is no memory for another lock; see locks_memory
         * @return mixed what the callable returns, or true without one; false when the lock is not free
         */
        public function get(?callable $callback = null): mixed;

        /**
         * The same, but waits for the lock: those who wait get it in the order in which they came, each at the moment in which it
         * is free. It is held for all its time from then on.
         *
         * @param int|float $seconds how long to wait at most: 0 not at all, INF for as long as it takes
         * @throws LockTimeoutException when that time is over
         * @throws DeadlockException when this request holds the lock itself, without an expiry, or one that waits for this request
         * @throws WaitCancelledException when the server is reloaded or stops
         * @throws TableFullException when there is no memory for another lock; see locks_memory
         * @return mixed what the callable returns, or true without one
         */
        public function block(int|float $seconds, ?callable $callback = null): mixed;

        /**
         * Gives the lock back. A lock that has expired, or is another owner's, stays as it is.
         *
         * @return bool was it held by this owner?
         */
        public function release(): bool;

        /**
         * Takes the lock away from whoever has it.
         */
        public function forceRelease(): void;

        /**
         * Has the lock expire that many seconds from now, if this owner holds it.
         *
         * @param int|float|null $seconds more than 0; null for as many as the lock was made with, which changes nothing when that
         *                                was none
         * @return bool is it held by this owner?
         */
        public function refresh(int|float|null $seconds = null): bool;

        /**
         * How many seconds whoever has the lock may still have it. Null when it does not expire, and when it is free.
         */
        public function getRemainingLifetime(): ?float;

        /**
         * The owner that this object acts for; not the one who has the lock.
         */
        public function owner(): string;

        /**
         * Is the lock held by that owner? For null: is it free?
         */
        public function isOwnedBy(?string $owner): bool;

        /**
         * Is the lock held by this object's owner?
         */
        public function isOwnedByCurrentProcess(): bool;

        /**
         * The fencing token of the last time that this object got the lock, 0 before that. Each time that any lock of the store is got its
         * token is larger than all before, so that a resource which remembers the largest can refuse an owner that is late.
         */
        public function token(): int;
    }

    /**
     * What FrankenPHP\SharedArray can do, for code that takes one to name as a type, and to be tested with a fake.
     *
     * `$shared['key']` reads, `$shared['key'] = $value` stores, `isset($shared['key'])` asks and `unset($shared['key'])`
     * removes, each as one atomic step.
     *
     * Keys are strings of any bytes, or ints; as in a PHP array, '12' and 12 are the same key, and null, booleans, floats
     * and resources become strings and ints as they do there.
     *
     * Values come back identical (===): null, booleans, ints, floats, strings, arrays of these, enum cases. Other objects are
     * stored by PHP's serializer and come back as equal ones, anew for each read. A reference inside an array is stored as
     * its value.
     *
     * What PHP would change in place throws an Error and changes nothing: `$shared['n']++`, `$shared['a'][] = 1`,
     * `unset($shared['a']['b'])`, `&$shared['k']`. `$shared['n'] += 1` works, but is a read and a write; increment() is
     * one step.
     *
     * A time to live is a number of seconds, whose fraction counts, or a DateInterval, which is added to this moment as PHP does
     * with dates, or a DateTimeInterface, which the wall clock has to reach, or null for none. It is measured from the call on by
     * a clock that nobody sets. A number that is NAN or infinite throws a ValueError; one too large to count never ends.
     *
     * Every method throws UninitializedException on an object whose constructor did not run, and
     * UnavailableException where the store cannot be used. Every method that stores throws
     * InvalidValueException, ValueTooLargeException, InvalidKeyException or
     * TableFullException for what it cannot store, and has then changed nothing.
     *
     * @extends \ArrayAccess<array-key, mixed>
     * @extends \IteratorAggregate<array-key, mixed>
     */
    interface SharedArrayInterface extends \ArrayAccess, \Countable, \IteratorAggregate, \JsonSerializable
    {
        /**
         * The value of a key, null when it is absent. The same as $shared[$offset].
         */
        public function offsetGet(mixed $offset): mixed;

        /**
         * Stores a value. The same as $shared[$offset] = $value; a null offset is the key ''.
         */
        public function offsetSet(mixed $offset, mixed $value): void;

        /**
         * Is there a value other than null? The same as isset($shared[$offset]).
         */
        public function offsetExists(mixed $offset): bool;

        /**
         * Removes a key. The same as unset($shared[$offset]).
         */
        public function offsetUnset(mixed $offset): void;

        /**
         * The number of keys. The same as count($shared).
         */
        public function count(): int;

        /**
         * Walks over a snapshot(): later changes do not show. The order is not specified.
         *
         * @return \ArrayIterator<array-key, mixed>
         */
        public function getIterator(): \ArrayIterator;

        /**
         * What json_encode() sees: the snapshot().
         *
         * @return array<array-key, mixed>
         */
        public function jsonSerialize(): array;

        /**
         * Stores all entries in one step: no reader sees some of them without the others. Other keys stay.
         *
         * @param mixed[] $values by key
         */
        public function merge(array $values): void;

        /**
         * Puts the entries in the place of the table's whole contents, in one step. When an old value cannot be decoded, or its
         * class throws, or the memory_limit has no room for the old contents, the error comes after that step.
         *
         * @param mixed[] $values by key
         * @return array<array-key, mixed> the old contents
         */
        public function replace(array $values): array;

        /**
         * All keys as they were at one moment of the call; numeric ones are ints, as in a PHP array. The order is not
         * specified.
         *
         * @return list<array-key>
         */
        public function keys(): array;

        /**
         * All keys and values as they were at one moment of the call. A thread keeps its last snapshot and reads only what
         * has changed since. The order is not specified.
         *
         * @return array<array-key, mixed>
         */
        public function snapshot(): array;

        /**
         * A number that grows with every change of the table.
         */
        public function version(): int;

        /**
         * The value of a key, $default when it is absent. A stored null is a value.
         */
        public function get(string|int $key, mixed $default = null): mixed;

        /**
         * How many seconds the key has still to live. Null when it does not expire, and when it is absent; exists() tells these
         * two apart.
         */
        public function ttl(string|int $key): ?float;

        /**
         * Stores a value. The key's old value and expiry are gone. True, or an exception.
         *
         * @param int|float|\DateInterval|\DateTimeInterface|null $ttl the time to live: seconds, an interval from now on, a moment, or null for
         *        no expiry; see the class. With 0 or less the value would have expired already: the key is removed.
         */
        public function put(string|int $key, mixed $value, int|float|\DateInterval|\DateTimeInterface|null $ttl = null): bool;

        /**
         * Stores all entries in one step, as merge() does. True, or an exception.
         *
         * @param mixed[] $values by key
         * @param int|float|\DateInterval|\DateTimeInterface|null $ttl of all of them; see put()
         */
        public function putMany(array $values, int|float|\DateInterval|\DateTimeInterface|null $ttl = null): bool;

        /**
         * Stores a value without expiry. True, or an exception.
         */
        public function forever(string|int $key, mixed $value): bool;

        /**
         * Stores a value if the key is absent. Of several calls at once exactly one does. Where the key is there the value is not
         * looked at, and no lock is taken.
         *
         * @param int|float|\DateInterval|\DateTimeInterface|null $ttl as of put(); with 0 or less nothing is stored
         * @return bool was the key absent?
         */
        public function add(string|int $key, mixed $value, int|float|\DateInterval|\DateTimeInterface|null $ttl = null): bool;

        /**
         * Stores a value over another one, in one step; the key keeps its expiry. The values compare as with ===, but that NAN is
         * NAN and -0.0 is not 0.0, and that objects are the same when PHP serializes them to the same bytes. An absent key has no
         * value, not even null.
         *
         * @return bool was the value $expected, and is it $new now?
         */
        public function compareAndSet(string|int $key, mixed $expected, mixed $new): bool;

        /**
         * Gives a key another time to live and keeps its value. It needs no memory, so it works in a full table.
         *
         * @param int|float|\DateInterval|\DateTimeInterface|null $ttl as of put(); with 0 or less the key is removed
         * @return bool was the key there?
         */
        public function touch(string|int $key, int|float|\DateInterval|\DateTimeInterface|null $ttl): bool;

        /**
         * The values of several keys, each read on its own; use snapshot() for one moment's.
         *
         * @param array $keys strings and ints
         * @param mixed $default for each key that is absent
         * @return array<array-key, mixed> by the keys given
         */
        public function many(array $keys, mixed $default = null): array;

        /**
         * Is the key there? True for a stored null too.
         */
        public function exists(string|int $key): bool;

        /**
         * Removes a key.
         *
         * @return bool was it there?
         */
        public function forget(string|int $key): bool;

        /**
         * Removes a key and gives its value, $default when it is absent, in one step. When the value cannot be decoded, or its
         * class throws, the error comes after that step.
         */
        public function pull(string|int $key, mixed $default = null): mixed;

        /**
         * Removes several keys in one step.
         *
         * @param array $keys strings and ints
         * @return int how many of them were there
         */
        public function forgetMany(array $keys): int;

        /**
         * Removes all keys that begin with some bytes, one after another; '' begins every key.
         *
         * @return int how many there were
         */
        public function forgetPrefix(string $prefix): int;

        /**
         * Removes every key, in one step.
         *
         * @return bool true, or an exception
         */
        public function flush(): bool;

        /**
         * Frees the memory of what has expired, which is absent already. The server does so by itself, as often as the table's
         * `sweep` says.
         *
         * @return int how many keys that were
         */
        public function sweep(): int;

        /**
         * Frees what has expired and, while the table has less free memory than its `eviction` says, removes keys by its policy. The
         * server does so by itself.
         *
         * @return int how many keys that were
         */
        public function evict(): int;

        /**
         * Keys that begin with some bytes, with their values; '' begins every key. A key that is there all the time is found;
         * one that comes or goes meanwhile may be. The order is not specified.
         *
         * @param int $limit the most to find; not negative
         * @return array<array-key, mixed>
         */
        public function scan(string $prefix = '', int $limit = PHP_INT_MAX): array;

        /**
         * Figures of the table, of the store ('private' to a command-line process or the 'server''s) and of the calling
         * thread's cache. Sizes are in bytes.
         *
         * @return array<string, mixed>
         */
        public function stats(): array;

        /**
         * Adds to a number in one step. An absent key counts as 0; a string that is an int's canonical text counts as that
         * int. Two ints give an int, a float on either side a float. A key that is there keeps its expiry.
         *
         * @param int|float|\DateInterval|\DateTimeInterface|null $ttlIfNew the time to live of a key that was absent, as of put()
         * @throws SharedState\InvalidValueException when the value is no number, or the result has no room in its type
         * @return int|float the new number
         */
        public function increment(string|int $key, int|float $by = 1, int|float|\DateInterval|\DateTimeInterface|null $ttlIfNew = null): int|float;

        /**
         * Subtracts from a number in one step; see increment().
         *
         * @throws SharedState\InvalidValueException when the value is no number, or the result has no room in its type
         * @return int|float the new number
         */
        public function decrement(string|int $key, int|float $by = 1, int|float|\DateInterval|\DateTimeInterface|null $ttlIfNew = null): int|float;

        /**
         * The value of a key, or, when it is absent, what $compute returns, which is then stored. One request computes, and others
         * that want the value wait for it; when it dies or throws, the next one computes. Nested calls on the same key, and requests
         * that would wait for one another, compute without waiting.
         *
         * @param int|float|\DateInterval|\DateTimeInterface|null $ttl the life of a value that is stored, see put(); it counts from
         *                                                             when the value is there
         * @param callable $compute
         */
        public function remember(string|int $key, int|float|\DateInterval|\DateTimeInterface|null $ttl, callable $compute): mixed;

        /**
         * Replaces a value by what $change makes of it, in one step: $change is given the present value, null when the key is
         * absent, and runs again when another writer came between. The key keeps its expiry.
         *
         * @param callable $change
         * @throws SharedState\ContentionException when that has happened 100 times
         * @return mixed the new value
         */
        public function update(string|int $key, callable $change): mixed;

        /**
         * Has a value computed anew from time to time, and now if it is read and absent. Calling it again, as each request or
         * worker may when it starts, changes the resolver and the interval and keeps the cadence. See docs/php.md for who runs
         * the resolver.
         *
         * @param callable|string $resolver a callable, or the name of a class that has __invoke() and a constructor without
         *                                  arguments. Without a name (a closure, a method of an object) only threads that
         *                                  have registered it can run it
         * @param int|float $seconds from one value to the next, at least 0.01
         * @throws SharedState\InvalidValueException when the intervals worker could not run the resolver
         */
        public function interval(string|int $key, callable|string $resolver, int|float $seconds): void;

        /**
         * A lock of the table, not yet held. Names of locks are apart from keys.
         *
         * @param int|float|\DateInterval|\DateTimeInterface $seconds how long it is held at most, from the moment it is got; 0 for no
         *                                                            limit. A moment counts as the time from now to then
         * @param string|null $owner who may release it; null for 32 random hexadecimal digits
         * @param bool $releaseAtRequestEnd release it when the request ends in which it was got, in whatever way that ends
         */
        public function lock(string $name, int|float|\DateInterval|\DateTimeInterface $seconds = 0, ?string $owner = null, bool $releaseAtRequestEnd = false): SharedLockInterface;

        /**
         * A lock that an owner has got elsewhere, to be released or asked about. It changes nothing.
         */
        public function restoreLock(string $name, string $owner): SharedLockInterface;

        /**
         * Takes all locks of the table away from whoever has them; keys stay. flush() in turn leaves locks alone.
         *
         * @return bool true, or an exception
         */
        public function flushLocks(): bool;
    }
}

namespace FrankenPHP {

    /**
     * A lock between all requests of this server and its Go code. SharedArray::lock() makes it; the interface says what the methods
     * do. It can be neither cloned nor serialized: the owner, as a string, is what to hand on; see SharedArray::restoreLock().
     *
     * @strict-properties
     * @not-serializable
     */
    final class SharedLock implements SharedState\SharedLockInterface
    {
        private function __construct() {}

        public function acquire(): bool {}

        public function get(?callable $callback = null): mixed {}

        public function block(int|float $seconds, ?callable $callback = null): mixed {}

        public function release(): bool {}

        public function forceRelease(): void {}

        public function refresh(int|float|null $seconds = null): bool {}

        public function getRemainingLifetime(): ?float {}

        public function owner(): string {}

        public function isOwnedBy(?string $owner): bool {}

        public function isOwnedByCurrentProcess(): bool {}

        public function token(): int {}
    }

    /**
     * One table of the store that all PHP threads and Go code of this server share. The interface says what the methods do.
     *
     * @strict-properties
     */
    final class SharedArray implements SharedState\SharedArrayInterface
    {
        /**
         * Opens a table.
         *
         * @param string|null $table its name, of at most 63 bytes; null for the one that the request's FRANKENSHARE_TABLE
         *                           variable names, or else 'default'
         * @throws SharedState\UnknownTableException
         * @throws SharedState\UnavailableException
         */
        public function __construct(?string $table = null) {}

        public function offsetGet(mixed $offset): mixed {}

        public function offsetSet(mixed $offset, mixed $value): void {}

        public function offsetExists(mixed $offset): bool {}

        public function offsetUnset(mixed $offset): void {}

        public function count(): int {}

        public function getIterator(): \ArrayIterator {}

        public function jsonSerialize(): array {}

        public function merge(array $values): void {}

        public function replace(array $values): array {}

        public function keys(): array {}

        public function snapshot(): array {}

        public function version(): int {}

        public function get(string|int $key, mixed $default = null): mixed {}

        public function ttl(string|int $key): ?float {}

        public function put(string|int $key, mixed $value, int|float|\DateInterval|\DateTimeInterface|null $ttl = null): bool {}

        public function putMany(array $values, int|float|\DateInterval|\DateTimeInterface|null $ttl = null): bool {}

        public function forever(string|int $key, mixed $value): bool {}

        public function add(string|int $key, mixed $value, int|float|\DateInterval|\DateTimeInterface|null $ttl = null): bool {}

        public function compareAndSet(string|int $key, mixed $expected, mixed $new): bool {}

        public function touch(string|int $key, int|float|\DateInterval|\DateTimeInterface|null $ttl): bool {}

        public function many(array $keys, mixed $default = null): array {}

        public function exists(string|int $key): bool {}

        public function forget(string|int $key): bool {}

        public function pull(string|int $key, mixed $default = null): mixed {}

        public function forgetMany(array $keys): int {}

        public function forgetPrefix(string $prefix): int {}

        public function flush(): bool {}

        public function sweep(): int {}

        public function evict(): int {}

        public function scan(string $prefix = '', int $limit = PHP_INT_MAX): array {}

        public function stats(): array {}

        public function increment(string|int $key, int|float $by = 1, int|float|\DateInterval|\DateTimeInterface|null $ttlIfNew = null): int|float {}

        public function decrement(string|int $key, int|float $by = 1, int|float|\DateInterval|\DateTimeInterface|null $ttlIfNew = null): int|float {}

        public function remember(string|int $key, int|float|\DateInterval|\DateTimeInterface|null $ttl, callable $compute): mixed {}

        public function update(string|int $key, callable $change): mixed {}

        public function interval(string|int $key, callable|string $resolver, int|float $seconds): void {}

        public function lock(string $name, int|float|\DateInterval|\DateTimeInterface $seconds = 0, ?string $owner = null, bool $releaseAtRequestEnd = false): SharedLock {}

        public function restoreLock(string $name, string $owner): SharedLock {}

        public function flushLocks(): bool {}

        /**
         * The table's name; no data.
         *
         * @return array{table: string}
         */
        public function __serialize(): array {}

        /**
         * Opens the table of that name. Changes no data, and throws nothing: where there is no such table, using the object
         * throws SharedState\UninitializedException.
         */
        public function __unserialize(array $data): void {}
    }

    /**
     * A counter that all PHP threads and Go code of this server share: one int that is changed by one atomic operation. A named one is the
     * same for all who open it, and keeps its value, until remove(); one without a name lives as long as its object.
     *
     * Every method throws SharedState\UninitializedException on an object whose constructor did not run.
     *
     * @strict-properties
     * @not-serializable
     */
    final class SharedCounter
    {
        /**
         * Opens a counter, or makes one.
         *
         * @param int $initial the value of a counter that is made
         * @param string|null $name null or '' for one that nobody else has
         * @throws SharedState\TableFullException when locks_memory is used up
         * @throws SharedState\UnavailableException
         */
        public function __construct(int $initial = 0, ?string $name = null) {}

        /**
         * The value.
         */
        public function get(): int {}

        /**
         * Sets the value.
         *
         * @return int the value before
         */
        public function set(int $value): int {}

        /**
         * Adds to the value.
         *
         * @throws SharedState\InvalidValueException when the sum has no room in an int; the value stands
         * @return int the sum
         */
        public function add(int $by = 1): int {}

        /**
         * Sets the value if it is $expected.
         *
         * @return bool was it?
         */
        public function compareAndSet(int $expected, int $new): bool {}

        /**
         * The counter's number, which no other one gets in the life of the process.
         */
        public function id(): int {}

        /**
         * Takes a name from its counter: who opens it next makes a new one. Those who have the counter open keep it.
         *
         * @return bool was there one?
         */
        public static function remove(string $name): bool {}
    }

    /**
     * A value that one request at a time sees and changes. One with a name is the same for all who open it, until remove(); one without
     * lives as long as there is a handle to it. Two handles to one mutex are equal (==).
     *
     * Whoever waits gets the mutex in the order of coming. A callable is given the value by reference; what it leaves there counts when it
     * returns, and as much when it throws. When it does not come to its end (exit, a fatal error, the time or memory limit, a fiber that
     * is destroyed, a worker restart), nothing has changed, and the mutex is free. The value must be storable, as in a table, up to
     * max_value of the table "default".
     *
     * Every method but remove() throws SharedState\UninitializedException on an object whose constructor did not run, and
     * SharedState\UnavailableException in a forked child.
     *
     * @strict-properties
     * @not-serializable
     */
    final class SharedMutex
    {
        /**
         * Opens a mutex, or makes one.
         *
         * @param mixed $initial the value of a mutex that is made
         * @param string|null $name null or '' for one that nobody else has
         * @throws SharedState\InvalidValueException when $initial cannot be stored
         * @throws SharedState\ValueTooLargeException
         * @throws SharedState\TableFullException when locks_memory is used up
         * @throws SharedState\UnavailableException
         */
        public function __construct(mixed $initial = null, ?string $name = null) {}

        /**
         * Waits for the mutex, as long as it takes, and calls with the value.
         *
         * A client that hangs up does not end the wait; PHP's time limit does.
         *
         * @param callable $fn gets the value, by reference if it takes that
         * @throws SharedState\DeadlockException when this request has the mutex already, be it in another fiber, or one that waits for this
         * request, over others perhaps
         * @throws SharedState\WaitCancelledException when the server loads another configuration or stops
         * @throws SharedState\InvalidValueException when what $fn leaves in the value cannot be stored; the value before stands
         * @throws SharedState\ValueTooLargeException likewise
         * @throws SharedState\TableFullException when locks_memory is used up
         * @throws SharedState\StaleHandleException when the request that took the mutex has ended, and a fiber of it goes on in another; the
         * value before stands
         * @throws SharedState\CorruptedMutexException after an internal failure
         * @return mixed what $fn returns, of any type
         */
        public function withLock(callable $fn): mixed {}

        /**
         * The same if the mutex is free.
         *
         * @throws SharedState\ContentionException when another request has it
         */
        public function tryWithLock(callable $fn): mixed {}

        /**
         * The same with a limit to the wait.
         *
         * @param int $ms milliseconds, 1 or more
         * @throws SharedState\OperationTimeoutException when the mutex was not free in that time
         */
        public function withLockTimeout(callable $fn, int $ms): mixed {}

        /**
         * The mutex's number, which no other one gets in the life of the process.
         */
        public function id(): int {}

        /**
         * Takes a name from its mutex; see SharedCounter::remove().
         *
         * @return bool was there one?
         */
        public static function remove(string $name): bool {}
    }

    /**
     * A flag that all PHP threads and Go code of this server share, and that can be waited for. Named and unnamed ones are as with
     * SharedCounter, whose names are others.
     *
     * Every method throws SharedState\UninitializedException on an object whose constructor did not run.
     *
     * @strict-properties
     * @not-serializable
     */
    final class SharedFlag
    {
        /**
         * Opens a flag, or makes one.
         *
         * @param bool $initial the value of a flag that is made
         * @param string|null $name null or '' for one that nobody else has
         * @throws SharedState\TableFullException when locks_memory is used up
         * @throws SharedState\UnavailableException
         */
        public function __construct(bool $initial = false, ?string $name = null) {}

        /**
         * The value.
         */
        public function get(): bool {}

        /**
         * Sets the value; true wakes those who wait.
         *
         * @return bool the value before
         */
        public function set(bool $value): bool {}

        /**
         * Sets the value if it is $expected.
         *
         * @return bool was it?
         */
        public function compareAndSet(bool $expected, bool $new): bool {}

        /**
         * Waits until the flag is set.
         *
         * @param float $seconds the longest to wait; INF for no limit
         * @throws SharedState\WaitCancelledException when the server loads another configuration
         * @return bool is it set?
         */
        public function wait(float $seconds): bool {}

        /**
         * The flag's number, which no other one gets in the life of the process.
         */
        public function id(): int {}

        /**
         * Takes a name from its flag; see SharedCounter::remove().
         *
         * @return bool was there one?
         */
        public static function remove(string $name): bool {}
    }

    /**
     * A channel between all PHP threads and Go code of this server: a queue of a bounded number of values, each of which is received
     * once, in the order in which they were sent. Who waits is served in the order of coming. Named and unnamed ones are as with
     * SharedCounter, whose names are others.
     *
     * Values are those that a table takes, with the limits of the table 'default', and count to locks_memory. A wait blocks its thread,
     * also in a fiber; it ends when the server loads another configuration, and by PHP's own error when the request's time is up.
     *
     * Every method throws SharedState\UninitializedException on an object whose constructor did not run.
     *
     * @strict-properties
     * @not-serializable
     */
    final class SharedChannel implements \Countable
    {
        /**
         * Opens a channel, or makes one.
         *
         * @param int $capacity how many values a channel that is made can hold, at least 1
         * @param string|null $name null or '' for one that nobody else has
         * @throws \ValueError
         * @throws SharedState\TableFullException when locks_memory is used up
         * @throws SharedState\UnavailableException
         */
        public function __construct(int $capacity, ?string $name = null) {}

        /**
         * Sends a value, and waits for room without limit. What is thrown was not sent.
         *
         * @throws SharedState\InvalidValueException
         * @throws SharedState\ValueTooLargeException
         * @throws SharedState\TableFullException when locks_memory is used up
         * @throws SharedState\WaitCancelledException when the server loads another configuration
         */
        public function send(mixed $value): SharedState\SendResult {}

        /**
         * Sends a value if there is room. Throws as send() does, but for the wait.
         */
        public function trySend(mixed $value): SharedState\SendResult {}

        /**
         * Sends a value, and waits for room up to a time. Throws as send() does.
         *
         * @param int $ms milliseconds, at least 1
         * @throws \ValueError
         */
        public function sendTimeout(mixed $value, int $ms): SharedState\SendResult {}

        /**
         * Receives the next value, and waits for one without limit. If PHP dies before it has the value, as of memory_limit, the value is
         * the channel's next again. One that cannot be made any more, as a case of an enum that is gone, is lost when it throws.
         *
         * @throws SharedState\WaitCancelledException when the server loads another configuration
         * @throws SharedState\InvalidValueException
         */
        public function recv(): SharedState\RecvResult {}

        /**
         * Receives the next value if there is one. Throws as recv() does, but for the wait.
         */
        public function tryRecv(): SharedState\RecvResult {}

        /**
         * Receives the next value, and waits for one up to a time. Throws as recv() does.
         *
         * @param int $ms milliseconds, at least 1
         * @throws \ValueError
         */
        public function recvTimeout(int $ms): SharedState\RecvResult {}

        /**
         * Closes the channel for all who have it: nothing can be sent any more, and what is in it can be received. Those who wait to send
         * have sent nothing.
         *
         * @return bool was it open?
         */
        public function close(): bool {}

        public function isClosed(): bool {}

        /**
         * How many values are in the channel now.
         */
        public function count(): int {}

        /**
         * The channel's number, which no other object gets in the life of the process.
         */
        public function id(): int {}

        /**
         * Takes a name from its channel; see SharedCounter::remove().
         *
         * @return bool was there one?
         */
        public static function remove(string $name): bool {}
    }
}

namespace FrankenPHP\SharedState {
    /**
     * How sending to a channel has ended.
     */
    enum SendStatus
    {
        /** The value is in the channel, or with its receiver already. */
        case Ok;
        /** The channel has no room; of trySend() alone. */
        case Full;
        /** It had no room within the time; of sendTimeout() alone. */
        case Timeout;
        /** The channel is closed. */
        case Closed;
    }

    /**
     * How receiving from a channel has ended.
     */
    enum RecvStatus
    {
        /** A value was received. */
        case Ok;
        /** The channel is empty; of tryRecv() alone. */
        case Empty;
        /** It was empty all the time; of recvTimeout() alone. */
        case Timeout;
        /** The channel is closed, and all that was in it has been received. */
        case Closed;
    }

    /**
     * What sending to a channel has come to.
     *
     * @strict-properties
     * @not-serializable
     */
    final class SendResult
    {
        private SendStatus $status;

        private function __construct() {}

        /**
         * Is the value in the channel, or with its receiver already? If not, it is not sent.
         */
        public function isOk(): bool {}

        public function isFull(): bool {}

        public function isTimeout(): bool {}

        public function isClosed(): bool {}

        public function status(): SendStatus {}
    }

    /**
     * What receiving from a channel has come to.
     *
     * @strict-properties
     * @not-serializable
     */
    final class RecvResult
    {
        private RecvStatus $status;

        private mixed $value;

        private function __construct() {}

        public function isOk(): bool {}

        public function isEmpty(): bool {}

        public function isTimeout(): bool {}

        /**
         * Is the channel closed, and empty for good?
         */
        public function isClosed(): bool {}

        public function status(): RecvStatus {}

        /**
         * The value that was received.
         *
         * @throws OperationTimeoutException when the time was over
         * @throws SharedStateException when the channel was empty or closed
         */
        public function value(): mixed {}

        /**
         * The value that was received, or another when none was.
         */
        public function valueOr(mixed $default): mixed {}
    }
}
