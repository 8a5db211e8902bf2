<?php

declare(strict_types=1);

/** A loop to time, and how to tell that it did what it is timed for. */
final class Work
{
    /**
     * @param int $ops the operations of a pass
     * @param Closure(int): mixed $pass does a pass, given its number, and answers what it read last; pass 0 warms up
     * @param Closure(mixed, int, bool): bool $check given that answer, the number of passes and whether other requests do
     *     the same meanwhile: is what was stored there, and was it answered?
     * @param ?Closure(): int $count how many such operations the peer itself has counted
     * @param bool $ofThread that count has only this thread's
     * @param bool $cold it must not find in the thread's cache what a warm-up left there
     */
    public function __construct(
        public readonly int $ops,
        public readonly Closure $pass,
        private readonly Closure $check,
        private readonly ?Closure $count = null,
        private readonly bool $ofThread = false,
        private readonly bool $cold = false,
    ) {
    }

    /** @return array{ops: int, ns: int} */
    public function run(int $passes): array
    {
        return $this->timed(false, function () use ($passes): array {
            $begin = hrtime(true);
            for ($n = 1; $n <= $passes; ++$n) {
                $last = ($this->pass)($n);
            }
            return [$passes, $last, hrtime(true) - $begin];
        });
    }

    /**
     * Runs from a moment on, which other requests were told too. The time counts from that moment and not from when the
     * scheduler lets this thread go: until then it lets others work.
     *
     * @return array{ops: int, ns: int}
     */
    public function runTogether(float $start, float $seconds): array
    {
        return $this->timed(true, function () use ($start, $seconds): array {
            $ahead = $start - microtime(true);
            if ($ahead <= 0) {
                throw new TooLate('the request came after its start');
            }
            $begin = hrtime(true) + (int) ($ahead * 1e9);
            $end = $begin + (int) ($seconds * 1e9);
            usleep((int) ($ahead * 1e6));
            $n = 0;
            do {
                $last = ($this->pass)(++$n);
                $now = hrtime(true);
            } while ($now < $end);
            return [$n, $last, $now - $begin];
        });
    }

    /**
     * @param Closure(): array{int, mixed, int} $run answers the passes, what was read last, the nanoseconds
     * @return array{ops: int, ns: int}
     */
    private function timed(bool $together, Closure $run): array
    {
        if (!$this->cold) {
            ($this->pass)(0);
        }
        $before = $this->count === null ? 0 : ($this->count)();
        [$passes, $last, $ns] = $run();
        $ops = $passes * $this->ops;
        if ($this->count !== null) {
            $counted = ($this->count)() - $before;
            $exact = $this->ofThread || !$together;
            if ($counted < $ops || $exact && $counted > $ops) {
                throw new RuntimeException("$ops operations were timed, but the peer has counted $counted");
            }
        }
        if (!($this->check)($last, $passes, $together)) {
            throw new RuntimeException('what should be stored, or was to be read, is not there');
        }
        return ['ops' => $ops, 'ns' => $ns];
    }
}

final class TooLate extends RuntimeException
{
}
