<?php

declare(strict_types=1);

require __DIR__ . '/Work.php';
require __DIR__ . '/Peer.php';
require __DIR__ . '/Shared.php';
require __DIR__ . '/Apcu.php';
require __DIR__ . '/Plain.php';
require __DIR__ . '/Works.php';
require __DIR__ . '/Snapshots.php';
require __DIR__ . '/Full.php';
require __DIR__ . '/Coordination.php';

/*
 * ?seed                    stores what the works read, and says what runs here
 * ?full=TABLE              times single writes of new keys
 * ?hand_over=KIND&side=0|1&turns=N&stamp=M   hands a lock to the other of two requests and takes it back
 * ?peer=P&work=W&stamp=N   times a work; N is another number for each measurement. Further:
 *     &passes=N                           runs its loop N times, or
 *     &thread=T&start=S&seconds=D         runs it from the moment S on for D seconds, beside the requests of other threads
 *     &keys=K                             how many keys a first read goes through
 *
 * The answer is JSON, or a sentence that says what was not as it must be.
 */
set_error_handler(static function (int $level, string $message): never {
    throw new ErrorException($message);
});
try {
    $answer = match (true) {
        isset($_GET['seed']) => seed(),
        isset($_GET['full']) => (new Full($_GET['full']))->latencies(),
        isset($_GET['hand_over']) => Coordination::handOver($_GET['hand_over'], (int) $_GET['stamp'], (int) $_GET['side'], (int) $_GET['turns']),
        default => measure($_GET),
    };
    $answer = json_encode($answer, JSON_THROW_ON_ERROR);
    header('Content-Type: application/json');
    echo $answer;
} catch (Throwable $e) {
    http_response_code($e instanceof TooLate ? 409 : 500);
    header('Content-Type: text/plain');
    echo $e->getMessage();
}

/** @return array<string, string> */
function seed(): array
{
    if (!(opcache_get_status(false)['opcache_enabled'] ?? false)) {
        throw new RuntimeException('OPcache is off');
    }
    Works::seed(new Shared());
    Works::seed(new Apcu());
    Snapshots::seed();
    return ['php' => PHP_VERSION, 'apcu' => phpversion('apcu'), 'frankenshare' => phpversion('frankenshare')];
}

/**
 * @param array<string, string> $query
 * @return array{ops: int, ns: int}
 */
function measure(array $query): array
{
    $stamp = (int) $query['stamp'];
    $thread = (int) ($query['thread'] ?? 0);
    $keys = (int) ($query['keys'] ?? 0);
    $work = match ($query['peer']) {
        'snapshot' => Snapshots::work($query['work'], $stamp),
        'coordination' => Coordination::work($query['work'], $stamp, $thread),
        'php' => Plain::work($query['work']),
        'shared' => (new Works(new Shared(), $stamp, $thread, $keys))->work($query['work']),
        'apcu' => (new Works(new Apcu(), $stamp, $thread, $keys))->work($query['work']),
    };
    return isset($query['start'])
        ? $work->runTogether((float) $query['start'], (float) $query['seconds'])
        : $work->run((int) $query['passes']);
}
