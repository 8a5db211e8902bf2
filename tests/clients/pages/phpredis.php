<?php

// phpredis on the server that runs it: what it stores PHP reads, and the other way round. Prints what differs from what is expected.

use FrankenPHP\SharedArray;

$shared = new SharedArray();
$redis = new Redis();
$redis->connect('127.0.0.1', (int) $_GET['port']);

function same(mixed $expected, mixed $actual, string $what): void
{
    if ($expected !== $actual) {
        printf("%s: %s, not %s\n", $what, var_export($actual, true), var_export($expected, true));
    }
}

same(true, $redis->set('greeting', 'hello'), 'SET');
same('hello', $shared['greeting'], 'what phpredis has stored');
$shared['greeting'] = "bytes \0 \r\n";
same("bytes \0 \r\n", $redis->get('greeting'), 'what PHP has stored');
$redis->set('zeros', '007');
same('007', $shared['zeros'], '007');
same(false, $redis->get('nothing'), 'an absent key');

// SET with all its options, and what is no option.
same(true, $redis->set('lock', 'mine', ['nx', 'ex' => 10]), 'NX on an absent key');
same(false, $redis->set('lock', 'yours', ['nx', 'ex' => 10]), 'NX on a key');
same('mine', $redis->get('lock'), 'the lock');
same(true, $redis->ttl('lock') > 0 && $redis->ttl('lock') <= 10, 'its time to live');
same(true, $redis->set('lock', 'again', ['xx', 'px' => 20000]), 'XX on a key');
same(false, $redis->set('nothing', 'x', ['xx']), 'XX on an absent key');
same(true, $redis->setex('brief', 100, 'x'), 'SETEX');
same(false, $redis->rawCommand('SET', 'brief', 'x', 'NONSENSE'), 'an unknown option');
same('ERR syntax error', $redis->getLastError(), 'its error');
$redis->clearLastError();

same(1, $redis->incr('n'), 'INCR');
same(11, $shared->increment('n', 10), 'an increment in PHP');
same(12, $redis->incr('n'), 'INCR after PHP');
same(1.5, $redis->incrByFloat('f', 1.5), 'INCRBYFLOAT');
same(['12', false, '1.5'], $redis->mGet(['n', 'nothing', 'f']), 'MGET');
same(true, $redis->mSet(['a' => '1', 'b' => 'two']), 'MSET');
same([1, 'two'], [$shared['a'], $shared['b']], 'what MSET has stored');
same(2, $redis->exists(['a', 'b', 'nothing']), 'EXISTS');
same(2, $redis->del(['a', 'b']), 'DEL');

$shared['list'] = ['x' => [1, 2]];
same('{"x":[1,2]}', $redis->get('list'), 'an array');
same(false, $redis->append('list', 'x'), 'APPEND to an array');
same(['x' => [1, 2]], $shared['list'], 'the array after that');
same(false, $redis->hGet('list', 'x'), 'HGET');
same(true, str_starts_with($redis->getLastError(), 'WRONGTYPE'), 'its error');
$redis->clearLastError();

$keys = [];
for ($i = 0; $i < 500; $i++) {
    $shared["scan:$i"] = $i;
}
$cursor = null;
while ($found = $redis->scan($cursor, 'scan:*', 100)) {
    $keys = [...$keys, ...$found];
}
same(500, count(array_unique($keys)), 'SCAN');

same([true, 13, '13'], $redis->multi()->set('m', 'x')->incr('n')->get('n')->exec(), 'MULTI and EXEC');
$redis->watch('n');
$shared['n'] = 100;
same(false, $redis->multi()->incr('n')->exec(), 'EXEC after PHP has written a watched key');
same(['100', 101], $redis->pipeline()->get('n')->incr('n')->exec(), 'a pipeline');

// phpredis' serializer is its own: what it has stored is a string here, and never an object of PHP's.
$redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_PHP);
$redis->set('object', new ArrayObject([1]));
same(true, $redis->get('object') instanceof ArrayObject, 'an object through phpredis');
same(true, is_string($shared['object']), 'the same to PHP');

$redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_NONE);
$sender = new Redis();
$sender->connect('127.0.0.1', (int) $_GET['port']);
$sender->config('SET', 'notify-keyspace-events', 'K$');
$heard = [];
$redis->setOption(Redis::OPT_READ_TIMEOUT, 3);
try { // phpredis leaves subscribe() only when nothing has come for the read timeout
    $redis->subscribe(['news', '__keyspace@0__:told'], function (Redis $redis, string $channel, string $message) use (&$heard, $shared) {
        $heard[] = "$channel $message";
        if (count($heard) === 1) {
            $shared['told'] = 1;
        }
    });
} catch (RedisException) {
    echo implode(', ', $heard), "\n";
}
