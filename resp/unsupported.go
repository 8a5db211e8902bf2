package resp

import "strings"

// Commands of Redis that there are not, by what they are about, so that a client learns why instead of "unknown command".
var unsupportedGroups = map[string]string{
	"hashes":       "hset hsetnx hmset hget hmget hgetall hdel hexists hincrby hincrbyfloat hkeys hlen hrandfield hscan hstrlen hvals",
	"lists":        "lpush lpushx rpush rpushx lpop rpop blpop brpop lmpop blmpop llen lindex linsert lrange lrem lset ltrim lpos lmove blmove rpoplpush brpoplpush",
	"sets":         "sadd srem scard sdiff sdiffstore sinter sintercard sinterstore sismember smismember smembers smove spop srandmember sscan sunion sunionstore",
	"sorted sets":  "zadd zcard zcount zdiff zdiffstore zincrby zinter zintercard zinterstore zlexcount zmpop bzmpop zmscore zpopmax zpopmin bzpopmax bzpopmin zrandmember zrange zrangebylex zrangebyscore zrangestore zrank zrem zremrangebylex zremrangebyrank zremrangebyscore zrevrange zrevrangebylex zrevrangebyscore zrevrank zscan zscore zunion zunionstore",
	"streams":      "xack xadd xautoclaim xclaim xdel xgroup xinfo xlen xpending xrange xread xreadgroup xrevrange xsetid xtrim",
	"bitmaps":      "setbit getbit bitcount bitpos bitop bitfield bitfield_ro",
	"HyperLogLogs": "pfadd pfcount pfmerge pfdebug pfselftest",
	"geo indexes":  "geoadd geodist geohash geopos georadius georadius_ro georadiusbymember georadiusbymember_ro geosearch geosearchstore",
	"sorting":      "sort sort_ro",
	"dumps":        "dump restore migrate",
	"scripts":      "eval eval_ro evalsha evalsha_ro script function fcall fcall_ro",
	"shards":       "ssubscribe sunsubscribe spublish",
	"replication":  "replicaof slaveof psync sync replconf failover",
	"clusters":     "cluster asking readonly readwrite",
	"subsequences": "lcs",
	"swaps":        "swapdb",
	"debuggers":    "debug",
	"saved files":  "save bgsave bgrewriteaof lastsave",
}

var unsupportedCommands = func() map[string]string {
	all := make(map[string]string)
	for group, names := range unsupportedGroups {
		for _, name := range strings.Fields(names) {
			all[name] = group
		}
	}
	return all
}()

// unsupported is the error for a command of Redis that there is not, "" for one that is unknown.
func unsupported(name []byte) string {
	lower := strings.ToLower(string(name))
	group, known := unsupportedCommands[lower]
	if !known {
		return ""
	}
	code := "ERR"
	switch group {
	case "hashes", "lists", "sets", "sorted sets", "streams":
		code = "WRONGTYPE"
	}
	return code + " " + strings.ToUpper(lower) + " is not supported: there are no " + group + " here"
}
