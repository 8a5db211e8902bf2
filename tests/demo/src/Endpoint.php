<?php

declare(strict_types=1);

namespace FrankenShare\Demo;

use FrankenPHP\SharedArray;
use FrankenPHP\SharedState\SharedStateException;

/**
 * What the demo answers. The classic page and the worker run this same code, each on a thread of its own, and meet
 * in the one shared table.
 */
final class Endpoint
{
    /** How often one request may count. */
    private const MAX_STEPS = 10_000;

    private ?SharedArray $state = null;

    /** Stays 1 in classic mode, where each request starts anew, and grows in a worker, which stays in memory. */
    private int $served = 0;

    public function __construct(private readonly string $mode)
    {
    }

    /** Sends the answer to the current request as JSON. */
    public function answer(): void
    {
        $this->served++;
        header('Content-Type: application/json');
        header('Cache-Control: no-store');
        try {
            $body = $this->dispatch($_GET['action'] ?? 'state');
        } catch (\DomainException $e) {
            http_response_code($e->getCode());
            $body = ['error' => $e->getMessage()];
        } catch (SharedStateException $e) {
            http_response_code(503);
            $body = ['error' => 'The shared state refused: ' . $e->getMessage()];
        }
        echo json_encode($this->origin() + $body, JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE);
    }

    /**
     * Every figure that the page shows.
     *
     * @return array<string, mixed>
     */
    public function state(): array
    {
        $state = $this->table();
        $server = [];
        foreach ($state->scan('server:') as $key => $value) {
            $server[substr($key, strlen('server:'))] = $value;
        }
        $threads = [];
        foreach ($state->scan('demo:thread:') as $key => $requests) {
            [, , $mode, $thread] = explode(':', $key, 4);
            $threads[] = ['mode' => $mode, 'thread' => $thread, 'requests' => $requests];
        }
        usort($threads, static fn (array $a, array $b) => [$a['mode'], $a['thread']] <=> [$b['mode'], $b['thread']]);

        return [
            'counter' => $state['demo:counter'] ?? 0,
            'modes' => [
                'classic' => $state['demo:requests:classic'] ?? 0,
                'worker' => $state['demo:requests:worker'] ?? 0,
            ],
            'threads' => $threads,
            'server' => $server === [] ? null : $server,
            'age' => isset($server['time']) ? round(max(0.0, microtime(true) - $server['time']), 1) : null,
        ];
    }

    /**
     * Who answers: the mode, the operating system's number of this thread, and how many requests this run of the
     * script has answered.
     *
     * @return array{mode: string, thread: string, served: int}
     */
    public function origin(): array
    {
        $task = @readlink('/proc/thread-self');

        return [
            'mode' => $this->mode,
            'thread' => $task === false ? 'unknown' : basename($task),
            'served' => $this->served,
        ];
    }

    /** @return array<string, mixed> */
    private function dispatch(mixed $action): array
    {
        if ($action === 'state') {
            return $this->state();
        }
        if ($action !== 'increment' && $action !== 'reset') {
            throw new \DomainException('The actions are state, increment and reset.', 400);
        }
        if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
            header('Allow: POST');
            throw new \DomainException("The action $action changes the state: send it with POST.", 405);
        }

        return $action === 'increment' ? $this->increment($_GET['steps'] ?? '1') : $this->reset();
    }

    /**
     * Counts by one, `steps` times. When another thread counts in between, last - first + 1 is more than steps.
     *
     * @return array{steps: int, first: int, last: int}
     */
    private function increment(mixed $steps): array
    {
        $steps = filter_var($steps, FILTER_VALIDATE_INT, ['options' => ['min_range' => 1, 'max_range' => self::MAX_STEPS]]);
        if ($steps === false) {
            throw new \DomainException('steps must be a whole number from 1 to ' . self::MAX_STEPS . '.', 400);
        }
        $state = $this->table();
        $first = $last = $state->increment('demo:counter');
        for ($step = 1; $step < $steps; $step++) {
            $last = $state->increment('demo:counter');
        }
        $state->increment("demo:requests:$this->mode");
        $state->increment("demo:thread:$this->mode:{$this->origin()['thread']}");

        return ['steps' => $steps, 'first' => $first, 'last' => $last];
    }

    /** @return array<string, mixed> */
    private function reset(): array
    {
        $this->table()->forgetPrefix('demo:');

        return $this->state();
    }

    private function table(): SharedArray
    {
        return $this->state ??= new SharedArray();
    }
}
