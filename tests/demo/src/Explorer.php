<?php

declare(strict_types=1);

namespace FrankenShare\Demo;

use FrankenPHP\SharedArray;
use FrankenPHP\SharedState\SharedStateException;

require_once __DIR__ . '/Samples.php';
require_once __DIR__ . '/Text.php';

/**
 * Lists, shows, stores and removes the keys of one table. Keys may have any bytes, so they travel as base64; `text` is what
 * a person reads. Strings that are no plain text are shown and taken with escapes: \x00, \n, \\.
 */
final class Explorer
{
    /** The most keys in one list. */
    private const PAGE = 100;

    /** The most characters of a value that a list shows. */
    private const PREVIEW = 120;

    public function __construct(private readonly SharedArray $table)
    {
    }

    /**
     * The first keys, in order, that begin with a prefix.
     *
     * @param array<string, mixed> $order prefix: base64
     *
     * @return array{total: int, found: int, keys: list<array<string, mixed>>}
     */
    public function list(array $order): array
    {
        $prefix = $this->bytes($order['prefix'] ?? '');
        $keys = array_map(strval(...), $this->table->keys());
        $total = count($keys);
        $keys = array_values(array_filter($keys, static fn (string $key) => str_starts_with($key, $prefix)));
        sort($keys, SORT_STRING);
        $rows = [];
        foreach (array_slice($keys, 0, self::PAGE) as $key) {
            $row = $this->describe($key);
            if ($row !== null) {
                $row['text'] = self::preview($row['text']);
                $rows[] = $row;
            }
        }

        return ['total' => $total, 'found' => count($keys), 'keys' => $rows];
    }

    /**
     * One key with its whole value.
     *
     * @param array<string, mixed> $order key: base64
     *
     * @return array<string, mixed>
     */
    public function value(array $order): array
    {
        $key = $this->bytes($order['key'] ?? null);

        return ['row' => $this->describe($key) ?? throw new \DomainException('There is no such key any more.', 404)];
    }

    /**
     * Stores a value. With `new` a key that is there already is refused.
     *
     * @param array<string, mixed> $order key: base64; type and text as describe() gives them; new: bool
     *
     * @return array<string, mixed>
     */
    public function put(array $order): array
    {
        $key = $this->bytes($order['key'] ?? null);
        $value = Text::parse($order['type'] ?? null, $order['text'] ?? null);
        if (($order['new'] ?? false) === true && $this->table->exists($key)) {
            throw new \DomainException('There is such a key already. Choose another name, or edit that one.', 409);
        }
        $this->table->put($key, $value);

        return ['row' => $this->describe($key)];
    }

    /**
     * @param array<string, mixed> $order key: base64
     *
     * @return array{removed: bool}
     */
    public function forget(array $order): array
    {
        return ['removed' => $this->table->forget($this->bytes($order['key'] ?? null))];
    }

    /** @return array{added: int} */
    public function addSamples(): array
    {
        $samples = Samples::all();
        $this->table->merge($samples);

        return ['added' => count($samples)];
    }

    /**
     * What there is to see of a key; null when it is gone. A value that cannot be read back has type "unreadable".
     *
     * @return ?array<string, mixed>
     */
    private function describe(string $key): ?array
    {
        $absent = new \stdClass();
        $row = ['key' => base64_encode($key), 'name' => Text::isPlain($key) ? $key : Text::escape($key)];
        try {
            $value = $this->table->get($key, $absent);
        } catch (SharedStateException $e) {
            return $row + ['type' => 'unreadable', 'text' => $e->getMessage(), 'size' => '', 'editable' => false];
        }

        return $value === $absent ? null : $row + Text::describe($value);
    }

    /** One line of a text, cut to a length that fits a list. */
    private static function preview(string $text): string
    {
        $line = preg_replace('/\s+/', ' ', $text);
        preg_match('/^.{0,' . self::PREVIEW . '}/u', $line, $found);

        return strlen($found[0]) < strlen($line) ? $found[0] . '…' : $line;
    }

    private function bytes(mixed $base64): string
    {
        $bytes = is_string($base64) ? base64_decode($base64, true) : false;

        return $bytes === false ? throw new \DomainException('Keys and prefixes are sent as base64.', 400) : $bytes;
    }
}
