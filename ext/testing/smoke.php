<?php

// Walks through every method and handler of SharedArray on the twin, for the sanitizers. A wrong answer ends it.

use FrankenPHP\SharedArray;

function check(bool $holds, string $what): void
{
	if (!$holds) {
		file_put_contents('php://stderr', "wrong: $what\n");
		exit(1);
	}
}

enum Suit: string
{
	case Hearts = 'h';
	case Spades = 's';
}

final class Point
{
	public function __construct(public int $x, public array $more = [])
	{
	}
}

$s = new SharedArray();

// Every kind of value, twice: the first read comes from the table, the second from the gate.
$values = [
	'null' => null, 'false' => false, 'true' => true, 'int' => PHP_INT_MIN, 'float' => -0.0, 'inf' => INF, 'empty' => '',
	'bytes' => "\0\xff" . random_bytes(100), 'long' => random_bytes(300000), 'list' => [1, 2.5, 'three', null, [true]],
	'map' => ['a' => 1, '0' => 2, 5 => 'x', 'deep' => ['er' => ['est' => []]]], 'enum' => Suit::Hearts,
	'enums' => [Suit::Hearts, Suit::Spades], 'object' => new Point(3, ['p' => 'q']), 'big' => range(1, 5000),
];
foreach ($values as $key => $value) {
	$s[$key] = $value;
}
for ($round = 0; $round < 3; $round++) {
	foreach ($values as $key => $value) {
		$got = $s[$key];
		check(is_object($value) && !$value instanceof UnitEnum ? $got == $value : $got === $value, "read of $key");
		check(isset($s[$key]) === ($value !== null) && $s->exists($key), "isset of $key");
	}
}
check(is_nan(($s['nan'] = NAN)) && is_nan($s['nan']), 'NAN');

// Changes in place, replacements by longer and shorter values, absence.
for ($i = 0; $i < 200; $i++) {
	$s['n'] = $i;
	check($s['n'] === $i, 'a number over a number');
	$s['v'] = str_repeat(chr($i), $i * 37 % 4000);
	check($s['v'] === str_repeat(chr($i), $i * 37 % 4000), 'a string over a string');
}
check($s->increment('n', 5) === 204 && $s->decrement('n', 4) === 200 && $s['n'] === 200, 'increment');
check($s->increment('n', 0.5) === 200.5 && $s->increment('fresh') === 1, 'increment to a float');
try {
	$s->increment('list');
	check(false, 'increment of an array');
} catch (FrankenPHP\SharedState\SharedStateException) {
}
check($s->get('missing', 'default') === 'default' && !isset($s['missing']) && !$s->exists('missing'), 'absence');
unset($s['v']);
check(!isset($s['v']) && $s->forget('n') && !$s->forget('n'), 'forget');

// Many keys at a time.
$many = [];
for ($i = 0; $i < 500; $i++) {
	$many["many:$i"] = [$i, str_repeat('z', $i)];
}
$s->merge($many);
check($s->many(array_keys($many)) === $many, 'many after merge');
$found = $s->scan('many:');
ksort($found);
ksort($many);
check($found === $many && count($s->scan('many:', 7)) === 7, 'scan');
check($s->forgetPrefix('many:1') === 111 && $s->forgetMany(['many:2', 'none']) === 1, 'forgetPrefix, forgetMany');
check($s->putMany(['a' => 1, 'b' => 2]) && $s['a'] + $s['b'] === 3, 'putMany');

// Views: read, changed, read again; what a foreach holds does not move.
check(count($s) === count($s->keys()) && count($s->snapshot()) === count($s), 'count, keys, snapshot');
$before = $s->version();
foreach ($s as $key => $value) {
	$s->put('while', $key);
	break;
}
check($s->version() > $before && $s['while'] !== null, 'version');
check(is_string(json_encode(new SharedArray('other'))), 'json');
$old = $s->replace(['only' => 1, 'two' => [2]]);
check(isset($old['map']) && $s->snapshot() == ['only' => 1, 'two' => [2]] && !isset($s['map']), 'replace');

// Snapshots after changes in some stripes of many: only those are read again, and the copies handed out before stay.
$part = new SharedArray('part');
$model = [];
mt_srand(7);
for ($round = 0; $round < 300; $round++) {
	$held = $part->snapshot();
	$was = $held;
	for ($n = mt_rand(1, 6); $n > 0; $n--) {
		$key = 'k' . mt_rand(1, 400);
		switch (mt_rand(0, 3)) {
			case 0:
				unset($part[$key], $model[$key]);
				break;
			case 1:
				$more = [$key => [$round], "x$key" => str_repeat('y', mt_rand(0, 2000))];
				$part->merge($more);
				$model = $more + $model;
				break;
			default:
				$part[$key] = $model[$key] = "$round:$n";
		}
	}
	if ($round % 100 === 99) {
		$part['object'] = $model['object'] = new Point($round);
	} elseif ($round % 150 === 50) {
		$part->replace([]);
		$model = [];
	}
	$keys = $part->keys();
	sort($keys);
	$expected = array_keys($model);
	sort($expected);
	check($keys === $expected, "keys after round $round");
	check($part->snapshot() == $model && count($part) === count($model), "a snapshot after round $round");
	check($held == $was, "the snapshot from before round $round");
}

// Times to live, in all their forms; 'ttl' is read once from the table and then from the gate.
foreach ([60, 60.5, new DateInterval('PT1M'), new DateTime('+1 minute'), new DateTimeImmutable('+1 minute')] as $i => $ttl) {
	check($s->put('ttl', $i, $ttl) && abs($s->ttl('ttl') - 60) < 5 && $s['ttl'] === $i, "put for a minute $i");
	check($s->touch('ttl', null) && $s->ttl('ttl') === null && $s->touch('ttl', $ttl) && $s->ttl('ttl') > 50, "touch $i");
}
foreach ([0, -1.5, PHP_INT_MIN, new DateInterval('PT0S'), new DateTime('-1 day')] as $i => $ttl) {
	$s['ttl'] = 1;
	check($s->put('ttl', 2, $ttl) && !$s->exists('ttl') && $s->add('ttl', 3, $ttl) && !$s->exists('ttl'), "put that has expired $i");
	check($s->putMany(['a' => 1, 'b' => 2], $ttl) && !isset($s['a']) && !$s->touch('ttl', $ttl), "putMany that has expired $i");
}
foreach ([NAN, INF, 'soon', []] as $ttl) {
	try {
		$s->put('ttl', 1, $ttl);
		check(false, 'a bad time to live');
	} catch (ValueError|TypeError) {
	}
}
$s->put('short', 1, 0.01);
$s->increment('count', 1, 0.01);
$s->putMany(['short:2' => [1], 'short:3' => 'x'], 0.01);
check($s['short'] === 1 && $s['count'] === 1, 'before the expiry');
usleep(15000);
check(!isset($s['short']) && !$s->exists('count') && $s->ttl('short') === null, 'after the expiry');
check($s->add('short', 2) && $s->sweep() === 3 && $s->evict() === 0, 'add over an expired row, sweep, evict');

// Writes on a condition.
foreach ($values as $key => $value) {
	check($s->add("c:$key", $value) && !$s->add("c:$key", 0), "add of $key");
	check(!$s->compareAndSet("c:$key", [$value], 0) && $s->compareAndSet("c:$key", $value, [$value]), "compareAndSet of $key");
	check($s->pull("c:$key") == [$value] && $s->pull("c:$key", 'gone') === 'gone', "pull of $key");
	check(!$s->compareAndSet("c:$key", null, 0), "compareAndSet of $key, which is absent");
}
try {
	$s->add('c', fn () => 1);
	check(false, 'add of a closure');
} catch (FrankenPHP\SharedState\InvalidValueException) {
}
check($s->forever('f', 1) && $s->ttl('f') === null && $s->flush() && count($s) === 0, 'flush');
$s->merge(['only' => 1, 'two' => [2]]);

// Bad input, after which the old value stands.
$loop = [];
$loop['self'] = &$loop;
$deep = [];
for ($i = 0; $i < 600; $i++) {
	$deep = [$deep];
}
foreach ([fn () => 1, fopen('php://memory', 'r'), $loop, $deep, str_repeat('x', (1 << 20) + 1)] as $i => $bad) {
	try {
		$s['only'] = $bad;
		check(false, "bad value $i");
	} catch (FrankenPHP\SharedState\SharedStateException) {
	}
	check($s['only'] === 1, "what bad value $i left");
}
$loop['self'] = null; // a cycle would be a leak
try {
	$s[str_repeat('k', (1 << 16) + 1)] = 1;
	check(false, 'too long a key');
} catch (FrankenPHP\SharedState\InvalidKeyException) {
}
$key = str_repeat('k', 1 << 16);
$s[$key] = 42;
check($s[$key] === 42 && $s->increment($key) === 43 && $s[$key] === 43, 'a key longer than a cell');
try {
	$s['two'][] = 3;
	check(false, 'a change in place');
} catch (Error) {
}
$copy = clone $s;
$copy['only'] = 9;
check($s['only'] === 9 && unserialize(serialize($s))['only'] === 9, 'clone, serialize');

// Values that are computed, counters and flags.
check($s->remember('r', 60, fn () => ['made']) === ['made'] && $s->remember('r', 60, fn () => 0) === ['made'], 'remember');
try {
	$s->remember('r2', null, fn () => throw new Exception('none'));
	check(false, 'a resolver that throws');
} catch (Exception) {
}
check($s->update('u', fn ($v) => [$v, new Point(1)])[0] === null && $s->update('u', fn ($v) => count($v)) === 2, 'update');
try {
	$s->update('u', fn () => $s->increment('u'));
	check(false, 'an update that comes between itself');
} catch (FrankenPHP\SharedState\ContentionException) {
}
$c = new FrankenPHP\SharedCounter(1, 'name');
$c2 = new FrankenPHP\SharedCounter(5, 'name');
check($c->add(2) === 3 && $c2->get() === 3 && $c2->set(PHP_INT_MAX) === 3, 'a counter');
try {
	$c->add();
	check(false, 'a counter that overflows');
} catch (FrankenPHP\SharedState\InvalidValueException) {
}
$c->__construct();
check($c->get() === 0 && FrankenPHP\SharedCounter::remove('name') && !FrankenPHP\SharedCounter::remove('name'), 'a counter made anew');
$ch = new FrankenPHP\SharedChannel(2, 'channel');
check($ch->trySend(['a' => 1])->isOk() && $ch->send(new ArrayObject([1]))->isOk() && $ch->trySend(3)->isFull(), 'send');
check($ch->sendTimeout(3, 1)->status() === FrankenPHP\SharedState\SendStatus::Timeout && count($ch) === 2, 'sendTimeout');
check($ch->recv()->value() === ['a' => 1] && $ch->tryRecv()->value() == new ArrayObject([1]), 'recv');
check($ch->tryRecv()->isEmpty() && $ch->recvTimeout(1)->isTimeout() && $ch->tryRecv()->valueOr('x') === 'x', 'recv of nothing');
$ch->send([$ch, $c]);
[$again, $counter] = $ch->recv()->value();
check($again->id() === $ch->id() && $counter == $c && $counter->get() === $c->get(), 'handles through a channel');
$s['handle'] = ['c' => $c];
check($s['handle']['c']->id() === $c->id() && $s->pull('handle')['c'] == $c, 'a handle in a table');
$ch->send(7);
check($ch->close() && !$ch->close() && $ch->isClosed() && $ch->send(8)->isClosed(), 'close');
check($ch->recv()->value() === 7 && $ch->recv()->isClosed(), 'and drain');
$ch2 = new FrankenPHP\SharedChannel(1);
$ch2->send('left');
FrankenPHP\SharedChannel::remove('channel');
$f = new FrankenPHP\SharedFlag();
check(!$f->wait(0.001) && $f->compareAndSet(false, true) && $f->wait(1) && $f->set(false), 'a flag');

// A full table refuses and keeps what it has; what is freed is used again.
$full = new SharedArray('full');
try {
	for ($i = 0; ; $i++) {
		$full["k$i"] = str_repeat('f', 60000);
	}
} catch (FrankenPHP\SharedState\TableFullException) {
}
check($i > 100 && $full['k0'] === str_repeat('f', 60000), 'a full table');
$full->replace([]);
$full['k'] = str_repeat('g', 60000);
check(count($full) === 1 && is_array($full->stats()), 'room after replace');

// Locks: what is held at the end goes with the request.
$l = $s->lock('lock', 0.06);
$other = $s->lock('lock', 0, 'other');
check($l->acquire() && !$l->acquire() && !$other->get() && $l->token() > 0 && strlen($l->owner()) === 32, 'a lock');
check($l->isOwnedByCurrentProcess() && !$l->isOwnedBy('other') && !$l->isOwnedBy(null), 'its owner');
check($l->refresh() && $l->refresh(0.05) && !$other->refresh(5) && $l->getRemainingLifetime() <= 0.05, 'refresh');
try {
	$other->block(0.01);
	check(false, 'a lock that is not free');
} catch (FrankenPHP\SharedState\LockTimeoutException) {
}
check($other->block(INF) && !$l->release() && $s->restoreLock('lock', 'other')->release(), 'a lock that expires');
check($l->get(fn () => 5) === 5 && $l->block(1, fn () => $l->get()) === false && $l->isOwnedBy(null), 'under a lock');
try {
	$l->get(fn () => throw new DomainException());
	check(false, 'an exception under a lock');
} catch (DomainException) {
}
foreach ([fn () => clone $l, fn () => serialize($l), fn () => $l->refresh(0), fn () => $s->lock('l', -1), fn () => $l->block(NAN),
	fn () => $s->lock('l', new DateTime('@0')), fn () => $l->more = 1, fn () => new FrankenPHP\SharedLock()] as $i => $bad) {
	try {
		$bad();
		check(false, "bad use $i of a lock");
	} catch (Throwable $e) {
		check($e instanceof Error || $e->getMessage() !== '', 'which says so');
	}
}
try {
	for ($held = []; ; $held[] = $more) {
		$more = $s->lock('lock ' . count($held), 0, null, true);
		$more->acquire();
	}
} catch (FrankenPHP\SharedState\TableFullException) {
}
$held[0]->forceRelease();
check($held[0]->acquire() && $s->flushLocks() && $held[1]->isOwnedBy(null), 'all locks');
$held[0]->acquire();

// Mutexes: one is held at the end.
$m = new FrankenPHP\SharedMutex(0, 'm');
$same = new FrankenPHP\SharedMutex(5, 'm');
check($m == $same && $m->id() === $same->id() && $m->withLock(fn (&$n) => ++$n) === 1 && $same->tryWithLock(fn ($n) => $n) === 1, 'a mutex');
foreach ($values as $key => $value) {
	$m->withLock(function (&$v) use ($value) { $v = $value; });
	$got = $m->withLockTimeout(fn ($v) => $v, 10);
	check(is_object($value) && !$value instanceof UnitEnum ? $got == $value : $got === $value, "a mutex with $key");
}
$kept = null;
$m->withLock(function (&$v) use (&$kept) { $v = ['a' => [1]]; $kept = &$v; });
$kept['a'][] = 2;
check($m->withLock(fn ($v) => $v) === ['a' => [1]], 'a reference that was kept');
try {
	$m->withLock(function (&$v) { $v['a'] = 2; throw new DomainException('thrown'); });
	check(false, 'an exception under a mutex');
} catch (DomainException) {
}
check($m->withLock(fn ($v) => $v) === ['a' => 2], 'what came before the exception');
try {
	$m->withLock(function (&$v) { $v = fn () => 1; throw new DomainException('thrown'); });
	check(false, 'a closure in a mutex');
} catch (FrankenPHP\SharedState\InvalidValueException $e) {
	check($e->getPrevious() instanceof DomainException, 'both exceptions');
}
foreach (['withLock', 'tryWithLock'] as $method) {
	try {
		$m->withLock(fn () => $m->$method(fn () => 1));
		check(false, "$method() inside");
	} catch (FrankenPHP\SharedState\DeadlockException) {
	}
}
final class Trouble
{
	public function __serialize(): array
	{
		global $m;
		return $m->withLock(fn () => []);
	}
}
foreach ([fn () => $m->withLock(function (&$v) { $v = new Trouble(); }), fn () => $m->withLock(function (&$v) { $v = new Trouble(); throw new Exception(); }),
	fn () => $m->withLock(function (int &$v) {}), fn () => $m->withLockTimeout(fn () => 1, 0), fn () => clone $m, fn () => serialize($m), fn () => $m->more = 1,
	fn () => new FrankenPHP\SharedMutex($loop + ['f' => fn () => 1])] as $i => $bad) {
	try {
		$bad();
		check(false, "bad use $i of a mutex");
	} catch (Throwable $e) {
		check($e->getMessage() !== '', 'which says so');
	}
}
check($m->withLock(fn ($v) => $v) === ['a' => 2], 'the value before stands');
$fiber = new Fiber(fn () => $m->withLock(function (&$v) { $v = 1; Fiber::suspend([$v]); }));
$fiber->start();
unset($fiber);
check($m->tryWithLock(fn ($v) => $v) === ['a' => 2], 'a fiber that was destroyed under a mutex');
$corrupted = new FrankenPHP\SharedMutex(1);
foreach ([[FrankenPHP\SharedState\SharedStateException::class, fn () => $corrupted->withLock(function (&$v) { $v = 'a fault'; })],
	[FrankenPHP\SharedState\CorruptedMutexException::class, fn () => $corrupted->withLock(fn () => check(false, 'a call under a corrupted mutex'))],
	[FrankenPHP\SharedState\CorruptedMutexException::class, fn () => $corrupted->tryWithLock(fn () => check(false, 'a call under a corrupted mutex'))],
	[FrankenPHP\SharedState\CorruptedMutexException::class, fn () => $corrupted->withLockTimeout(fn () => check(false, 'a call under a corrupted mutex'), 5)]] as [$class, $call]) {
	try {
		$call();
		check(false, 'a fault under a mutex');
	} catch (FrankenPHP\SharedState\SharedStateException $e) {
		check($e::class === $class, "$class after a fault, not " . $e::class);
	}
}
$m->__construct();
check($m->withLock(fn ($v) => $v) === null && FrankenPHP\SharedMutex::remove('m') && !FrankenPHP\SharedMutex::remove('m'), 'a mutex made anew');
$fiber = new Fiber(fn () => $same->withLock(function (&$v) { $v = 1; Fiber::suspend(); }));
$fiber->start();

echo "the twin answered right\n";
