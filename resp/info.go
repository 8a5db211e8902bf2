package resp

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/frankenshare/frankenshare/sharedstate"
)

// section is a part of INFO.
type section struct {
	name  string
	lines func(c *client, b *strings.Builder)
}

var sections = []section{
	{"server", infoServer}, {"clients", infoClients}, {"memory", infoMemory}, {"persistence", infoPersistence},
	{"stats", infoStats}, {"replication", infoReplication}, {"cluster", infoCluster}, {"keyspace", infoKeyspace},
}

func info(c *client, args [][]byte) {
	wanted := func(name string) bool { return true }
	if len(args) > 1 {
		wanted = func(name string) bool {
			for _, arg := range args[1:] {
				if is(arg, name) || is(arg, "all") || is(arg, "default") || is(arg, "everything") {
					return true
				}
			}
			return false
		}
	}
	var b strings.Builder
	for _, s := range sections {
		if !wanted(s.name) {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("\r\n")
		}
		fmt.Fprintf(&b, "# %s%s\r\n", strings.ToUpper(s.name[:1]), s.name[1:])
		s.lines(c, &b)
	}
	c.out.verbatim(b.String())
}

// field writes a line of INFO.
func field(b *strings.Builder, name string, value any) { fmt.Fprintf(b, "%s:%v\r\n", name, value) }

func infoServer(c *client, b *strings.Builder) {
	up := time.Since(c.server.started)
	field(b, "redis_version", redisVersion)
	field(b, "server_name", "frankenshare")
	field(b, "redis_mode", "standalone")
	field(b, "os", runtime.GOOS+" "+runtime.GOARCH)
	field(b, "arch_bits", 64)
	field(b, "process_id", os.Getpid())
	field(b, "server_time_usec", time.Now().UnixMicro())
	field(b, "uptime_in_seconds", int64(up.Seconds()))
	field(b, "uptime_in_days", int64(up.Hours()/24))
}

func infoClients(c *client, b *strings.Builder) {
	all := c.server.all()
	listening := 0
	for _, x := range all {
		if x.kindOf() == "pubsub" {
			listening++
		}
	}
	field(b, "connected_clients", len(all))
	field(b, "maxclients", c.server.options.MaxClients)
	field(b, "blocked_clients", 0)
	field(b, "pubsub_clients", listening)
	tracking, _, _, _ := c.server.tracking.figures()
	field(b, "tracking_clients", tracking)
}

func infoMemory(c *client, b *strings.Builder) {
	var used, limit uint64
	for _, t := range c.server.store.Tables() {
		s := t.Stats()
		used += s.MemoryUsed
		limit += s.MemoryLimit
	}
	field(b, "used_memory", used)
	field(b, "used_memory_human", megabytes(used))
	field(b, "maxmemory", limit)
	field(b, "maxmemory_human", megabytes(limit))
	field(b, "maxmemory_policy", policyName(c.current().Options().Eviction.Policy))
}

func megabytes(n uint64) string { return fmt.Sprintf("%.2fM", float64(n)/(1<<20)) }

func infoPersistence(_ *client, b *strings.Builder) {
	field(b, "loading", 0)
	field(b, "rdb_bgsave_in_progress", 0)
	field(b, "aof_enabled", 0)
}

func infoStats(c *client, b *strings.Builder) {
	var sum sharedstate.Stats
	for _, t := range c.server.store.Tables() {
		s := t.Stats()
		sum.Expired += s.Expired
		sum.Evicted += s.Evicted
	}
	s := &c.server.stats
	field(b, "total_connections_received", s.connections.Load())
	field(b, "total_commands_processed", s.commands.Load())
	field(b, "total_net_input_bytes", s.input.Load())
	field(b, "total_net_output_bytes", s.output.Load())
	field(b, "rejected_connections", s.rejected.Load())
	field(b, "expired_keys", sum.Expired)
	field(b, "evicted_keys", sum.Evicted)
	field(b, "client_output_buffer_limit_disconnections", s.dropped.Load())
	field(b, "total_error_replies", s.errors.Load())
	p := &c.server.pubsub
	p.mu.RLock()
	field(b, "pubsub_channels", len(p.clients[channels]))
	field(b, "pubsub_patterns", len(p.clients[patterns]))
	p.mu.RUnlock()
	_, keys, readers, prefixes := c.server.tracking.figures()
	field(b, "tracking_total_keys", keys)
	field(b, "tracking_total_items", readers)
	field(b, "tracking_total_prefixes", prefixes)
}

func infoReplication(_ *client, b *strings.Builder) {
	field(b, "role", "master")
	field(b, "connected_slaves", 0)
}

func infoCluster(_ *client, b *strings.Builder) { field(b, "cluster_enabled", 0) }

// infoKeyspace tells of each table that has keys, under its number and its name.
func infoKeyspace(c *client, b *strings.Builder) {
	for _, t := range c.server.store.Tables() {
		if s := t.Stats(); s.Keys > 0 {
			fmt.Fprintf(b, "db%d:keys=%d,expires=%d,table=%s\r\n", c.server.number(t), s.Keys, s.Expiring, t.Name())
		}
	}
}
