// Package clients has clients of Redis talk to the real binary. It is a module of its own, so that the product needs none of them.
package clients

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/rueidis"
	"github.com/stretchr/testify/require"
)

const caddyfile = `{
	admin off
	persist_config off
	grace_period 5s
	frankenphp {
		num_threads 4
		php_ini extension %s
	}
	shared_state {
		table default {
		}
		resp %s {
		}
	}
}
http://%s {
	root %s
	php_server
}
`

// server is the binary with a table, PHP and the Redis protocol.
type server struct{ address, site string }

func freeAddress(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

func start(t *testing.T) *server {
	t.Helper()
	binary := os.Getenv("FRANKENPHP")
	require.NotEmpty(t, binary, "FRANKENPHP names the binary; make test-clients sets it")
	extension, err := exec.Command("../../scripts/php-extension.sh", "redis", "php-redis", "redis-5*", "--enable-redis").Output()
	require.NoError(t, err)
	pages, err := filepath.Abs("pages")
	require.NoError(t, err)
	s := &server{freeAddress(t), freeAddress(t)}
	file := filepath.Join(t.TempDir(), "Caddyfile")
	config := fmt.Sprintf(caddyfile, strings.TrimSpace(string(extension)), s.address, s.site, pages)
	require.NoError(t, os.WriteFile(file, []byte(config), 0o600))
	var log strings.Builder
	cmd := exec.Command(binary, "run", "--config", file, "--adapter", "caddyfile")
	cmd.Stdout, cmd.Stderr = &log, &log
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
		err := cmd.Wait()
		if err != nil || t.Failed() {
			t.Log(log.String())
		}
		require.NoError(t, err)
	})
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", s.address)
		if err == nil {
			conn.Close()
		}
		return err == nil
	}, 30*time.Second, 20*time.Millisecond, "nobody answers the Redis protocol")
	// FrankenPHP loses a request that comes while its threads start, hence the short time.
	client := http.Client{Timeout: time.Second}
	require.Eventually(t, func() bool {
		response, err := client.Get("http://" + s.site + "/set.php?key=ready&value=1")
		if err == nil {
			response.Body.Close()
		}
		return err == nil && response.StatusCode == http.StatusOK
	}, 30*time.Second, 20*time.Millisecond, "PHP does not answer")
	return s
}

// get is what a page answers, or the error.
func (s *server) get(page string, query url.Values) string {
	response, err := http.Get("http://" + s.site + "/" + page + "?" + query.Encode())
	if err != nil {
		return err.Error()
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err.Error()
	}
	return string(body)
}

// php stores a value from PHP.
func (s *server) php(t *testing.T, key, value string) {
	t.Helper()
	require.Equal(t, "stored", s.get("set.php", url.Values{"key": {key}, "value": {value}}))
}

func TestPhpredis(t *testing.T) {
	s := start(t)
	_, port, err := net.SplitHostPort(s.address)
	require.NoError(t, err)
	page := make(chan string, 1)
	go func() { page <- s.get("phpredis.php", url.Values{"port": {port}}) }()
	sender := redis.NewClient(&redis.Options{Addr: s.address})
	defer sender.Close()
	require.Eventually(t, func() bool { // until the page has subscribed
		return sender.Publish(t.Context(), "news", "hello").Val() == 1
	}, 30*time.Second, 5*time.Millisecond)
	require.Equal(t, "news hello, __keyspace@0__:told set\n", <-page)
}

func TestGoRedis(t *testing.T) {
	s := start(t)
	for _, protocol := range []int{2, 3} {
		t.Run(fmt.Sprint("protocol ", protocol), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			c := redis.NewClient(&redis.Options{Addr: s.address, Protocol: protocol, ClientName: "test"})
			defer c.Close()
			require.NoError(t, c.FlushDB(ctx).Err())
			require.Equal(t, "test", c.ClientGetName(ctx).Val())
			values(ctx, t, s, c)
			transactions(ctx, t, s, c)
			messages(ctx, t, s, c)
		})
	}
}

func values(ctx context.Context, t *testing.T, s *server, c *redis.Client) {
	require.ErrorIs(t, c.Get(ctx, "a").Err(), redis.Nil)
	require.NoError(t, c.Set(ctx, "a", "007", time.Minute).Err())
	require.Equal(t, "007", c.Get(ctx, "a").Val())
	require.InDelta(t, time.Minute, c.TTL(ctx, "a").Val(), float64(time.Second))
	require.False(t, c.SetNX(ctx, "a", "x", 0).Val())
	require.True(t, c.SetXX(ctx, "a", "1", redis.KeepTTL).Val())
	require.InDelta(t, time.Minute, c.PTTL(ctx, "a").Val(), float64(time.Second))
	require.Equal(t, "1", c.SetArgs(ctx, "a", "2", redis.SetArgs{Get: true, Mode: "XX", TTL: time.Hour}).Val())
	s.php(t, "b", "from PHP")
	require.Equal(t, []any{"2", nil, "from PHP"}, c.MGet(ctx, "a", "nothing", "b").Val())
	require.EqualValues(t, 7, c.IncrBy(ctx, "a", 5).Val())
	require.Error(t, c.Incr(ctx, "b").Err())
	require.ErrorContains(t, c.HGetAll(ctx, "b").Err(), "WRONGTYPE")
	for i := range 200 {
		require.NoError(t, c.Set(ctx, fmt.Sprint("scan:", i), i, 0).Err())
	}
	found := make(map[string]bool)
	for it := c.Scan(ctx, 0, "scan:*", 50).Iterator(); it.Next(ctx); {
		found[it.Val()] = true
	}
	require.Len(t, found, 200)
	require.Equal(t, "7.0.15", c.Info(ctx, "server").Val()[len("# Server\r\nredis_version:"):][:6])
	commands, err := c.Command(ctx).Result()
	require.NoError(t, err)
	require.True(t, commands["get"].ReadOnly)
}

func transactions(ctx context.Context, t *testing.T, s *server, c *redis.Client) {
	require.NoError(t, c.Set(ctx, "n", 1, 0).Err())
	replies, err := c.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.Incr(ctx, "n")
		p.Get(ctx, "n")
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, "2", replies[1].(*redis.StringCmd).Val())
	err = c.Watch(ctx, func(tx *redis.Tx) error {
		s.php(t, "n", "100")
		_, err := tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
			p.Incr(ctx, "n")
			return nil
		})
		return err
	}, "n")
	require.ErrorIs(t, err, redis.TxFailedErr)
	require.Equal(t, "100", c.Get(ctx, "n").Val())
}

func messages(ctx context.Context, t *testing.T, s *server, c *redis.Client) {
	require.NoError(t, c.ConfigSet(ctx, "notify-keyspace-events", "E$").Err())
	sub := c.Subscribe(ctx, "news")
	defer sub.Close()
	require.NoError(t, sub.PSubscribe(ctx, "__keyevent@*__:set"))
	for range 2 {
		_, err := sub.Receive(ctx)
		require.NoError(t, err)
	}
	require.NoError(t, sub.Ping(ctx))
	pong, err := sub.Receive(ctx)
	require.NoError(t, err)
	require.IsType(t, &redis.Pong{}, pong)
	require.EqualValues(t, 1, c.Publish(ctx, "news", "hello").Val())
	m, err := sub.ReceiveMessage(ctx)
	require.NoError(t, err)
	require.Equal(t, "hello", m.Payload)
	s.php(t, "told", "x")
	m, err = sub.ReceiveMessage(ctx)
	require.NoError(t, err)
	require.Equal(t, []string{"__keyevent@*__:set", "__keyevent@0__:set", "told"}, []string{m.Pattern, m.Channel, m.Payload})
}

// A value that rueidis keeps is answered without the server until PHP, Go or a client changes it.
func TestRueidisCaches(t *testing.T) {
	s := start(t)
	for name, tracking := range map[string][]string{"by key": nil, "broadcast": {"PREFIX", "k", "BCAST"}, "opt out": {"OPTOUT"}} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			c, err := rueidis.NewClient(rueidis.ClientOption{InitAddress: []string{s.address}, ForceSingleClient: true, ClientTrackingOptions: tracking})
			require.NoError(t, err)
			defer c.Close()
			get := func(key string) (value string, cached bool) {
				r := c.DoCache(ctx, c.B().Get().Key(key).Cache(), time.Minute)
				value, err := r.ToString()
				require.NoError(t, err)
				return value, r.IsCacheHit()
			}
			until := func(key, want string) {
				require.Eventually(t, func() bool {
					value, _ := get(key)
					return value == want
				}, 10*time.Second, time.Millisecond, "the cache keeps the old value of %s", key)
			}
			for i := range 20 {
				key := fmt.Sprint("k", i%4)
				s.php(t, key, fmt.Sprint("php ", i))
				until(key, fmt.Sprint("php ", i))
				value, cached := get(key)
				require.True(t, cached, key)
				require.Equal(t, fmt.Sprint("php ", i), value)
				require.NoError(t, c.Do(ctx, c.B().Set().Key(key).Value("rueidis").Build()).Error())
				until(key, "rueidis")
			}
			values, err := rueidis.MGetCache(c, ctx, time.Minute, []string{"k0", "k1", "k2"})
			require.NoError(t, err)
			require.Len(t, values, 3)
			require.NoError(t, c.Do(ctx, c.B().Flushdb().Build()).Error())
			require.Eventually(t, func() bool {
				_, err := c.DoCache(ctx, c.B().Get().Key("k0").Cache(), time.Minute).ToString()
				return rueidis.IsRedisNil(err)
			}, 10*time.Second, time.Millisecond)
		})
	}
}
