package resp

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/frankenshare/frankenshare/sharedstate"
)

// array is a reply of bulk strings, or a message of them.
func array(kind string, all ...string) string {
	b := fmt.Sprintf("%s%d\r\n", kind, len(all))
	for _, s := range all {
		b += bulk(s)
	}
	return b
}

// confirmed is the reply to a subscription.
func confirmed(kind, word, name string, n int) string {
	return fmt.Sprintf("%s3\r\n%s%s:%d\r\n", kind, bulk(word), bulk(name), n)
}

func TestMessagesReachSubscribers(t *testing.T) {
	s := start(t, nil)
	two, three, sender := dial(t, s.address), dial(t, s.address), dial(t, s.address)
	three.ask("HELLO 3")
	require.Equal(t, confirmed("*", "subscribe", "news", 1), two.ask("SUBSCRIBE news"))
	require.Equal(t, confirmed("*", "psubscribe", "n*", 2), two.ask("PSUBSCRIBE n*"))
	require.Equal(t, confirmed(">", "subscribe", "news", 1), three.ask("SUBSCRIBE news"))
	require.Equal(t, ":3\r\n", sender.do("PUBLISH", "news", "a\r\nb"))
	require.Equal(t, array("*", "message", "news", "a\r\nb"), two.reply())
	require.Equal(t, array("*", "pmessage", "n*", "news", "a\r\nb"), two.reply())
	require.Equal(t, array(">", "message", "news", "a\r\nb"), three.reply())

	require.Equal(t, array("*", "news"), sender.ask("PUBSUB CHANNELS"))
	require.Equal(t, "*4\r\n"+bulk("news")+":2\r\n"+bulk("x")+":0\r\n", sender.ask("PUBSUB NUMSUB news x"))
	require.Equal(t, ":1\r\n", sender.ask("PUBSUB NUMPAT"))
	require.Contains(t, sender.ask("CLIENT LIST TYPE pubsub"), "sub=1 psub=1")

	require.Contains(t, two.ask("GET a"), "-ERR Can't execute 'get': only (P|S)SUBSCRIBE")
	require.Equal(t, "$-1\r\n", strings.Replace(three.ask("GET a"), "_", "$-1", 1), "protocol 3 has no such restriction")
	require.NoError(t, two.Close())
	require.Eventually(t, func() bool { return sender.ask("PUBLISH news again") == ":1\r\n" }, 5*time.Second, time.Millisecond)
}

// A message to a connection that answers a command goes after the reply, one from before goes before it, and none after the last
// subscription has ended, where protocol 2 would take it for a reply.
func TestMessagesAndRepliesInOrder(t *testing.T) {
	s := start(t, nil)
	p := dial(t, s.address)
	p.ask("HELLO 3")
	p.ask("SUBSCRIBE a")
	p.send(append(encode("PUBLISH", "a", "1"), append(encode("MULTI"), append(encode("PUBLISH", "a", "2"), encode("EXEC")...)...)...))
	for _, want := range []string{":1\r\n", "+OK\r\n", "+QUEUED\r\n", "*1\r\n:1\r\n", array(">", "message", "a", "1"), array(">", "message", "a", "2")} {
		require.Equal(t, want, p.reply())
	}

	p.send(append(encode("PUBLISH", "a", "3"), encode("UNSUBSCRIBE", "a")...))
	for _, want := range []string{":1\r\n", array(">", "message", "a", "3"), confirmed(">", "unsubscribe", "a", 0)} {
		require.Equal(t, want, p.reply())
	}

	p, sender := dial(t, s.address), dial(t, s.address)
	for range 50 {
		require.Equal(t, confirmed("*", "subscribe", "b", 1), p.ask("SUBSCRIBE b"))
		sender.send(encode("PUBLISH", "b", "x"))
		p.send(encode("UNSUBSCRIBE"))
		p.send(encode("PING"))
		reply := p.reply()
		if reply == array("*", "message", "b", "x") {
			reply = p.reply()
		}
		require.Equal(t, confirmed("*", "unsubscribe", "b", 0), reply)
		require.Equal(t, "+PONG\r\n", p.reply())
		sender.reply()
	}
}

// A subscriber that reads nothing is closed, and neither a publisher nor who writes to a table waits for it.
func TestSlowSubscriberIsClosed(t *testing.T) {
	s := start(t, nil)
	sender := dial(t, s.address)
	require.Equal(t, "+OK\r\n", sender.ask("CONFIG SET notify-keyspace-events KEA"))
	slow, quick := dial(t, s.address), dial(t, s.address)
	slow.ask("SUBSCRIBE news")
	slow.ask("PSUBSCRIBE __key*__:*")
	quick.ask("SUBSCRIBE news")
	payload := strings.Repeat("x", 1<<20)
	const messages = 64 // more than what is kept for a client and what the system's buffers hold
	for i := range messages {
		require.Contains(t, []string{":1\r\n", ":2\r\n"}, sender.do("PUBLISH", "news", payload))
		require.NoError(t, s.table.Set(fmt.Sprint("k", i), sharedstate.Int(int64(i))))
		require.Equal(t, array("*", "message", "news", payload), quick.reply())
	}
	require.Eventually(t, func() bool { return len(s.all()) == 2 }, 5*time.Second, time.Millisecond)
	require.Less(t, strings.Count(slow.closed(), payload), messages)
	require.Contains(t, sender.ask("INFO stats"), "client_output_buffer_limit_disconnections:1\r\n")
}

func TestSubscriptionsAreBounded(t *testing.T) {
	s := start(t, nil)
	p := dial(t, s.address)
	name := strings.Repeat("x", 1<<20)
	for i := range 15 {
		require.Contains(t, p.do("SUBSCRIBE", fmt.Sprint(i, name)), "subscribe")
	}
	require.Equal(t, "-ERR the connection's subscriptions are too large\r\n", p.do("SUBSCRIBE", name+"yy"))
	require.Contains(t, p.ask("UNSUBSCRIBE"), "unsubscribe")
	for range 14 {
		p.reply()
	}
	require.Contains(t, p.do("SUBSCRIBE", name), "subscribe")
}

func TestUsersOfSomeKeysHearNothing(t *testing.T) {
	s := start(t, func(o *Options) {
		o.Users = []User{{Name: DefaultUser}, {Name: "few", Password: "pw", Keys: []string{"own:*"}}}
	})
	p := dial(t, s.address)
	p.ask("AUTH few pw")
	for _, line := range []string{"SUBSCRIBE own:a", "PSUBSCRIBE *", "PUBLISH own:a x", "PUBSUB CHANNELS", "CLIENT TRACKING ON BCAST", "MONITOR", "SLOWLOG GET"} {
		require.Contains(t, p.ask(line), "-NOPERM", line)
	}
	require.Equal(t, "+OK\r\n", p.ask("CLIENT TRACKING ON"))
}

func TestClassesOfEvents(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "KEA": "AKE", "AK": "AK", "gKE": "gKE", "$lshzxeKE": "$lshzxeKE", "g$lshzxetd": "A", "Kg$lshzxetE": "g$lshzxetKE", "KK": "K",
	} {
		all, ok := parseClasses(text)
		require.True(t, ok, text)
		require.Equal(t, want, all.String(), text)
	}
	for _, text := range []string{"m", "n", "KEAx?", " "} {
		_, ok := parseClasses(text)
		require.False(t, ok, text)
	}
	p := dial(t, start(t, nil).address)
	require.Equal(t, "-ERR CONFIG SET failed (possibly related to argument 'notify-keyspace-events') - Invalid event class character. Use 'Ag$lshzxetdKE'.\r\n",
		p.ask("CONFIG SET notify-keyspace-events Km"))
}

// Changes are told whoever makes them, of tables that are made later as well, and only where and what was asked for.
func TestKeyspaceEvents(t *testing.T) {
	s := start(t, nil)
	p, writer := dial(t, s.address), dial(t, s.address)
	require.Equal(t, "+OK\r\n", writer.ask("CONFIG SET notify-keyspace-events KEA"))
	p.ask("PSUBSCRIBE __key*__:*")
	event := func(db int, name, key string) {
		t.Helper()
		space, event := fmt.Sprintf("__keyspace@%d__:%s", db, key), fmt.Sprintf("__keyevent@%d__:%s", db, name)
		require.Equal(t, array("*", "pmessage", "__key*__:*", space, name), p.reply())
		require.Equal(t, array("*", "pmessage", "__key*__:*", event, key), p.reply())
	}
	writer.ask("SET a 1")
	event(0, "set", "a")
	writer.ask("EXPIRE a 100")
	event(0, "expire", "a")
	writer.ask("PERSIST a")
	event(0, "expire", "a")
	writer.ask("DEL a nosuch")
	event(0, "del", "a")
	writer.ask("FLUSHALL")
	require.NoError(t, s.table.Put("b", sharedstate.String("x"), time.Millisecond))
	event(0, "set", "b")
	time.Sleep(2 * time.Millisecond)
	_, err := s.table.Sweep()
	require.NoError(t, err)
	event(0, "expired", "b")
	later, err := s.store.Define("later", sharedstate.DefaultOptions())
	require.NoError(t, err)
	require.NoError(t, later.Set("c", sharedstate.Int(1)))
	event(s.number(later), "set", "c")

	require.Equal(t, "+OK\r\n", writer.ask("CONFIG SET notify-keyspace-events Eg"))
	writer.ask("SET a 1")
	writer.ask("DEL a")
	require.Equal(t, array("*", "pmessage", "__key*__:*", "__keyevent@0__:del", "a"), p.reply())
}

// An evicted key is told as such.
func TestEvictionIsToldToSubscribers(t *testing.T) {
	s := start(t, nil)
	o := s.table.Options()
	o.Memory, o.Eviction.Policy = sharedstate.MinMemory, sharedstate.EvictLRU
	table, err := s.store.Define("full", o)
	require.NoError(t, err)
	p := dial(t, s.address)
	p.ask("CONFIG SET notify-keyspace-events Ee")
	p.ask("SUBSCRIBE __keyevent@" + fmt.Sprint(s.number(table)) + "__:evicted")
	for i := 0; table.Stats().Evicted == 0; i++ {
		require.NoError(t, table.Set(fmt.Sprint("k", i), sharedstate.String("v")))
	}
	require.Contains(t, p.reply(), "evicted\r\n")
}

// Without a client that wants to know of changes the server listens to no table.
func TestNobodyListens(t *testing.T) {
	s := start(t, nil)
	listens := func() bool {
		s.events.mu.Lock()
		defer s.events.mu.Unlock()
		return s.events.cancel != nil
	}
	p := dial(t, s.address)
	require.False(t, listens())
	p.ask("CONFIG SET notify-keyspace-events KEA")
	require.False(t, listens())
	p.ask("SUBSCRIBE a")
	require.True(t, listens())
	p.ask("UNSUBSCRIBE a")
	require.False(t, listens())
	p.ask("CLIENT TRACKING ON")
	require.True(t, listens())
	p.ask("CLIENT TRACKING OFF")
	require.False(t, listens())
	p.ask("PSUBSCRIBE a")
	other := dial(t, s.address)
	other.ask("CLIENT TRACKING ON")
	other.ask("CONFIG SET notify-keyspace-events ''")
	other.do("CONFIG", "SET", "notify-keyspace-events", "")
	require.True(t, listens())
	require.NoError(t, other.Close())
	require.Eventually(t, func() bool { return !listens() }, 5*time.Second, time.Millisecond)
}
