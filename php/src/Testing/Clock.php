<?php

namespace FrankenShare\Testing;

/**
 * A clock that only goes on, and that a test can move on.
 *
 * @internal
 */
final class Clock
{
    private const SECOND = 1_000_000_000;

    private int $ahead = 0;

    /**
     * Nanoseconds since some moment.
     */
    public function now(): int
    {
        return hrtime(true) + $this->ahead;
    }

    public function advance(int|float $seconds): void
    {
        if (!($seconds >= 0 && $seconds * self::SECOND < PHP_INT_MAX)) {
            throw new \ValueError("The clock cannot be moved on by $seconds seconds");
        }
        $this->ahead += (int) ceil($seconds * self::SECOND);
    }

    /**
     * How many nanoseconds a time to live lasts: null for no end, 0 for what has passed.
     */
    public function span(int|float|\DateInterval|\DateTimeInterface|null $ttl): ?int
    {
        if ($ttl === null) {
            return null;
        }
        if (is_float($ttl) && !(abs($ttl) <= (float) PHP_INT_MAX)) {
            throw new \ValueError('A time to live must be a number of seconds of at most ' . PHP_INT_MAX . ", $ttl given");
        }
        if (is_object($ttl)) {
            $now = new \DateTimeImmutable();
            $end = $ttl instanceof \DateInterval ? $now->add($ttl) : $ttl;
            $seconds = $end->getTimestamp() - $now->getTimestamp();
            $nanoseconds = ((int) $end->format('u') - (int) $now->format('u')) * 1000;
        } else {
            $seconds = (int) min(max(floor($ttl), (float) PHP_INT_MIN), 1e18);
            $nanoseconds = (int) ceil(fmod($ttl, 1.0) * self::SECOND);
        }
        $span = is_int($seconds) ? $seconds * self::SECOND + $nanoseconds : INF;
        return is_int($span) ? max($span, 0) : ($span > 0 ? null : 0);
    }
}
