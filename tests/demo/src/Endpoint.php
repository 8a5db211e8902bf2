<?php

declare(strict_types=1);

namespace FrankenShare\Demo;

use FrankenPHP\SharedArray;
use FrankenPHP\SharedState\InvalidKeyException;
use FrankenPHP\SharedState\InvalidValueException;
use FrankenPHP\SharedState\SharedStateException;
use FrankenPHP\SharedState\TableFullException;
use FrankenPHP\SharedState\ValueTooLargeException;

require_once __DIR__ . '/Explorer.php';

/**
 * What the demo answers. Classic threads and workers run this same code, each on a thread of its own, and meet in the
 * one shared table. A GET reads, a POST with a JSON body changes.
 */
final class Endpoint
{
    /** How often one request may count. */
    private const MAX_STEPS = 10_000;

    /** What read() reads, and how often. */
    private const FIGURES = ['pushes', 'uptime', 'requests', 'hits', 'keys', 'writes', 'memory_used', 'go_heap', 'goroutines', 'time'];
    private const ROUNDS = 1_000;

    /** Status and first words for each way in which the table refuses. */
    private const REFUSALS = [
        ValueTooLargeException::class => [413, 'The value is too large'],
        InvalidKeyException::class => [400, 'The key cannot be used'],
        InvalidValueException::class => [409, 'The value cannot be used'],
        TableFullException::class => [507, 'The table is full'],
    ];

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
            $body = $this->dispatch();
        } catch (\DomainException $e) {
            http_response_code($e->getCode());
            $body = ['error' => $e->getMessage()];
        } catch (SharedStateException $e) {
            [$status, $lead] = self::REFUSALS[$e::class] ?? [503, 'The shared state cannot be used'];
            http_response_code($status);
            $body = ['error' => "$lead: {$e->getMessage()}"];
        }
        echo json_encode($this->origin() + $body, JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE | JSON_PARTIAL_OUTPUT_ON_ERROR);
    }

    /**
     * Who answers: the mode, the operating system's number of this thread, and how many requests this run of the
     * script has answered.
     *
     * @return array{mode: string, thread: string, served: int}
     */
    public function origin(): array
    {
        return [
            'mode' => $this->mode,
            'thread' => basename((string) readlink('/proc/thread-self')),
            'served' => $this->served,
        ];
    }

    /** @return array<string, mixed> */
    private function dispatch(): array
    {
        $method = $_SERVER['REQUEST_METHOD'];
        $order = $method === 'POST' ? $this->body() : $_GET;
        $action = $order['action'] ?? 'state';
        $explorer = new Explorer($this->table());

        return match ([$method, $action]) {
            ['GET', 'state'] => $this->state(),
            ['GET', 'figures'] => $this->figures(),
            ['GET', 'read'] => $this->read(),
            ['GET', 'list'] => $explorer->list($order),
            ['GET', 'value'] => $explorer->value($order),
            ['POST', 'increment'] => $this->increment($order['steps'] ?? 1),
            ['POST', 'reset'] => $this->reset(),
            ['POST', 'put'] => $explorer->put($order),
            ['POST', 'forget'] => $explorer->forget($order),
            ['POST', 'samples'] => $explorer->addSamples(),
            default => throw new \DomainException("There is no such action for $method.", 400),
        };
    }

    /**
     * The JSON of a POST. A page of another site cannot send this type without asking first, and is told no.
     *
     * @return array<string, mixed>
     */
    private function body(): array
    {
        if (($_SERVER['CONTENT_TYPE'] ?? '') !== 'application/json') {
            throw new \DomainException('Changes are sent as application/json.', 415);
        }
        $order = json_decode((string) file_get_contents('php://input'), true);
        if (!is_array($order)) {
            throw new \DomainException("The request's body is no JSON object.", 400);
        }

        return $order;
    }

    /**
     * What Go has pushed last, and how many seconds ago.
     *
     * @return array<string, mixed>
     */
    private function figures(): array
    {
        $server = [];
        foreach ($this->table()->scan('server:') as $key => $value) {
            $server[substr((string) $key, strlen('server:'))] = $value;
        }

        return isset($server['time']) ? ['server' => $server, 'age' => microtime(true) - $server['time']] : ['server' => null];
    }

    /**
     * Reads what Go pushes many times over. Between two pushes this thread's cache answers.
     *
     * @return array{reads: int}
     */
    private function read(): array
    {
        $keys = array_map(static fn (string $name) => "server:$name", self::FIGURES);
        for ($round = 0; $round < self::ROUNDS; $round++) {
            foreach ($keys as $key) {
                $this->table()->get($key);
            }
        }

        return ['reads' => self::ROUNDS * count($keys)];
    }

    /**
     * The counter and who has counted.
     *
     * @return array<string, mixed>
     */
    private function state(): array
    {
        $counter = $this->table()->get('demo:counter', 0);
        if (!is_int($counter)) {
            throw new \DomainException('The key demo:counter holds no whole number but ' . get_debug_type($counter) . '. “Back to zero” mends that.', 409);
        }
        $threads = [];
        foreach ($this->table()->scan('demo:thread:') as $key => $requests) {
            [, , $mode, $thread] = array_pad(explode(':', $key, 4), 4, '');
            if (is_int($requests)) {
                $threads[] = ['mode' => $mode, 'thread' => $thread, 'requests' => $requests];
            }
        }
        usort($threads, static fn (array $a, array $b) => [$a['mode'], $a['thread']] <=> [$b['mode'], $b['thread']]);

        return ['counter' => $counter, 'threads' => $threads];
    }

    /**
     * Counts by one, `steps` times. When another thread counts in between, last - first + 1 is more than steps.
     *
     * @return array{steps: int, first: int, last: int}
     */
    private function increment(mixed $steps): array
    {
        if (!is_int($steps) || $steps < 1 || $steps > self::MAX_STEPS) {
            throw new \DomainException('steps must be a whole number from 1 to ' . self::MAX_STEPS . '.', 400);
        }
        $state = $this->table();
        $first = $last = $state->increment('demo:counter');
        for ($step = 1; $step < $steps; $step++) {
            $last = $state->increment('demo:counter');
        }
        ['mode' => $mode, 'thread' => $thread] = $this->origin();
        $state->increment("demo:thread:$mode:$thread");

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
