package resp

import (
	"math"
	"math/big"

	"github.com/frankenshare/frankenshare/sharedstate"
)

var stringCommands = []*command{
	{name: "get", arity: 2, flags: reads | flagFast, keys: oneKey, group: "string", since: "1.0.0", summary: "Gives the value of a key.", run: get},
	{name: "set", arity: -3, flags: writes | flagDenyOOM, keys: oneKey, group: "string", since: "1.0.0", summary: "Stores a value, if a condition holds, with an expiry if one is given.", run: set},
	{name: "setnx", arity: 3, flags: writes | flagDenyOOM | flagFast, keys: oneKey, group: "string", since: "1.0.0", summary: "Stores a value if the key is absent.", run: setnx},
	{name: "setex", arity: 4, flags: writes | flagDenyOOM, keys: oneKey, group: "string", since: "2.0.0", summary: "Stores a value for some seconds.", run: setex},
	{name: "psetex", arity: 4, flags: writes | flagDenyOOM, keys: oneKey, group: "string", since: "2.6.0", summary: "Stores a value for some milliseconds.", run: setex},
	{name: "getset", arity: 3, flags: writes | flagDenyOOM | flagFast, keys: oneKey, group: "string", since: "1.0.0", summary: "Stores a value and gives the one before.", run: getset},
	{name: "getdel", arity: 2, flags: writes | flagFast, keys: oneKey, group: "string", since: "6.2.0", summary: "Gives the value of a key and removes it.", run: getdel},
	{name: "getex", arity: -2, flags: writes | flagFast, keys: oneKey, group: "string", since: "6.2.0", summary: "Gives the value of a key and changes its expiry.", run: getex},
	{name: "append", arity: 3, flags: writes | flagDenyOOM | flagFast, keys: oneKey, group: "string", since: "2.0.0", summary: "Adds to the end of a string.", run: appendTo},
	{name: "strlen", arity: 2, flags: reads | flagFast, keys: oneKey, group: "string", since: "2.2.0", summary: "Gives the length of a value.", run: strlen},
	{name: "getrange", arity: 4, flags: reads, keys: oneKey, group: "string", since: "2.4.0", summary: "Gives a part of a value.", run: getrange},
	{name: "substr", arity: 4, flags: reads, keys: oneKey, group: "string", since: "1.0.0", summary: "Gives a part of a value.", run: getrange},
	{name: "setrange", arity: 4, flags: writes | flagDenyOOM, keys: oneKey, group: "string", since: "2.2.0", summary: "Writes over a part of a string.", run: setrange},
	{name: "mget", arity: -2, flags: reads | flagFast, keys: allKeys, group: "string", since: "1.0.0", summary: "Gives the values of keys, all of one moment.", run: mget},
	{name: "mset", arity: -3, flags: writes | flagDenyOOM, keys: pairs, group: "string", since: "1.0.1", summary: "Stores several values in one step.", run: mset},
	{name: "msetnx", arity: -3, flags: writes | flagDenyOOM, keys: pairs, group: "string", since: "1.0.1", summary: "Stores several values in one step if all keys are absent.", run: msetnx},
	{name: "incr", arity: 2, flags: writes | flagDenyOOM | flagFast, keys: oneKey, group: "string", since: "1.0.0", summary: "Adds one to an integer.", run: func(c *client, args [][]byte) { c.add(args[1], 1) }},
	{name: "decr", arity: 2, flags: writes | flagDenyOOM | flagFast, keys: oneKey, group: "string", since: "1.0.0", summary: "Takes one from an integer.", run: func(c *client, args [][]byte) { c.add(args[1], -1) }},
	{name: "incrby", arity: 3, flags: writes | flagDenyOOM | flagFast, keys: oneKey, group: "string", since: "1.0.0", summary: "Adds to an integer.", run: incrby},
	{name: "decrby", arity: 3, flags: writes | flagDenyOOM | flagFast, keys: oneKey, group: "string", since: "1.0.0", summary: "Takes from an integer.", run: decrby},
	{name: "incrbyfloat", arity: 3, flags: writes | flagDenyOOM | flagFast, keys: oneKey, group: "string", since: "2.6.0", summary: "Adds to a number.", run: incrbyfloat},
}

func get(c *client, args [][]byte) {
	t, key := c.locate(args[1])
	if v, _, ok := c.tx.Get(t, key); ok {
		c.reply(v)
	} else {
		c.out.null()
	}
}

func set(c *client, args [][]byte) {
	o, bad := parseSetOptions(args[3:], "set")
	if bad != "" {
		c.out.error(bad)
		return
	}
	t, key := c.locate(args[1])
	var old sharedstate.Value
	expiry, live := o.expiry, false
	if o.get {
		old, expiry, live = c.tx.Get(t, key)
	} else if o.nx || o.xx || o.keep || o.past {
		var f sharedstate.Found
		f, live = c.tx.Find(t, key)
		expiry = f.Expiry
	}
	if !o.keep || !live {
		expiry = o.expiry
	}
	if k := old.Kind(); o.get && live && (k == sharedstate.KindObject || k == sharedstate.KindHandle) {
		c.out.error(onlyForPHP)
		return
	}
	done := !(o.nx && live || o.xx && !live)
	if done && o.past {
		c.tx.Delete(t, key)
	} else if done && !c.put(t, key, valueOf(args[2]), expiry) {
		return
	}
	switch {
	case o.get && live:
		c.reply(old)
	case o.get || !done:
		c.out.null()
	default:
		c.out.ok()
	}
}

func setnx(c *client, args [][]byte) {
	t, key := c.locate(args[1])
	if _, live := c.tx.Find(t, key); live {
		c.out.int(0)
	} else if c.put(t, key, valueOf(args[2]), 0) {
		c.out.int(1)
	}
}

func setex(c *client, args [][]byte) {
	name := string(lowered(nil, args[0]))
	unit := inSeconds
	if name == "psetex" {
		unit = inMilliseconds
	}
	e, bad := parseLifetime(args[2], unit, name)
	if bad != "" {
		c.out.error(bad)
		return
	}
	t, key := c.locate(args[1])
	if c.put(t, key, valueOf(args[3]), e.expiry) {
		c.out.ok()
	}
}

func getset(c *client, args [][]byte) {
	t, key := c.locate(args[1])
	old, _, live := c.tx.Get(t, key)
	if k := old.Kind(); live && (k == sharedstate.KindObject || k == sharedstate.KindHandle) {
		c.out.error(onlyForPHP)
		return
	}
	if !c.put(t, key, valueOf(args[2]), 0) {
		return
	}
	if live {
		c.reply(old)
	} else {
		c.out.null()
	}
}

func getdel(c *client, args [][]byte) {
	t, key := c.locate(args[1])
	v, _, live := c.tx.Get(t, key)
	if !live {
		c.out.null()
		return
	}
	if text, ok := c.text(v); ok {
		c.tx.Delete(t, key)
		c.out.bulk(text)
	} else {
		c.out.error(onlyForPHP)
	}
}

func getex(c *client, args [][]byte) {
	o, bad := parseSetOptions(args[2:], "getex")
	if bad != "" {
		c.out.error(bad)
		return
	}
	t, key := c.locate(args[1])
	v, _, live := c.tx.Get(t, key)
	if !live {
		c.out.null()
		return
	}
	text, ok := c.text(v)
	if !ok {
		c.out.error(onlyForPHP)
		return
	}
	switch {
	case o.past:
		c.tx.Delete(t, key)
	case o.expiry != 0 || o.persist:
		c.tx.Expire(t, key, o.expiry)
	}
	c.out.bulk(text)
}

// plain is the text of a key that a command is to change, "" when it is absent; false after an error reply.
func (c *client) plain(t *sharedstate.Table, key string) (text []byte, expiry uint64, live, ok bool) {
	v, expiry, live := c.tx.Get(t, key)
	if !live {
		return nil, 0, false, true
	}
	if !isPlain(v.Kind()) {
		c.out.error(wrongType)
		return nil, 0, true, false
	}
	text, ok = c.text(v)
	return text, expiry, true, ok
}

func appendTo(c *client, args [][]byte) {
	t, key := c.locate(args[1])
	old, expiry, _, ok := c.plain(t, key)
	if !ok {
		return
	}
	if int64(len(old)+len(args[2])) > t.Options().MaxValue {
		c.out.error(tooLong)
		return
	}
	text := append(append(make([]byte, 0, len(old)+len(args[2])), old...), args[2]...)
	if c.put(t, key, valueOf(text), expiry) {
		c.out.int(int64(len(text)))
	}
}

func strlen(c *client, args [][]byte) {
	t, key := c.locate(args[1])
	f, live := c.tx.Find(t, key)
	switch {
	case !live:
		c.out.int(0)
	case f.Kind == sharedstate.KindString:
		c.out.int(int64(f.Len))
	default:
		v, _, _ := c.tx.Get(t, key)
		if text, ok := c.text(v); ok {
			c.out.int(int64(len(text)))
		} else {
			c.out.error(onlyForPHP)
		}
	}
}

func getrange(c *client, args [][]byte) {
	from, ok1 := parseInt(args[2])
	to, ok2 := parseInt(args[3])
	if !ok1 || !ok2 {
		c.out.error(notInteger)
		return
	}
	t, key := c.locate(args[1])
	v, _, live := c.tx.Get(t, key)
	if !live {
		c.out.text("")
		return
	}
	text, ok := c.text(v)
	if !ok {
		c.out.error(onlyForPHP)
		return
	}
	n := int64(len(text))
	if from < 0 && to < 0 && from > to {
		c.out.text("")
		return
	}
	if from < 0 {
		from = max(n+from, 0)
	}
	if to < 0 {
		to = max(n+to, 0)
	}
	if to = min(to, n-1); from > to {
		c.out.text("")
	} else {
		c.out.bulk(text[from : to+1])
	}
}

func setrange(c *client, args [][]byte) {
	at, ok := parseInt(args[2])
	if !ok {
		c.out.error(notInteger)
		return
	}
	if at < 0 {
		c.out.error("ERR offset is out of range")
		return
	}
	t, key := c.locate(args[1])
	old, expiry, _, ok := c.plain(t, key)
	if !ok {
		return
	}
	part := args[3]
	if len(part) == 0 {
		c.out.int(int64(len(old)))
		return
	}
	if limit := t.Options().MaxValue; at > limit || at+int64(len(part)) > limit {
		c.out.error(tooLong)
		return
	}
	text := make([]byte, max(len(old), int(at)+len(part)))
	copy(text, old)
	copy(text[at:], part)
	if c.put(t, key, valueOf(text), expiry) {
		c.out.int(int64(len(text)))
	}
}

func mget(c *client, args [][]byte) {
	c.out.array(len(args) - 1)
	for _, arg := range args[1:] {
		t, key := c.locate(arg)
		v, _, live := c.tx.Get(t, key)
		if s, ok := v.Str(); live && ok {
			c.out.text(s)
		} else if text, ok := c.text(v); live && ok {
			c.out.bulk(text)
		} else {
			c.out.null()
		}
		if c.out.over {
			return
		}
	}
}

// isPaired says whether the arguments after the name come in pairs, or answers that they do not.
func (c *client) isPaired(args [][]byte) bool {
	if len(args)%2 == 0 {
		c.out.error("ERR wrong number of arguments for '" + string(lowered(nil, args[0])) + "' command")
		return false
	}
	return true
}

func mset(c *client, args [][]byte) {
	if c.isPaired(args) && c.putPairs(args) {
		c.out.ok()
	}
}

// putPairs stores all pairs, or answers why not; then none is stored.
func (c *client) putPairs(args [][]byte) bool {
	for i := 1; i < len(args); i += 2 {
		t, key := c.locate(args[i])
		v := valueOf(args[i+1])
		if err := t.Admit(key, v); err != nil {
			c.out.error(errorText(err))
			return false
		}
	}
	for i := 1; i < len(args); i += 2 {
		t, key := c.locate(args[i])
		if !c.put(t, key, valueOf(args[i+1]), 0) {
			return false
		}
	}
	return true
}

func msetnx(c *client, args [][]byte) {
	if !c.isPaired(args) {
		return
	}
	for i := 1; i < len(args); i += 2 {
		t, key := c.locate(args[i])
		if _, live := c.tx.Find(t, key); live {
			c.out.int(0)
			return
		}
	}
	if c.putPairs(args) {
		c.out.int(1)
	}
}

func incrby(c *client, args [][]byte) {
	if n, ok := parseInt(args[2]); ok {
		c.add(args[1], n)
	} else {
		c.out.error(notInteger)
	}
}

func decrby(c *client, args [][]byte) {
	n, ok := parseInt(args[2])
	switch {
	case !ok:
		c.out.error(notInteger)
	case n == math.MinInt64:
		c.out.error("ERR decrement would overflow")
	default:
		c.add(args[1], -n)
	}
}

// add adds to an integer.
func (c *client) add(arg []byte, by int64) {
	t, key := c.locate(arg)
	v, expiry, live := c.tx.Get(t, key)
	old := int64(0)
	if live {
		ok := isPlain(v.Kind())
		if !ok {
			c.out.error(wrongType)
			return
		}
		if old, ok = v.Int(); !ok {
			text, _ := c.text(v)
			if old, ok = parseInt(text); !ok {
				c.out.error(notInteger)
				return
			}
		}
	}
	sum := old + by
	if (old >= 0) == (by >= 0) && (sum >= 0) != (old >= 0) {
		c.out.error("ERR increment or decrement would overflow")
		return
	}
	if c.put(t, key, sharedstate.Int(sum), expiry) {
		c.out.int(sum)
	}
}

// incrbyfloat adds to a number. What was a float stays one if it can.
func incrbyfloat(c *client, args [][]byte) {
	by, ok := parseFloat(view(args[2]))
	if !ok {
		c.out.error(notFloat)
		return
	}
	t, key := c.locate(args[1])
	v, expiry, live := c.tx.Get(t, key)
	old := new(big.Float).SetPrec(longDoublePrecision)
	if live {
		if !isPlain(v.Kind()) {
			c.out.error(wrongType)
			return
		}
		text, _ := c.text(v) // of a float as well: its shortest text is what one means by it
		if old, ok = parseFloat(view(text)); !ok {
			c.out.error(notFloat)
			return
		}
	}
	if old.IsInf() || by.IsInf() {
		c.out.error("ERR increment would produce NaN or Infinity")
		return
	}
	sum := new(big.Float).SetPrec(longDoublePrecision).Add(old, by)
	if sum.MantExp(nil) > longDoubleExponent {
		c.out.error("ERR increment would produce NaN or Infinity")
		return
	}
	text := formatFloat(sum)
	if c.put(t, key, numberOf(sum, text, live && v.Kind() == sharedstate.KindFloat), expiry) {
		c.out.text(text)
	}
}

// numberOf is a sum as it is stored: a number if that reads back as the text that is answered.
func numberOf(sum *big.Float, text string, wasFloat bool) sharedstate.Value {
	n, isInt := parseInt([]byte(text))
	if isInt && !wasFloat {
		return sharedstate.Int(n)
	}
	if f, _ := sum.Float64(); string(appendFloat(nil, f)) == text {
		return sharedstate.Float(f)
	}
	return valueOf([]byte(text))
}
