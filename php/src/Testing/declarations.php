<?php

// Generated from ext/frankenshare.stub.php by scripts/stubs.sh; do not edit.

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
