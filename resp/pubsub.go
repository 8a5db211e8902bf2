package resp

import (
	"slices"
	"sync"
)

// Who may not touch all keys has no channels: keyspace events would tell of others, and Redis gives such users none either.
var pubsubCommands = []*command{
	{name: "subscribe", arity: -2, flags: flagPubSub | flagSubscribed | flagAllKeys, group: "pubsub", since: "2.0.0", summary: "Has messages to channels sent to the connection.", run: change(channels, (*client).subscribe)},
	{name: "unsubscribe", arity: -1, flags: flagPubSub | flagSubscribed | flagAllKeys, group: "pubsub", since: "2.0.0", summary: "Ends subscriptions to channels.", run: change(channels, (*client).unsubscribe)},
	{name: "psubscribe", arity: -2, flags: flagPubSub | flagSubscribed | flagAllKeys, group: "pubsub", since: "2.0.0", summary: "Has messages to channels that match patterns sent to the connection.", run: change(patterns, (*client).subscribe)},
	{name: "punsubscribe", arity: -1, flags: flagPubSub | flagSubscribed | flagAllKeys, group: "pubsub", since: "2.0.0", summary: "Ends subscriptions to patterns.", run: change(patterns, (*client).unsubscribe)},
	{name: "publish", arity: 3, flags: flagPubSub | flagFast | flagAllKeys, group: "pubsub", since: "2.0.0", summary: "Sends a message to a channel.", run: publish},
	{name: "pubsub", arity: -2, group: "pubsub", since: "2.8.0", summary: "Tells about channels and patterns.", subs: []*command{
		{name: "channels", arity: -2, flags: flagPubSub | flagAllKeys, since: "2.8.0", summary: "Lists the channels with subscribers.", run: pubsubChannels},
		{name: "numsub", arity: -2, flags: flagPubSub | flagAllKeys, since: "2.8.0", summary: "Counts the subscribers of channels.", run: pubsubNumsub},
		{name: "numpat", arity: 2, flags: flagPubSub | flagAllKeys, since: "2.8.0", summary: "Counts the patterns with subscribers.", run: pubsubNumpat},
		{name: "help", arity: 2, since: "6.2.0", summary: "Lists the subcommands.", run: help("PUBSUB <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
			"CHANNELS [<pattern>]", "    The channels that have subscribers.",
			"NUMPAT", "    How many patterns have subscribers.",
			"NUMSUB [<channel> ...]", "    How many subscribers the channels have.")},
	}},
}

// kind is what subscriptions are to: channels by their names, or by patterns.
type kind int

const (
	channels kind = iota
	patterns
)

// maxSubscribed bounds the bytes of a connection's subscriptions, each counted with some for the books.
const maxSubscribed = 16 << 20

// pubsub is who has subscribed to what.
type pubsub struct {
	mu      sync.RWMutex // held for reading while messages are sent
	clients [2]map[string]map[*client]struct{}
}

// subscriptions are a client's. They change with pubsub.mu held; the client's own goroutine reads them without.
type subscriptions struct {
	names [2]map[string]struct{}
	bytes int
}

func (s *subscriptions) count() int { return len(s.names[channels]) + len(s.names[patterns]) }

func change(k kind, f func(c *client, k kind, args [][]byte)) handler {
	return func(c *client, args [][]byte) { f(c, k, args) }
}

// words are the first words of what the server sends about a kind of subscriptions.
var subscribed, unsubscribed, message = [2]string{"subscribe", "psubscribe"}, [2]string{"unsubscribe", "punsubscribe"}, [2]string{"message", "pmessage"}

func (c *client) subscribe(k kind, args [][]byte) {
	for _, arg := range args[1:] {
		name := string(arg)
		if _, is := c.subscriptions.names[k][name]; !is {
			if c.subscriptions.bytes += subscriptionBytes(name); c.subscriptions.bytes > maxSubscribed {
				c.subscriptions.bytes -= subscriptionBytes(name)
				c.out.error("ERR the connection's subscriptions are too large")
				return
			}
			c.server.pubsub.add(c, k, name)
		}
		c.tellSubscription(subscribed[k], name, true)
	}
	c.subscriptionsChanged()
}

func subscriptionBytes(name string) int { return len(name) + 128 }

func (c *client) unsubscribe(k kind, args [][]byte) {
	var names []string
	for _, arg := range args[1:] {
		names = append(names, string(arg))
	}
	if len(args) == 1 {
		for name := range c.subscriptions.names[k] {
			names = append(names, name)
		}
		slices.Sort(names)
	}
	for _, name := range names {
		if _, is := c.subscriptions.names[k][name]; is {
			c.subscriptions.bytes -= subscriptionBytes(name)
			c.server.pubsub.remove(c, k, name)
			c.queue.gather(c) // what was sent before belongs before the reply
		}
		c.tellSubscription(unsubscribed[k], name, true)
	}
	if len(names) == 0 {
		c.tellSubscription(unsubscribed[k], "", false)
	}
	c.subscriptionsChanged()
}

// tellSubscription answers with a name, and how many subscriptions there are now.
func (c *client) tellSubscription(word, name string, named bool) {
	c.out.push(3)
	c.out.text(word)
	if named {
		c.out.text(name)
	} else {
		c.out.null()
	}
	c.out.int(int64(c.subscriptions.count()))
	c.pushed = true
}

// unsubscribeAll ends all subscriptions without a word.
func (c *client) unsubscribeAll() {
	if c.subscriptions.count() == 0 {
		return
	}
	for k, names := range c.subscriptions.names {
		for name := range names {
			c.server.pubsub.remove(c, kind(k), name)
		}
	}
	c.subscriptions.bytes = 0
	c.subscriptionsChanged()
}

// subscriptionsChanged tells whom it concerns that the client has other subscriptions.
func (c *client) subscriptionsChanged() {
	sub, psub := len(c.subscriptions.names[channels]), len(c.subscriptions.names[patterns])
	c.show(func(s *shown) { s.subscribed, s.psubscribed = sub, psub })
	c.detached.Store(sub+psub > 0 || c.server.monitors.has(c))
	c.server.listen()
}

func (p *pubsub) add(c *client, k kind, name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.clients[k] == nil {
		p.clients[k] = make(map[string]map[*client]struct{})
	}
	if p.clients[k][name] == nil {
		p.clients[k][name] = make(map[*client]struct{})
	}
	p.clients[k][name][c] = struct{}{}
	if c.subscriptions.names[k] == nil {
		c.subscriptions.names[k] = make(map[string]struct{})
	}
	c.subscriptions.names[k][name] = struct{}{}
}

func (p *pubsub) remove(c *client, k kind, name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(c.subscriptions.names[k], name)
	if delete(p.clients[k][name], c); len(p.clients[k][name]) == 0 {
		delete(p.clients[k], name)
	}
}

// any says whether anyone has subscribed to anything.
func (p *pubsub) any() bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return len(p.clients[channels])+len(p.clients[patterns]) > 0
}

// send sends a message to a channel's subscribers, then to those of matching patterns, and counts them. It waits for none.
func (p *pubsub) send(channel, payload string) (receivers int) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if to := p.clients[channels][channel]; len(to) > 0 {
		m := newPush(func(w *writer) { w.pushTexts(message[channels], channel, payload) })
		for c := range to {
			m.sendTo(c)
		}
		receivers = len(to)
	}
	for pattern, to := range p.clients[patterns] {
		if !matches(pattern, channel) {
			continue
		}
		m := newPush(func(w *writer) { w.pushTexts(message[patterns], pattern, channel, payload) })
		for c := range to {
			m.sendTo(c)
		}
		receivers += len(to)
	}
	return receivers
}

// pushed is a message to several clients, written once for each protocol that they speak.
type pushed struct {
	write func(w *writer)
	bytes [4][]byte // by the protocol's version
}

func newPush(write func(w *writer)) *pushed { return &pushed{write: write} }

func (m *pushed) sendTo(c *client) {
	proto := c.proto.Load()
	if m.bytes[proto] == nil {
		w := writer{proto: int(proto), limit: maxReplies}
		m.write(&w)
		m.bytes[proto] = w.buf
	}
	c.push(m.bytes[proto])
}

func publish(c *client, args [][]byte) {
	c.out.int(int64(c.server.pubsub.send(view(args[1]), view(args[2]))))
}

func pubsubChannels(c *client, args [][]byte) {
	if len(args) > 3 {
		c.out.error("ERR wrong number of arguments for 'pubsub|channels' command")
		return
	}
	p := &c.server.pubsub
	p.mu.RLock()
	defer p.mu.RUnlock()
	var names []string
	for name := range p.clients[channels] {
		if len(args) == 2 || matches(string(args[2]), name) {
			names = append(names, name)
		}
	}
	c.out.texts(names...)
}

func pubsubNumsub(c *client, args [][]byte) {
	p := &c.server.pubsub
	p.mu.RLock()
	defer p.mu.RUnlock()
	c.out.array(2 * (len(args) - 2))
	for _, arg := range args[2:] {
		c.out.bulk(arg)
		c.out.int(int64(len(p.clients[channels][string(arg)])))
	}
}

func pubsubNumpat(c *client, _ [][]byte) {
	p := &c.server.pubsub
	p.mu.RLock()
	defer p.mu.RUnlock()
	c.out.int(int64(len(p.clients[patterns])))
}
