<?php

namespace FrankenShare\Testing;

use FrankenPHP\SharedState\DeadlockException;
use FrankenPHP\SharedState\LockTimeoutException;
use FrankenPHP\SharedState\SharedLockInterface;

if (!interface_exists(SharedLockInterface::class, false)) {
    require_once __DIR__ . '/declarations.php';
}

/**
 * A lock of an ArraySharedArray, which its lock() makes. There is one request, so that block() does not wait: it moves the clock on.
 */
final class ArraySharedLock implements SharedLockInterface
{
    private int $token = 0;

    /**
     * @internal
     * @param ?int $span the nanoseconds that it is held at most
     */
    public function __construct(private object $table, private string $name, private string $owner, private ?int $span)
    {
    }

    public function acquire(): bool
    {
        if ($this->held() !== null) {
            return false;
        }
        $this->token = ++$this->table->lastToken;
        $this->table->locks[$this->name] = [$this->owner, null];
        $this->expireAfter($this->span);
        return true;
    }

    public function get(?callable $callback = null): mixed
    {
        if (!$this->acquire()) {
            return false;
        }
        return $callback === null ? true : $this->call($callback);
    }

    public function block(int|float $seconds, ?callable $callback = null): mixed
    {
        if (!($seconds >= 0)) {
            throw new \ValueError("The time to wait must be a number of seconds of 0 or more, $seconds given");
        }
        $left = $this->getRemainingLifetime();
        if ($seconds > 0 && $left === null && $this->held() !== null) {
            throw new DeadlockException("The lock \"$this->name\" is held by this request");
        }
        if ($left !== null) {
            $this->table->clock->advance(min($left, $seconds));
        }
        if (!$this->acquire()) {
            throw new LockTimeoutException("The lock \"$this->name\" was not free within $seconds seconds");
        }
        return $callback === null ? true : $this->call($callback);
    }

    public function release(): bool
    {
        $owned = $this->isOwnedByCurrentProcess();
        if ($owned) {
            unset($this->table->locks[$this->name]);
        }
        return $owned;
    }

    public function forceRelease(): void
    {
        unset($this->table->locks[$this->name]);
    }

    public function refresh(int|float|null $seconds = null): bool
    {
        $span = $seconds !== null ? $this->table->clock->span($seconds) : $this->span;
        if ($span === 0) {
            throw new \ValueError("A lock must be refreshed for more than 0 seconds, $seconds given");
        }
        $owned = $this->isOwnedByCurrentProcess();
        if ($owned && ($seconds !== null || $span !== null)) {
            $this->expireAfter($span);
        }
        return $owned;
    }

    public function getRemainingLifetime(): ?float
    {
        $expiry = $this->held()[1] ?? null;
        return $expiry !== null ? ($expiry - $this->table->clock->now()) / 1e9 : null;
    }

    public function owner(): string
    {
        return $this->owner;
    }

    public function isOwnedBy(?string $owner): bool
    {
        return ($this->held()[0] ?? null) === $owner;
    }

    public function isOwnedByCurrentProcess(): bool
    {
        return $this->isOwnedBy($this->owner);
    }

    public function token(): int
    {
        return $this->token;
    }

    public function __clone()
    {
        throw new \Error('Trying to clone an uncloneable object of class ' . self::class);
    }

    public function __serialize(): array
    {
        throw new \Exception("Serialization of '" . self::class . "' is not allowed");
    }

    /**
     * Its owner and its expiry, null for none; null when it is free.
     *
     * @return array{string, ?int}|null
     */
    private function held(): ?array
    {
        $held = $this->table->locks[$this->name] ?? null;
        return $held !== null && ($held[1] === null || $held[1] > $this->table->clock->now()) ? $held : null;
    }

    private function expireAfter(?int $span): void
    {
        $expiry = $span !== null ? $this->table->clock->now() + $span : null;
        $this->table->locks[$this->name][1] = is_int($expiry) ? $expiry : null;
    }

    private function call(callable $callback): mixed
    {
        try {
            return $callback();
        } finally {
            $this->release();
        }
    }
}
