package frankenshare

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/stretchr/testify/require"
)

// freeAddress is one where nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

// redisClient is a connection to a server of the Redis protocol.
type redisClient struct {
	t *testing.T
	net.Conn
	in *bufio.Reader
}

func dialRESP(t *testing.T, network, address string) *redisClient {
	t.Helper()
	conn, err := net.Dial(network, address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return &redisClient{t, conn, bufio.NewReader(conn)}
}

// ask sends a line and reads a line.
func (c *redisClient) ask(line string) string {
	c.t.Helper()
	require.NoError(c.t, c.SetDeadline(time.Now().Add(10*time.Second)))
	_, err := fmt.Fprintf(c, "%s\r\n", line)
	require.NoError(c.t, err)
	answer, err := c.in.ReadString('\n')
	require.NoError(c.t, err)
	return strings.TrimSpace(answer)
}

// ended says that the server has closed the connection.
func (c *redisClient) ended() {
	c.t.Helper()
	require.NoError(c.t, c.SetDeadline(time.Now().Add(10*time.Second)))
	_, err := c.in.ReadByte()
	require.Error(c.t, err)
	require.NotErrorIs(c.t, err, os.ErrDeadlineExceeded)
}

// A server whose settings stay goes on over a reload with its clients, also over one that is refused; other settings are another server,
// and without the option there is none.
func TestRESPServersSurviveReloads(t *testing.T) {
	address := freeAddress(t)
	config := func(more string) string {
		return fmt.Sprintf(`{"tables": {"a": {}}, "resp": [{"listen": %q%s}]}`, address, more)
	}
	loaded(t, config(""))
	c := dialRESP(t, "tcp", address)
	require.Equal(t, "+OK", c.ask("SET k 1"))
	for range 3 {
		require.NoError(t, load(t, config(""), ""))
		require.Equal(t, ":2", c.ask("INCR k"))
		require.Equal(t, ":1", c.ask("DECR k"))
		require.ErrorContains(t, load(t, config(""), "start"), "broken on purpose")
		require.ErrorContains(t, load(t, config(`, "table": "a"`), "start"), "broken on purpose")
		require.ErrorContains(t, load(t, config(`, "table": "a"`), "provision"), "broken on purpose")
		require.Equal(t, "+PONG", c.ask("PING"))
		require.Equal(t, "+PONG", dialRESP(t, "tcp", address).ask("PING"))
	}
	require.NoError(t, load(t, config(`, "table": "a"`), ""))
	c.ended()
	c = dialRESP(t, "tcp", address)
	require.Equal(t, ":0", c.ask("EXISTS k"), "the table is another one")
	require.NoError(t, load(t, `{}`, ""))
	c.ended()
	_, err := net.Dial("tcp", address)
	require.Error(t, err)
}

// What is wrong with a server's settings is said when the config is loaded.
func TestRESPErrors(t *testing.T) {
	for settings, message := range map[string]string{
		`{}`:                               "resp takes the address to listen on",
		`{"listen": "0.0.0.0:6380"}`:       "resp 0.0.0.0:6380 can be reached from other machines and has no password",
		`{"listen": ":6380"}`:              "can be reached from other machines and has no password",
		`{"listen": "{env.RESP_ADDRESS}"}`: "can be reached from other machines and has no password",
		`{"listen": "{env.NO_SUCH}"}`:      "NO_SUCH",
		`{"listen": "localhost:1", "password": "{env.NO_SUCH}"}`:                 "the password of the resp user \"default\"",
		`{"listen": "localhost:1", "password": "{env.RESP_EMPTY}"}`:              "the password of the resp user \"default\"",
		`{"listen": "localhost:1", "table": "nosuch"}`:                           `no table option names the table "nosuch"`,
		`{"listen": "localhost:1", "users": [{"name": "", "password": "x"}]}`:    "a resp user has no name",
		`{"listen": "localhost:1", "users": [{"name": "a", "password": ""}]}`:    `the password of the resp user "a" is empty`,
		`{"listen": "localhost:1", "max_clients": 0}`:                            `max_clients "0" is not between 1 and 1048576`,
		`{"listen": "localhost:1", "idle_timeout": "x"}`:                         `idle_timeout "x" is not a duration`,
		`{"listen": "localhost:1"}, {"listen": "localhost:1", "prefixes": true}`: "resp localhost:1 is there twice",
		`{"listen": "localhost:1", "nosuch": 1}`:                                 "unknown field",
	} {
		t.Setenv("RESP_ADDRESS", "192.0.2.1:6380")
		t.Setenv("RESP_EMPTY", "")
		err := load(t, fmt.Sprintf(`{"resp": [%s]}`, settings), "")
		require.ErrorContains(t, err, message, "%s", settings)
	}
}

// Addresses and passwords may be placeholders, and a server may listen on a socket in the file system.
func TestRESPPlaceholdersAndSockets(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	t.Setenv("RESP_ADDRESS", "unix/"+socket)
	t.Setenv("RESP_PASSWORD", "secret")
	loaded(t, `{"resp": [{"listen": "{env.RESP_ADDRESS}", "password": "{env.RESP_PASSWORD}", "users": [{"name": "bob", "password": "pw", "access": "read", "keys": ["a*"]}]}]}`)
	c := dialRESP(t, "unix", socket)
	require.Equal(t, "-NOAUTH Authentication required.", c.ask("GET a"))
	require.Equal(t, "+OK", c.ask("AUTH secret"))
	require.Equal(t, "+OK", c.ask("SET a 1"))
	require.Equal(t, "+OK", c.ask("AUTH bob pw"))
	require.Equal(t, ":1", c.ask("EXISTS a"))
	require.Equal(t, "-NOPERM User bob has no permissions to run the 'set' command", c.ask("SET a 2"))
	require.Equal(t, "-NOPERM No permissions to access a key", c.ask("GET b"))
}

// A server that cannot listen refuses the config, and leaves nothing behind.
func TestRESPAddressInUse(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "missing", "s")
	err := load(t, fmt.Sprintf(`{"resp": [{"listen": %q}, {"listen": %q}]}`, freeAddress(t), "unix/"+socket), "")
	require.ErrorContains(t, err, "resp unix/"+socket)
	for key := range caddyServers() {
		t.Errorf("a server is left: %v", key)
	}
	dropTablesAfter(t)
	require.NoError(t, caddy.Stop())
}

// caddyServers are the servers in use.
func caddyServers() map[any]any {
	all := make(map[any]any)
	respServers.Range(func(key, value any) bool {
		all[key] = value
		return true
	})
	return all
}
