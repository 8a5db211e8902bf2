<?php

namespace Scenario;

use FrankenPHP\SharedArray;

/**
 * Keeps sessions in the store. PHP calls write() and close() when the request's own end has begun.
 */
final class StoreSessions implements \SessionHandlerInterface
{
	private SharedArray $s;

	public function open(string $path, string $name): bool
	{
		$this->s = new SharedArray('sessions');
		return true;
	}

	public function read(string $id): string
	{
		return $this->s["session:$id"] ?? '';
	}

	public function write(string $id, string $data): bool
	{
		$this->s["session:$id"] = $data;
		$this->s->increment('written');
		// All that the thread has cached is gone or stale by now; what is read must be right all the same.
		if ($this->s["session:$id"] !== $data || !isset($this->s["session:$id"]) || $this->s->get("session:$id") !== $data) {
			$this->s->increment('wrong reads');
		}
		$all = $this->s->snapshot();
		if ($all["session:$id"] !== $data || count($this->s) < 2 || !in_array("session:$id", $this->s->keys(), true)) {
			$this->s->increment('wrong snapshots');
		}
		if ($this->s['constant'] !== ['a' => [1, 2, 3]] || $this->s->many(['constant']) !== ['constant' => ['a' => [1, 2, 3]]]) {
			$this->s->increment('wrong arrays');
		}
		$this->s->merge(["merged:$id" => $data]);
		foreach ($this->s as $k => $v) {
			break;
		}
		return true;
	}

	public function close(): bool
	{
		$this->s->increment('closed');
		return true;
	}

	public function destroy(string $id): bool
	{
		unset($this->s["session:$id"]);
		return true;
	}

	public function gc(int $max_lifetime): int
	{
		return 0;
	}
}

function sessions_prepare(array $q): void
{
	(new SharedArray('sessions'))->replace(['constant' => ['a' => [1, 2, 3]], 'written' => 0, 'closed' => 0]);
}

/**
 * One request of a client that counts its own requests in its session.
 */
function session(array $q): array
{
	ini_set('session.use_cookies', '0');
	ini_set('session.cache_limiter', '');
	session_set_save_handler(new StoreSessions(), false);
	session_id($q['id']);
	session_start();
	$_SESSION['id'] ??= $q['id'];
	$_SESSION['n'] = ($_SESSION['n'] ?? 0) + 1;
	$_SESSION['data'] = bytes(3000, $q['id']);
	// Fills this thread's cache with what write() will read.
	$s = new SharedArray('sessions');
	$s->snapshot();
	$s->keys();
	$s['constant'];
	$s["session:{$q['id']}"];
	match ($q['end'] ?? 'return') {
		'return' => null,
		'exit' => exit('session'),
		'error' => a_function_that_does_not_exist(),
	};
	return ['id' => $_SESSION['id'], 'n' => $_SESSION['n']];
}

function sessions_figures(array $q): array
{
	$s = new SharedArray('sessions');
	return $s->many(['written', 'closed', 'wrong reads', 'wrong snapshots', 'wrong arrays'], 0);
}
