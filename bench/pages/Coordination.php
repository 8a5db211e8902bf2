<?php

declare(strict_types=1);

use FrankenPHP\SharedArray;
use FrankenPHP\SharedCounter;
use FrankenPHP\SharedMutex;

/** Counters, mutexes and locks, beside locks of others. Each thread takes a lock of its own, which is always free. */
final class Coordination
{
    private const OPS = 1_000;

    public static function work(string $name, int $stamp, int $thread): Work
    {
        return match ($name) {
            'counter_add' => self::counter($stamp),
            'mutex' => self::mutex("bench:$thread"),
            'lock' => self::locks(self::OPS, self::shared("bench:$thread")),
            'lock_flock' => self::locks(100, self::flock("bench:$thread")),
            'lock_redis' => self::locks(100, new RedisLock("bench:$thread")),
        };
    }

    /** What takes and gives back a lock of a kind: an object with acquire(), which does not wait, block() and release(). */
    public static function shared(string $name): object
    {
        return new class((new SharedArray())->lock($name, 60)) {
            public function __construct(public readonly FrankenPHP\SharedLock $lock)
            {
            }

            public function block(): void
            {
                $this->lock->block(60);
            }

            public function release(): void
            {
                $this->lock->release();
            }
        };
    }

    public static function flock(string $name): object
    {
        require_once '/usr/share/php/Symfony/Component/Lock/autoload.php';
        $store = new Symfony\Component\Lock\Store\FlockStore(getenv('BENCH_HOME'));
        return new class((new Symfony\Component\Lock\LockFactory($store))->createLock($name)) {
            public function __construct(public readonly Symfony\Component\Lock\LockInterface $lock)
            {
            }

            public function block(): void
            {
                $this->lock->acquire(true);
            }

            public function release(): void
            {
                $this->lock->release();
            }
        };
    }

    private static function counter(int $stamp): Work
    {
        $counter = new SharedCounter(0, 'bench');
        $pass = static function () use ($counter): int {
            for ($i = 0; $i < self::OPS; ++$i) {
                $n = $counter->add();
            }
            return $n;
        };
        $check = static fn (int $last, int $passes, bool $together): bool => $together || $last === $counter->get();
        return new Work(self::OPS, $pass, $check, $counter->get(...));
    }

    private static function mutex(string $name): Work
    {
        $mutex = new SharedMutex(0, $name);
        $change = static function (int &$n): void {
            ++$n;
        };
        $pass = static function () use ($mutex, $change): void {
            for ($i = 0; $i < self::OPS; ++$i) {
                $mutex->withLock($change);
            }
        };
        $count = static fn (): int => $mutex->withLock(static fn (int $n): int => $n);
        return new Work(self::OPS, $pass, static fn (): bool => true, $count);
    }

    private static function locks(int $ops, object $of): Work
    {
        $lock = $of->lock ?? $of;
        $pass = static function () use ($lock, $ops): int {
            $taken = 0;
            for ($i = 0; $i < $ops; ++$i) {
                if ($lock->acquire()) {
                    ++$taken;
                }
                $lock->release();
            }
            return $taken;
        };
        return new Work($ops, $pass, static fn (int $taken): bool => $taken === $ops);
    }

    /**
     * Two requests take one lock in turns: who holds it does so until the other one has waited for a while. It answers the median of the
     * times from a release to the moment at which the other one runs.
     *
     * @return array{ns: float}
     */
    public static function handOver(string $kind, int $stamp, int $side, int $turns): array
    {
        $released = new SharedCounter(0, "handed over:$stamp");
        $turn = new SharedCounter(0, "turns:$stamp");
        $ready = new SharedCounter(0, "ready:$stamp");
        $times = [];
        $critical = static function () use ($released, $turn, &$times): void {
            $now = hrtime(true);
            if ($turn->get() > 0) {
                $times[] = $now - $released->get();
            }
            $turn->add();
            $until = $now + mt_rand(500_000, 1_500_000); // meanwhile the other one comes and waits
            while (hrtime(true) < $until) {
                // as long as that
            }
            $released->set(hrtime(true));
        };
        if ($kind === 'mutex') {
            $mutex = new SharedMutex(null, "handed over:$stamp");
            $under = static fn () => $mutex->withLock($critical);
        } else {
            $name = "handed over:$stamp";
            $lock = match ($kind) {
                'lock' => self::shared($name),
                'flock' => self::flock($name),
                'redis' => new RedisLock($name),
            };
            $under = static function () use ($lock, $critical): void {
                $lock->block();
                $critical();
                $lock->release();
            };
        }
        $ready->add();
        while ($ready->get() < 2) {
            usleep(100);
        }
        for ($i = 0; $i < $turns; ++$i) {
            while ($turn->get() < 2 * $i + $side) { // a lock may know no turns
                usleep(20);
            }
            $under();
        }
        sort($times);
        return ['ns' => (float) $times[intdiv(count($times), 2)]];
    }
}

/** What the clients of Redis make a lock of: a key with a random value and a time to live, deleted by who knows the value. */
final class RedisLock
{
    private const RELEASE = 'if redis.call("get",KEYS[1]) == ARGV[1] then return redis.call("del",KEYS[1]) else return 0 end';

    /** @var resource */
    private $socket;
    private readonly string $owner;
    private readonly string $release;

    public function __construct(private readonly string $name)
    {
        $this->socket = stream_socket_client('unix://' . getenv('BENCH_HOME') . '/redis');
        $this->owner = bin2hex(random_bytes(16));
        $this->release = sha1(self::RELEASE);
        $this->call('SCRIPT', 'LOAD', self::RELEASE);
        fgets($this->socket); // the rest of its answer
    }

    public function acquire(): bool
    {
        return $this->call('SET', $this->name, $this->owner, 'NX', 'PX', '60000') === '+OK';
    }

    /** Asks again each millisecond. */
    public function block(): void
    {
        while (!$this->acquire()) {
            usleep(1_000);
        }
    }

    public function release(): bool
    {
        return $this->call('EVALSHA', $this->release, '1', $this->name, $this->owner) === ':1';
    }

    private function call(string ...$words): string
    {
        $command = '*' . count($words) . "\r\n";
        foreach ($words as $word) {
            $command .= '$' . strlen($word) . "\r\n$word\r\n";
        }
        fwrite($this->socket, $command);
        $answer = rtrim(fgets($this->socket));
        return $answer[0] === '-' ? throw new RuntimeException($answer) : $answer;
    }
}
