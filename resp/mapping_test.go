package resp

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/frankenshare/frankenshare/sharedstate"
)

func bulk(s string) string { return fmt.Sprintf("$%d\r\n%s\r\n", len(s), s) }

// values are what PHP may have stored, and what a client sees of it.
func values(t *testing.T) map[string]struct {
	value                sharedstate.Value
	text, kind, encoding string
} {
	array, err := sharedstate.Map(
		sharedstate.Pair{Key: sharedstate.StringKey("list"), Value: mustOf(t, []any{1, "a\"\n\xff\u00e9/", nil, true, 1.5, 2.0})},
		sharedstate.Pair{Key: sharedstate.IntKey(7), Value: mustOf(t, []any{})},
		sharedstate.Pair{Key: sharedstate.StringKey("nan"), Value: sharedstate.Float(math.NaN())},
		sharedstate.Pair{Key: sharedstate.StringKey("inf"), Value: mustOf(t, []any{math.Inf(1), math.Inf(-1)})},
		sharedstate.Pair{Key: sharedstate.StringKey("suit"), Value: sharedstate.EnumCase(sharedstate.Enum{Class: `App\Suit`, Case: "Hearts"})},
	)
	require.NoError(t, err)
	return map[string]struct {
		value                sharedstate.Value
		text, kind, encoding string
	}{
		"int":    {sharedstate.Int(math.MinInt64), "-9223372036854775808", "string", "int"},
		"float":  {sharedstate.Float(0.1), "0.1", "string", "float"},
		"whole":  {sharedstate.Float(3), "3", "string", "float"},
		"minus":  {sharedstate.Float(math.Copysign(0, -1)), "-0", "string", "float"},
		"large":  {sharedstate.Float(1e30), "1e+30", "string", "float"},
		"nan":    {sharedstate.Float(math.NaN()), "nan", "string", "float"},
		"inf":    {sharedstate.Float(math.Inf(-1)), "-inf", "string", "float"},
		"string": {sharedstate.String("007"), "007", "string", "embstr"},
		"bytes":  {sharedstate.String("\x00\xff\r\n"), "\x00\xff\r\n", "string", "embstr"},
		"long":   {sharedstate.String(strings.Repeat("x", 45)), strings.Repeat("x", 45), "string", "raw"},
		"null":   {sharedstate.Null(), "null", "string", "null"},
		"true":   {sharedstate.Bool(true), "true", "string", "bool"},
		"false":  {sharedstate.Bool(false), "false", "string", "bool"},
		"enum":   {sharedstate.EnumCase(sharedstate.Enum{Class: `App\Suit`, Case: "Hearts"}), `App\Suit::Hearts`, "enum", "enum"},
		"array":  {array, `{"list":[1,"a\"\n` + "\ufffd\u00e9" + `/",null,true,1.5,2],"7":[],"nan":"NAN","inf":["INF","-INF"],"suit":"App\\Suit::Hearts"}`, "array", "array"},
		"empty":  {mustOf(t, []any{}), "[]", "array", "array"},
	}
}

func mustOf(t *testing.T, x any) sharedstate.Value {
	v, err := sharedstate.Of(x)
	require.NoError(t, err)
	return v
}

// What PHP has stored reads as its text or its JSON, and no command changes what is neither a string nor a number.
func TestPHPValuesAsClientsSeeThem(t *testing.T) {
	s := start(t, nil)
	p := dial(t, s.address)
	for key, want := range values(t) {
		require.NoError(t, s.table.Set(key, want.value))
		require.Equal(t, bulk(want.text), p.do("GET", key), key)
		require.Equal(t, "*1\r\n"+bulk(want.text), p.do("MGET", key), key)
		require.Equal(t, "+"+want.kind+"\r\n", p.do("TYPE", key), key)
		require.Equal(t, bulk(want.encoding), p.do("OBJECT", "ENCODING", key), key)
		require.Equal(t, fmt.Sprintf(":%d\r\n", len(want.text)), p.do("STRLEN", key), key)
		require.Equal(t, bulk(want.text), p.do("GETRANGE", key, "0", "-1"), key)
		if !isPlain(want.value.Kind()) {
			for _, args := range [][]string{{"APPEND", key, "x"}, {"INCR", key}, {"INCRBYFLOAT", key, "1"}, {"SETRANGE", key, "1", "x"}, {"DECRBY", key, "2"}} {
				require.Equal(t, "-"+wrongType+"\r\n", p.do(args...), "%s", args)
			}
		}
		require.Equal(t, "+OK\r\n", p.do("RENAME", key, key+"2"))
		require.Equal(t, ":1\r\n", p.do("COPY", key+"2", key+"3"))
		v, ok := s.table.Get(key + "3")
		require.True(t, ok && v.Equal(want.value), "%s is %v", key, v)
		require.Equal(t, bulk(want.text), p.do("SET", key+"3", "new", "GET"), key)
		require.Equal(t, bulk(want.text), p.do("GETDEL", key+"2"), key)
	}
}

// An object is for PHP alone: it can be moved within its table, removed and written over, not read.
func TestObjectsAreForPHPAlone(t *testing.T) {
	s := start(t, nil)
	p := dial(t, s.address)
	object := sharedstate.Raw(sharedstate.KindObject, sharedstate.FlagFresh|sharedstate.FlagRunsCode, 0, "\x01O:8:\"stdClass\":0:{}")
	require.NoError(t, s.table.Set("o", object))
	for _, line := range []string{"GET o", "GETRANGE o 0 -1", "STRLEN o", "GETDEL o", "GETEX o PERSIST", "GETSET o x", "SET o x GET"} {
		require.Equal(t, "-"+onlyForPHP+"\r\n", p.ask(line), line)
	}
	require.Equal(t, "*1\r\n$-1\r\n", p.ask("MGET o"))
	require.Equal(t, "+object\r\n", p.ask("TYPE o"))
	for _, line := range []string{"APPEND o x", "INCR o", "SETRANGE o 0 x"} {
		require.Equal(t, "-"+wrongType+"\r\n", p.ask(line), line)
	}
	require.Equal(t, "-ERR a PHP object stays in its table\r\n", p.ask("COPY o x DB metrics"))
	require.Equal(t, "-ERR a PHP object stays in its table\r\n", p.ask("MOVE o metrics"))
	require.Equal(t, "+OK\r\n", p.ask("RENAME o o2"))
	v, _ := s.table.Get("o2")
	require.True(t, v.Equal(object))
	require.Equal(t, "+OK\r\n", p.ask("SET o2 x"))
	require.Equal(t, bulk("x"), p.ask("GET o2"))
}

// What a client stores reads back byte for byte, and is a string, an int or a float to PHP, whatever it looks like: fault 104.
func TestFault104ClientsStoreStringsAndNumbers(t *testing.T) {
	s := start(t, nil)
	p := dial(t, s.address)
	for _, text := range []string{"007", "1e5", "Infinity", "NAN", "", "0", "-0", "5", "-5", "+5", " 5", "5.0", "1.5", "true", "null",
		"9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
		`O:8:"stdClass":0:{}`, "a:1:{i:0;i:1;}", `{"a":1}`, "\x01O:8:\"stdClass\":0:{}", "\x00", "\xff\xfe"} {
		for _, args := range [][]string{{"SET", "k", text}, {"MSET", "k", text}, {"GETSET", "k", text}, {"SETEX", "k", "100", text}, {"SET", "k", text, "NX"}, {"APPEND", "k", text}, {"SETRANGE", "k", "0", text}} {
			p.ask("DEL k")
			p.do(args...)
			v, ok := s.table.Get("k")
			if !ok {
				require.Empty(t, text)
				continue
			}
			require.Equal(t, bulk(text), p.ask("GET k"), "%q", args)
			require.True(t, slices.Contains([]sharedstate.Kind{sharedstate.KindString, sharedstate.KindInt}, v.Kind()), "%q is %v", args, v)
		}
	}
	require.Equal(t, bulk("1.5"), p.ask("INCRBYFLOAT f 1.5"))
	v, _ := s.table.Get("f")
	require.True(t, v.Equal(sharedstate.Float(1.5)))
	require.NoError(t, s.table.Set("f", sharedstate.Float(2.5)))
	require.Equal(t, bulk("3"), p.ask("INCRBYFLOAT f 0.5"))
	v, _ = s.table.Get("f")
	require.True(t, v.Equal(sharedstate.Float(3)), "a float stays one")
	for _, line := range []string{"SET k v FOO", "SET k v NX XX", "SET k v EX", "SET k v EX 10 PX 10", "SET k v KEEPTTL EX 10"} {
		require.Equal(t, "-ERR syntax error\r\n", p.ask(line), line)
	}
	require.Equal(t, "+OK\r\n", p.ask("SET lock a NX EX 10"))
	require.Equal(t, "$-1\r\n", p.ask("SET lock b NX EX 10"))
	require.Equal(t, bulk("a"), p.ask("GET lock"))
}

// The time to live of what is not there is -2, of what does not expire -1: faults 46 and 50.
func TestFault046And050TTLOfWhatDoesNotExpire(t *testing.T) {
	s := start(t, nil)
	p := dial(t, s.address)
	require.NoError(t, s.table.Put("forever", sharedstate.Int(1), sharedstate.Forever))
	require.NoError(t, s.table.Put("hour", sharedstate.Int(1), time.Hour))
	for _, command := range []string{"TTL", "PTTL", "EXPIRETIME", "PEXPIRETIME"} {
		require.Equal(t, ":-2\r\n", p.do(command, "nosuch"), command)
		require.Equal(t, ":-1\r\n", p.do(command, "forever"), command)
	}
	require.Equal(t, ":3600\r\n", p.ask("TTL hour"))
	require.Equal(t, ":1\r\n", p.ask("PERSIST hour"))
	require.Equal(t, ":-1\r\n", p.ask("TTL hour"))
	require.Equal(t, ":1\r\n", p.ask("PEXPIRE hour 1"))
	require.Eventually(t, func() bool { return p.ask("TTL hour") == ":-2\r\n" }, 5*time.Second, time.Millisecond)
}

// Numbers that overflow or are none are refused, and stay: faults 53, 55 and 65.
func TestFault053And055And065Numbers(t *testing.T) {
	s := start(t, nil)
	p := dial(t, s.address)
	for _, c := range [][3]string{
		{"9223372036854775807", "INCR k", "increment or decrement would overflow"},
		{"-9223372036854775808", "DECR k", "increment or decrement would overflow"},
		{"0", "DECRBY k -9223372036854775808", "decrement would overflow"},
		{"abc", "INCR k", "value is not an integer or out of range"},
		{"12abc", "INCRBY k 1", "value is not an integer or out of range"},
		{"1.5", "INCR k", "value is not an integer or out of range"},
	} {
		require.Equal(t, "+OK\r\n", p.do("SET", "k", c[0]))
		require.Equal(t, "-ERR "+c[2]+"\r\n", p.ask(c[1]), c[1])
		require.Equal(t, bulk(c[0]), p.ask("GET k"))
	}
}

// Hash, list and set commands say that they are not there, and so do scripts.
func TestWhatThereIsNot(t *testing.T) {
	p := dial(t, start(t, nil).address)
	for line, reply := range map[string]string{
		"HSET h a 1": "-WRONGTYPE HSET is not supported: there are no hashes here",
		"lpush l a":  "-WRONGTYPE LPUSH is not supported: there are no lists here",
		"SMEMBERS s": "-WRONGTYPE SMEMBERS is not supported: there are no sets here",
		"EVAL x 0":   "-ERR EVAL is not supported: there are no scripts here",
		"Script x":   "-ERR SCRIPT is not supported: there are no scripts here",
	} {
		require.Equal(t, reply+"\r\n", p.ask(line))
	}
	p.ask("MULTI")
	p.ask("HSET h a 1")
	require.Contains(t, p.ask("EXEC"), "-EXECABORT")
}

// With prefixes a key goes to the table that it names, and one that may later be another's is refused.
func TestPrefixes(t *testing.T) {
	s := start(t, func(o *Options) { o.Prefixes = true })
	metrics, err := s.store.Table("metrics")
	require.NoError(t, err)
	p := dial(t, s.address)
	require.Equal(t, "+OK\r\n", p.ask("MSET a 1 metrics:a 2 metrics:b:c 3 default:user:1 4"))
	for table, keys := range map[*sharedstate.Table][]string{s.table: {"a", "user:1"}, metrics: {"a", "b:c"}} {
		have := table.Keys()
		slices.Sort(have)
		require.Equal(t, keys, have)
	}
	require.Equal(t, "*4\r\n"+bulk("1")+bulk("2")+bulk("3")+bulk("4"), p.ask("MGET a metrics:a metrics:b:c default:user:1"))
	for _, line := range []string{"SET user:1 x", "MSET a 1 user:1 x", "DEL user:1", "RENAME a user:1", "EXPIRE user:1 10"} {
		require.Contains(t, p.ask(line), `-ERR there is no table "user" for the key "user:1"`, line)
	}
	require.Equal(t, bulk("1"), p.ask("GET a"), "nothing was written")
	require.Equal(t, "+OK\r\n", p.do("SET", "a b:c", "x"), "no table can have that name")
	require.Equal(t, "+OK\r\n", p.do("SET", ":c", "x"))
	require.True(t, s.table.Has("a b:c") && s.table.Has(":c"))
	require.Equal(t, "+OK\r\n", p.ask("RENAME a metrics:moved"))
	require.True(t, metrics.Has("moved"))
	require.Equal(t, "+OK\r\n", p.ask("SELECT metrics"))
	require.Equal(t, ":1\r\n", p.ask("EXISTS moved"))
	require.Equal(t, "+OK\r\n", p.ask("WATCH default:user:1"))
	require.NoError(t, s.table.Set("user:1", sharedstate.Int(5)))
	p.ask("MULTI")
	require.Equal(t, "*-1\r\n", p.ask("EXEC"))
}

// A scan in pages under writes finds every key that stays: what SCAN promises.
func TestScanFindsEveryKey(t *testing.T) {
	s := start(t, nil)
	for i := range 2000 {
		require.NoError(t, s.table.Set(fmt.Sprint("kept", i), sharedstate.Int(1)))
	}
	p := dial(t, s.address)
	found := make(map[string]int)
	for cursor, n := "0", 0; ; n++ {
		require.NoError(t, s.table.Set(fmt.Sprint("new", n%100), sharedstate.Int(1)))
		_, err := s.table.Delete(fmt.Sprint("new", (n+50)%100))
		require.NoError(t, err)
		lines := strings.Split(p.do("SCAN", cursor, "MATCH", "kept*", "COUNT", "20"), "\r\n")
		for i := 5; i < len(lines); i += 2 {
			found[lines[i]]++
		}
		if cursor = lines[2]; cursor == "0" {
			break
		}
	}
	require.Len(t, found, 2000)
	for key, n := range found {
		require.Equal(t, 1, n, key)
	}
}

// Clearing a table leaves the others: fault 112.
func TestFault112FlushdbClearsOneTable(t *testing.T) {
	s := start(t, nil)
	p := dial(t, s.address)
	for _, line := range []string{"SET a 1", "SELECT metrics", "SET a 2", "FLUSHDB"} {
		require.Equal(t, "+OK\r\n", p.ask(line))
	}
	require.Equal(t, ":0\r\n", p.ask("DBSIZE"))
	p.ask("SELECT 0")
	require.Equal(t, bulk("1"), p.ask("GET a"))
	p.ask("SELECT metrics")
	p.ask("SET a 2")
	require.Equal(t, "+OK\r\n", p.ask("FLUSHALL"))
	require.Zero(t, s.table.Len())
	require.Equal(t, ":0\r\n", p.ask("DBSIZE"))
}

// What GUIs ask when they connect and when they show a key is known: fault 106.
func TestFault106WhatGUIsAsk(t *testing.T) {
	s := start(t, nil)
	require.NoError(t, s.table.Set("a", mustOf(t, []any{1})))
	p := dial(t, s.address)
	for _, line := range []string{"HELLO 3", "CLIENT SETNAME gui", "CLIENT SETINFO LIB-NAME gui", "INFO", "INFO server", "CONFIG GET databases", "COMMAND", "COMMAND INFO get", "COMMAND DOCS",
		"MODULE LIST", "ACL WHOAMI", "CLIENT LIST", "DBSIZE", "SCAN 0 MATCH * COUNT 500 TYPE array", "TYPE a", "TTL a", "PTTL a", "MEMORY USAGE a SAMPLES 0", "OBJECT ENCODING a", "OBJECT IDLETIME a", "STRLEN a", "GET a", "ROLE", "TIME", "CONFIG GET *", "MEMORY DOCTOR"} {
		require.NotEqual(t, byte('-'), p.ask(line)[0], line)
	}
	require.Contains(t, p.ask("INFO keyspace"), "db0:keys=1,expires=0,table=default")
}
