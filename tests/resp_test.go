package tests

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// withRESP is a server that answers the Redis protocol too, and the address where it does.
func withRESP(t *testing.T, options string) (*server, string) {
	t.Helper()
	address := freeAddress()
	block := strings.Replace(allTables, "strict_tables", "strict_tables\n\t\tresp "+address+" {\n"+options+"\n\t\t}", 1)
	block += "\n\tskip_install_trust"
	s := start(t, settings{SharedState: block, Sites: "http://" + freeAddress() + " {\n\tshared_state_demo\n}"})
	return s, address
}

// redis is a client of the Redis protocol, for replies of one line or one bulk.
type redis struct {
	net.Conn
	in *bufio.Reader
}

func dialRedis(t *testing.T, address string) *redis {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return &redis{conn, bufio.NewReader(conn)}
}

// do sends a command and answers its reply without what marks its type; an array is joined by spaces.
func (r *redis) do(args ...string) (string, error) {
	b := fmt.Appendf(nil, "*%d\r\n", len(args))
	for _, a := range args {
		b = fmt.Appendf(b, "$%d\r\n%s\r\n", len(a), a)
	}
	if _, err := r.Write(b); err != nil {
		return "", err
	}
	return r.reply()
}

func (r *redis) reply() (string, error) {
	if err := r.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
		return "", err
	}
	line, err := r.in.ReadString('\n')
	if err != nil {
		return "", err
	}
	rest := strings.TrimSuffix(line[1:], "\r\n")
	switch n, _ := strconv.Atoi(rest); line[0] {
	case '-':
		return "", fmt.Errorf("%s", rest)
	case '$':
		if n < 0 {
			return "(nil)", nil
		}
		body := make([]byte, n+2)
		for at := 0; at < len(body); {
			k, err := r.in.Read(body[at:])
			if err != nil {
				return "", err
			}
			at += k
		}
		return string(body[:n]), nil
	case '*':
		if n < 0 {
			return "(nil)", nil
		}
		parts := make([]string, n)
		for i := range parts {
			if parts[i], err = r.reply(); err != nil {
				return "", err
			}
		}
		return strings.Join(parts, " "), nil
	}
	return rest, nil
}

func (r *redis) must(t *testing.T, line string) string {
	t.Helper()
	answer, err := r.do(strings.Fields(line)...)
	require.NoError(t, err, line)
	return answer
}

// 8 clients, 8 PHP threads and 8 Go routines with 20,000 increments each come to 480,000.
func TestRESPCountsWithPHPAndGo(t *testing.T) {
	const each, key = 20_000, "demo:counter"
	s, address := withRESP(t, "")
	site := strings.TrimPrefix(strings.Fields(s.settings.Sites)[0], "http://")
	clients := make([]*redis, 8)
	for i := range clients {
		clients[i] = dialRedis(t, address)
	}
	_, err := parallel(3*len(clients), func(i int) (struct{}, error) {
		switch i % 3 {
		case 0:
			c := clients[i/3]
			for range each / 100 {
				if _, err := c.Write([]byte(strings.Repeat("INCR "+key+"\r\n", 100))); err != nil {
					return struct{}{}, err
				}
				for range 100 {
					if _, err := c.reply(); err != nil {
						return struct{}{}, err
					}
				}
			}
		case 1:
			a, err := s.ask([]mode{classic, worker}[i/3%2], "resp_increment", "key", key, "n", each)
			if err == nil {
				err = a.failed()
			}
			return struct{}{}, err
		default:
			for range 2 {
				response, err := s.client.Post("http://"+site+"/go/count", "application/json", strings.NewReader(fmt.Sprintf(`{"action": "increment", "steps": %d}`, each/2)))
				if err != nil {
					return struct{}{}, err
				}
				response.Body.Close()
				if response.StatusCode != 200 {
					return struct{}{}, fmt.Errorf("status %d", response.StatusCode)
				}
			}
		}
		return struct{}{}, nil
	})
	require.NoError(t, err)
	require.Equal(t, "480000", clients[0].must(t, "GET "+key))
}

// Optimistic transfers among 100 accounts, by WATCH and MULTI and by update() in PHP, keep the sum.
func TestRESPTransfersWithPHP(t *testing.T) {
	const accounts, each, transfers = 100, 1000, 500
	s, address := withRESP(t, "")
	p := dialRedis(t, address)
	all := "MGET"
	for i := range accounts {
		p.must(t, fmt.Sprintf("SET account:%d %d", i, each))
		all += fmt.Sprint(" account:", i)
	}
	clients := make([]*redis, 4)
	for i := range clients {
		clients[i] = dialRedis(t, address)
	}
	aborted := make([]int, len(clients))
	_, err := parallel(2*len(clients), func(i int) (struct{}, error) {
		if i >= len(clients) {
			a, err := s.ask([]mode{classic, worker}[i%2], "resp_transfer", "accounts", accounts, "n", transfers, "seed", i)
			if err == nil {
				err = a.failed()
			}
			return struct{}{}, err
		}
		c, dice := clients[i], rand.New(rand.NewPCG(uint64(i), 5))
		for done := 0; done < transfers; {
			from, to, sum := fmt.Sprint("account:", dice.IntN(accounts)), fmt.Sprint("account:", dice.IntN(accounts)), dice.IntN(20)
			if from == to {
				continue
			}
			var balances [2]int
			if _, err := c.do("WATCH", from, to); err != nil {
				return struct{}{}, err
			}
			for j, key := range []string{from, to} {
				text, err := c.do("GET", key)
				if err != nil {
					return struct{}{}, err
				}
				if balances[j], err = strconv.Atoi(text); err != nil {
					return struct{}{}, err
				}
			}
			for _, args := range [][]string{{"MULTI"}, {"SET", from, fmt.Sprint(balances[0] - sum)}, {"SET", to, fmt.Sprint(balances[1] + sum)}} {
				if _, err := c.do(args...); err != nil {
					return struct{}{}, err
				}
			}
			switch answer, err := c.do("EXEC"); {
			case err != nil:
				return struct{}{}, err
			case answer == "(nil)":
				aborted[i]++
			default:
				done++
			}
		}
		return struct{}{}, nil
	})
	require.NoError(t, err)
	sum := 0
	for _, text := range strings.Fields(p.must(t, all)) {
		n, err := strconv.Atoi(text)
		require.NoError(t, err)
		sum += n
	}
	require.Equal(t, accounts*each, sum)
	require.NotZero(t, aborted[0]+aborted[1]+aborted[2]+aborted[3], "EXECs that met another writer")
}

// What PHP stores a client reads, and what a client stores PHP reads, byte for byte: fault 104.
func TestFault104RESPAndPHPSeeTheSame(t *testing.T) {
	s, address := withRESP(t, "")
	p := dialRedis(t, address)
	inBothModes(t, func(t *testing.T, m mode) {
		s.check(t, m, "resp_store")
		for key, text := range map[string]string{"int": "-5", "float": "0.1", "string": "007", "bytes": "a\x00b\r\n", "null": "null", "array": `{"a":[1,2.5,"x"],"5":true}`, "list": "[]", "suit": `Suit::Hearts`} {
			answer, err := p.do("GET", "resp:"+key)
			require.NoError(t, err)
			require.Equal(t, text, answer, key)
		}
		_, err := p.do("GET", "resp:object")
		require.ErrorContains(t, err, "WRONGTYPE")
		for key, value := range map[string]string{"007": "007", "1e5": "1e5", "Infinity": "Infinity", "5": "5", "serialized": `O:8:"stdClass":0:{}`, "bytes": "\x00\xff"} {
			_, err := p.do("SET", "client:"+key, value)
			require.NoError(t, err)
		}
		require.Equal(t, "OK", p.must(t, "SET client:ttl x EX 100"))
		s.check(t, m, "resp_verify")
	})
}

// A server whose options stay goes on with its clients over reloads and worker restarts.
func TestRESPSurvivesReloads(t *testing.T) {
	s, address := withRESP(t, "idle_timeout 1h")
	p := dialRedis(t, address)
	for i := range 3 {
		require.NoError(t, s.reload())
		s.await(t, classic)
		require.NoError(t, s.restartWorkers())
		require.Equal(t, fmt.Sprint(i+1), p.must(t, "INCR reloads"))
	}
	with := s.settings
	with.SharedState = strings.Replace(with.SharedState, "idle_timeout 1h", "idle_timeout 2h", 1)
	s.write(t, with)
	require.NoError(t, s.reload())
	_, err := p.do("PING")
	require.Error(t, err, "another server has taken over")
	require.Equal(t, "3", dialRedis(t, address).must(t, "GET reloads"))
}

// Clients and PHP write and read values that hold their keys; none gets another's: fault 119.
func TestFault119ValuesAreTheirKeys(t *testing.T) {
	s, address := withRESP(t, "")
	clients := make([]*redis, 4)
	for i := range clients {
		clients[i] = dialRedis(t, address)
	}
	_, err := parallel(2*len(clients), func(i int) (struct{}, error) {
		if i >= len(clients) {
			a, err := s.ask([]mode{classic, worker}[i%2], "resp_own_values", "n", 5000)
			if err == nil {
				err = a.failed()
			}
			return struct{}{}, err
		}
		dice := rand.New(rand.NewPCG(uint64(i), 6))
		for range 5000 {
			key := fmt.Sprint("own:", dice.IntN(200))
			var answer string
			var err error
			if dice.IntN(2) == 0 {
				answer, err = clients[i].do("SET", key, key+":"+strings.Repeat("x", dice.IntN(3000)), "GET")
			} else {
				answer, err = clients[i].do("GET", key)
			}
			if err == nil && answer != "(nil)" && !strings.HasPrefix(answer, key+":") {
				err = fmt.Errorf("%s holds %.40q", key, answer)
			}
			if err != nil {
				return struct{}{}, err
			}
		}
		return struct{}{}, nil
	})
	require.NoError(t, err)
}

// redisTool is a program of Debian's redis-tools.
func redisTool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	require.NoError(t, err, "scripts/debian.sh redis installs it")
	return path
}

// redis-cli in all its ways, redis-benchmark, and over TLS with Caddy's own certificates.
func TestRESPRedisTools(t *testing.T) {
	_, address := withRESP(t, "password secret")
	host, port, err := net.SplitHostPort(address)
	require.NoError(t, err)
	cli := func(args ...string) string {
		t.Helper()
		out, err := exec.Command(redisTool(t, "redis-cli"), append([]string{"-h", host, "-p", port, "--no-auth-warning", "-a", "secret"}, args...)...).CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.NotContains(t, strings.ToLower(string(out)), "unknown command")
		return strings.TrimSpace(string(out))
	}
	require.Equal(t, "OK", cli("set", "greeting", "hello"))
	require.Equal(t, "hello", cli("get", "greeting"))
	require.Equal(t, "hello", cli("-3", "get", "greeting"))
	require.Equal(t, "greeting", cli("--scan", "--pattern", "greet*"))
	require.Contains(t, cli("--bigkeys"), "Biggest string found")
	require.Contains(t, cli("--memkeys"), "greeting")
	require.Contains(t, cli("info"), "redis_version:7")
	require.Contains(t, cli("command", "docs", "get"), "summary")
	require.Contains(t, cli("-3", "hello"), "proto")
	out, err := exec.Command(redisTool(t, "redis-benchmark"), "-h", host, "-p", port, "-a", "secret", "-P", "16", "-c", "50", "-n", "20000", "-t", "ping,set,get,incr,mset", "-q").CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, 6, strings.Count(string(out), "requests per second"), "%s", out)
	require.NotContains(t, string(out), "ERR")
}

func TestRESPOverTLS(t *testing.T) {
	data := t.TempDir()
	t.Setenv("XDG_DATA_HOME", data)
	_, address := withRESP(t, "tls localhost")
	_, port, err := net.SplitHostPort(address)
	require.NoError(t, err)
	root := filepath.Join(data, "caddy", "pki", "authorities", "local", "root.crt")
	require.Eventually(t, func() bool {
		_, err := os.Stat(root)
		return err == nil
	}, 20*time.Second, 50*time.Millisecond)
	var out []byte
	require.Eventually(t, func() bool {
		out, err = exec.Command(redisTool(t, "redis-cli"), "-h", "localhost", "-p", port, "--tls", "--cacert", root, "set", "a", "1").CombinedOutput()
		return err == nil && strings.TrimSpace(string(out)) == "OK"
	}, 20*time.Second, 200*time.Millisecond, "%s", &out)
}
