<?php

declare(strict_types=1);

/** The loops that are timed, as one peer does them. Each answers a pass: a closure that is given the pass's number. */
interface Peer
{
    /** Reads 'k' again and again. */
    public function read(int $ops): Closure;

    /** Reads 'list' again and again. */
    public function readList(int $ops): Closure;

    /**
     * Reads each key once.
     *
     * @param list<string> $keys
     */
    public function readEach(array $keys): Closure;

    /**
     * Stores a pass's value under each key.
     *
     * @param list<string> $keys
     * @param Closure(int): (int|string) $value
     */
    public function writeEach(array $keys, Closure $value): Closure;

    /** Stores two arrays under 'list_w' in turn. */
    public function writeList(int $ops, array $odd, array $even): Closure;

    /** Stores the entries of two arrays in turn, each array in one call. */
    public function merge(int $calls, array $odd, array $even): Closure;

    /** Adds 1 to 'n' again and again. */
    public function increment(int $ops): Closure;

    /**
     * Stores a pass's value under each key, for an hour.
     *
     * @param list<string> $keys
     * @param Closure(int): int $value
     */
    public function putEach(array $keys, Closure $value): Closure;

    /**
     * Stores a pass's value under each key that is absent. Answers whether the last one was.
     *
     * @param list<string> $keys
     * @param Closure(int): int $value
     */
    public function addEach(array $keys, Closure $value): Closure;

    /**
     * Reads each key, and stores a pass's value where it is absent.
     *
     * @param list<string> $keys
     * @param Closure(int): int $value
     */
    public function rememberEach(array $keys, Closure $value): Closure;

    /** Replaces the number n under a key by n + 1, from the pass's number times $ops on. Answers the last one. */
    public function compareAndSet(string $key, int $ops): Closure;

    /** Has a callable make n + 1 of the number n under a key, again and again. Answers the last one. */
    public function update(string $key, int $ops): Closure;

    /** @param list<string> $keys */
    public function forget(array $keys): void;

    /**
     * What it answers to a page that asks for these keys.
     *
     * @param list<string> $keys
     */
    public function answers(array $keys): array;

    /**
     * What is stored, whatever this thread remembers.
     *
     * @param list<string> $keys all of one kind
     */
    public function stored(array $keys): array;

    /** How many reads the peer has counted that the thread's cache answered; for a peer without one, all. */
    public function cachedReads(): int;

    /** How many reads the peer has counted that no thread's cache answered. */
    public function storeReads(): int;

    /** Are its counts of reads those of the calling thread alone? */
    public function countsByThread(): bool;

    public function writes(): int;

    public function put(array $values): void;
}
