<?php

// What a SharedArrayInterface answers, as a list of lines: those of the real one and of the fake must be the same.

use FrankenPHP\SharedState\SharedArrayInterface;

enum Suit: string
{
    case Hearts = 'H';
    case Spades = 'S';
}

final class Point
{
    public function __construct(public int $x, public mixed $more = null)
    {
    }
}

/**
 * @param callable(float): void $wait lets so many seconds pass for the keys
 * @return list<string>
 */
function scenario(SharedArrayInterface $s, callable $wait): array
{
    $lines = [];
    $say = function (string $what, callable $do) use (&$lines): void {
        try {
            $answer = $do();
            if (is_array($answer)) {
                ksort($answer, SORT_STRING);
            }
            $lines[] = "$what: " . var_export($answer, true);
        } catch (Throwable $e) {
            $lines[] = "$what: throws " . $e::class;
        }
    };

    $loop = ['x' => 1];
    $loop['self'] = &$loop;
    $deep = 1;
    for ($i = 0; $i < 513; $i++) {
        $deep = [$deep];
    }
    $shared = 1;
    $values = [
        'null' => null, 'false' => false, 'true' => true, 'zero' => 0, 'int' => PHP_INT_MIN, 'float' => 0.0, 'minus' => -0.0, 'nan' => NAN, 'inf' => INF,
        'empty' => '', 'digit' => '0', 'text' => "\0\xff text", 'list' => [1, 'two', [3.5, null]], 'map' => ['b' => 1, 'a' => 2, 7 => 'x'],
        'order' => ['a' => 2, 'b' => 1, 7 => 'x'], 'enum' => Suit::Hearts, 'enums' => [Suit::Hearts, 'k' => Suit::Spades], 'point' => new Point(1, [2]),
        'objects' => [new Point(1), ['deep' => new ArrayObject([1])]], 'date' => new DateTimeImmutable('2020-01-02 UTC'), 'closure' => fn () => 1,
        'stream' => STDERR, 'loop' => $loop, 'deep' => $deep, 'deep enough' => $deep[0], 'references' => [&$shared, &$shared],
        'long' => str_repeat('x', (1 << 20) + 1),
    ];
    foreach ($values as $key => $value) {
        $say("put $key", fn () => $s->put($key, $value));
        if ($key !== 'deep enough') {
            $say("get $key", fn () => $s->get($key, 'default'));
        }
        $say("isset $key", fn () => [isset($s[$key]), empty($s[$key]), $s->exists($key), $s->ttl($key)]);
    }
    foreach ($values as $key => $value) {
        foreach (['null', 'false', 'zero', 'float', 'minus', 'nan', 'empty', 'digit', 'map', 'order', 'enum', 'point', 'list', 'missing'] as $under) {
            $s->put('copy', null);
            if ($under === 'missing') {
                $s->forget('copy');
            } else {
                $s->put('copy', $values[$under]);
            }
            $say("compareAndSet of $under with $key", fn () => $s->compareAndSet('copy', $value, 'new') ? $s['copy'] : false);
        }
    }
    $shared = 2;
    $say('references stay', fn () => $s['references']);
    $say('objects are copies', function () use ($s) { $s->get('point')->x = 9; return $s['point']->x; });

    foreach (['12', 12, '012', '-0', '', true, 3.0, -5, "\0", str_repeat('k', 65536), str_repeat('k', 65537)] as $i => $offset) {
        $say("offset $i", function () use ($s, $offset) { $s[$offset] = 1; return [isset($s[$offset]), array_keys($s->scan('', 0))]; });
        $say("unset $i", function () use ($s, $offset) { unset($s[$offset]); return isset($s[$offset]); });
    }
    $say('array as an offset', fn () => $s[[]]);
    $say('append', function () use ($s) { $s[] = 1; });

    $times = [null, 0, -1, 1, 0.5, -0.5, 60, PHP_INT_MAX, PHP_INT_MIN, 1e15, -1e15, NAN, INF, -INF, 1e19, new DateInterval('PT1M'), new DateInterval('P1M'),
        DateInterval::createFromDateString('-1 day'), new DateTime('+1 minute'), new DateTimeImmutable('-1 minute'), new DateTimeImmutable('+1 day')];
    foreach ($times as $i => $ttl) {
        $left = function (string $key) use ($s) {
            $ttl = $s->ttl($key);
            return [$s->exists($key), $ttl === null ? null : round($ttl / 5)];
        };
        $say("put for $i", fn () => [$s->put('t', 1) && $s->put('t', 2, $ttl), $left('t')]);
        $say("touch for $i", fn () => [$s->put('t', 1) && $s->touch('t', $ttl), $left('t')]);
        $say("touch of nothing for $i", fn () => $s->touch('nothing', $ttl));
        $say("putMany for $i", fn () => [$s->putMany(['t' => 1, 'u' => 2], $ttl), $left('t'), $left('u')]);
        $say("add for $i", fn () => [$s->forget('t'), $s->add('t', 1, $ttl), $left('t'), $s->add('t', 2, $ttl), $s->get('t')]);
        $say("increment for $i", fn () => [$s->forget('t'), $s->increment('t', 5, $ttl), $s->increment('t', 5, 1000), $s->increment('t') > 0, $left('t')]);
        $s->forgetMany(['t', 'u']);
    }

    $s->putMany(['short' => 1, 'short:2' => [2]], 0.02);
    $s->increment('short:n', 3, 0.02);
    $say('before the expiry', fn () => [$s['short'], $s->get('short:2'), $s['short:n']]);
    $wait(0.03);
    $say('after the expiry', fn () => [$s->get('short', 'gone'), isset($s['short:2']), $s->exists('short:n'), $s->ttl('short'), $s->forget('short'), $s->touch('short:2', 5),
        $s->pull('short:2'), $s->compareAndSet('short', 1, 2), $s->scan('short'), $s->many(['short', 'short:n'])]);
    $say('increment after it', fn () => [$s->increment('short:n'), $s->ttl('short:n')]);
    $say('add after it', fn () => [$s->add('short', 'new'), $s['short'], $s->ttl('short')]);
    $say('compareAndSet keeps the expiry', fn () => [$s->put('c', 1, 60), $s->compareAndSet('c', 1, 'x'), $s['c'], round($s->ttl('c') / 5)]);

    foreach ([0, 1, -1, '5', '05', '5.0', ' 5', 'abc', '12abc', '', 1.5, NAN, INF, null, true, [], Suit::Hearts, new Point(1), PHP_INT_MAX, PHP_INT_MIN, PHP_FLOAT_MAX] as $i => $n) {
        foreach ([1, -1, 0.5, PHP_INT_MIN, PHP_INT_MAX, PHP_FLOAT_MAX, INF] as $by) {
            $s['n'] = $n;
            $say("increment of $i by " . var_export($by, true), fn () => $s->increment('n', $by));
            $say('leaves', fn () => $s['n']);
            $s['n'] = $n;
            $say("decrement of $i by " . var_export($by, true), fn () => $s->decrement('n', $by));
        }
    }
    $say('increment of nothing', fn () => [$s->increment('new'), $s->decrement('new:2', 2.5), $s->increment('new')]);

    $say('replace', fn () => array_fill_keys(array_keys($s->replace(['a:1' => 1, 'a:2' => null, 'b' => [3], 4 => 'four'])), true));
    $say('views', fn () => [count($s), count($s->keys()), $s->snapshot() == iterator_to_array($s), json_decode(json_encode($s), true) == $s->snapshot(), count($s->scan('a:')),
        count($s->scan('', 2)), $s->scan('a:1')]);
    $say('negative limit', fn () => $s->scan('', -1));
    $say('many', fn () => $s->many(['a:1', 'a:2', 'none', '4', 4], 'default'));
    $say('many of a bool', fn () => $s->many(['a:1', true]));
    $say('a merge that fails', function () use ($s) { $s->merge(['a:1' => 9, 'new' => fn () => 1]); });
    $say('leaves', fn () => [$s['a:1'], $s->exists('new')]);
    $before = $s->version();
    $say('forgetMany of a float', fn () => $s->forgetMany(['a:1', 1.5]));
    $say('forgetMany', fn () => [$s->forgetMany(['a:1', 'none', 4, '4']), $s->forgetPrefix('a:'), $s->forgetPrefix('a:'), $s->forget('b'), $s->forget('b'), count($s)]);
    $say('version', fn () => $s->version() > $before);
    $say('pull', fn () => [$s->forever('p', null), $s->pull('p', 'default'), $s->pull('p', 'default')]);
    $say('remember', fn () => [$s->remember('r', null, fn () => 1), $s->remember('r', null, fn () => 2), $s->remember('r:null', 60, fn () => null), $s->remember('r:null', 60, fn () => 2),
        $s->remember('r:gone', 0, fn () => 3), $s->exists('r:gone')]);
    $say('remember that throws', fn () => $s->remember('r:throws', null, fn () => throw new RuntimeException('no value')));
    $say('leaves', fn () => $s->exists('r:throws'));
    $say('remember a closure', fn () => $s->remember('r:closure', null, fn () => fn () => 1));
    $say('update', fn () => [$s->update('u', fn ($old) => [$old]), $s->update('u', fn ($old) => [...$old, 2]), $s['u'], $s->put('u:ttl', 1, 60), $s->update('u:ttl', fn ($n) => $n + 1), $s->ttl('u:ttl') > 50]);
    $say('update that comes between itself', fn () => $s->update('u:n', fn () => $s->increment('u:n')));
    $say('interval', function () use ($s, $wait) {
        $n = 0;
        $s->interval('i', function () use (&$n) { return ++$n; }, 0.05);
        $seen = [$n, $s['i'], $s['i'], $n, $s->get('i')];
        $wait(0.2);
        return [...$seen, $s['i'], $s->flush(), $s['i']];
    });
    $say('interval that throws at first', function () use ($s) { $s->interval('i:throws', fn () => throw new RuntimeException('no value'), 60); $s['i:throws']; });
    foreach ([0, -1, NAN, 0.001] as $seconds) {
        $say("interval of $seconds seconds", fn () => $s->interval('i:bad', 'strtolower', $seconds));
    }
    $say('interval without a callable', fn () => $s->interval('i:bad', 'no such function', 60));
    $l = $s->lock('l', 0.2);
    $o = $s->lock('l', 0, 'other');
    $say('a lock', fn () => [strlen($l->owner()), $l->owner() === $s->lock('l')->owner(), $l->token(), $l->isOwnedBy(null), $l->acquire(), $l->acquire(), $o->get(), $o->get(fn () => 1),
        $l->isOwnedByCurrentProcess(), $o->isOwnedByCurrentProcess(), $o->isOwnedBy($l->owner()), $o->isOwnedBy(null), $o->release(), $o->refresh(5), $o->refresh(), $o->token(), $l->token() > 0]);
    $say('its life', fn () => [$l->getRemainingLifetime() <= 0.2, $l->refresh(0.5), $o->getRemainingLifetime() > 0.3, $l->refresh(), $l->getRemainingLifetime() <= 0.2]);
    $say('block on it for too short', fn () => $o->block(0.001));
    $say('block not at all', fn () => $o->block(0));
    $say('block until it expires', fn () => [$o->block(5), $l->release(), $l->refresh(), $l->isOwnedByCurrentProcess(), $o->token() > $l->token(), $o->getRemainingLifetime(), $o->refresh()]);
    $say('block on one that this request has', fn () => $l->block(5));
    $say('released by its name and owner', fn () => [$s->restoreLock('l', 'other')->isOwnedByCurrentProcess(), $s->restoreLock('l', 'x')->release(), $s->restoreLock('l', 'other')->release(), $o->release()]);
    $say('under a lock', fn () => [$l->get(fn () => $o->get() . 'x'), $l->isOwnedBy(null), $l->block(1, fn () => $l->get(fn () => 1)), $l->isOwnedBy(null), $l->get(fn () => false), $l->get(fn () => null)]);
    $say('an exception under a lock', fn () => $l->get(fn () => throw new DomainException()));
    $say('leaves', fn () => $l->isOwnedBy(null));
    foreach ([0, -1, 0.0, -0.5, NAN, INF] as $n) {
        $say("refresh by $n", fn () => $l->refresh($n));
        $say("a lock for $n", fn () => [$s->lock('n', $n)->acquire(), $s->lock('n')->getRemainingLifetime(), $s->flushLocks()]);
        $say("block for $n", fn () => [$s->lock('n')->block($n), $s->flushLocks()]);
    }
    $say('a lock until a moment', fn () => [$s->lock('m', new DateTime('+1 hour'))->acquire(), round($s->lock('m')->getRemainingLifetime() / 60), $s->lock('m')->refresh(5)]);
    $say('a lock for an interval', fn () => [$s->lock('i', new DateInterval('PT1M'))->acquire(), round($s->lock('i')->getRemainingLifetime() / 6)]);
    $say('a lock until a moment that is over', fn () => $s->lock('m', new DateTime('@0')));
    $say('a lock for no interval', fn () => $s->lock('m', new DateInterval('PT0S')));
    $say('a refreshed lock is released by force', fn () => [$l->acquire(), $o->forceRelease(), $l->release(), $o->forceRelease(), $s['l'], count($s) > 0]);
    $say('flush leaves locks', fn () => [$l->acquire(), (clone $s)->flush(), $o->acquire(), $s->flushLocks(), $o->acquire(), $o->release()]);
    $say('clone of a lock', fn () => clone $l);
    $say('serialized lock', fn () => serialize($l));

    $copy = clone $s;
    $copy['from the clone'] = 1;
    $say('flush', fn () => [$s['from the clone'], $s->flush(), count($copy), $s->sweep(), $s->evict(), $s->stats()['count']]);
    return $lines;
}
