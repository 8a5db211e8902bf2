package pusher

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/stretchr/testify/require"

	"github.com/frankenshare/frankenshare/sharedstate"
)

func post(body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/go/", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	return r
}

func TestGoReadsAndMovesTheCounter(t *testing.T) {
	_, table := emptyTable(t)
	status, body := answer(table, httptest.NewRequest(http.MethodGet, "/go/", nil))
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, map[string]any{"counter": int64(0)}, body)
	require.NoError(t, table.Set(counter, sharedstate.Int(40)))
	status, body = answer(table, post(`{"action": "increment", "steps": 2}`))
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, map[string]any{"steps": 2, "first": int64(41), "last": int64(42)}, body)
	require.EqualValues(t, 42, at(t, table, counter))
}

func TestRequestsThatAreTooLargeDoNotReachPHP(t *testing.T) {
	var reached atomic.Int64 // bytes
	php := caddyhttp.HandlerFunc(func(w http.ResponseWriter, r *http.Request) error {
		n, err := io.Copy(io.Discard, r.Body)
		reached.Add(n)
		return err
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := new(Handler).ServeHTTP(w, r, php); err != nil {
			panic(err)
		}
	}))
	defer server.Close()
	send := func(size int) (int, string) {
		response, err := http.Post(server.URL+"/api.php", "application/json", strings.NewReader(strings.Repeat("x", size)))
		require.NoError(t, err)
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return response.StatusCode, string(body)
	}
	before := requests.Load()
	status, _ := send(maxBody)
	require.Equal(t, http.StatusOK, status)
	status, body := send(5 * maxBody)
	require.Equal(t, http.StatusRequestEntityTooLarge, status)
	require.Contains(t, body, "20971520 bytes, and this demo takes 4194304 at most")
	require.EqualValues(t, maxBody, reached.Load())
	require.EqualValues(t, before+2, requests.Load(), "both are counted")
}

func TestGoRefusesInPlainWords(t *testing.T) {
	_, table := emptyTable(t)
	plain := post(`{"action": "increment", "steps": 1}`)
	plain.Header.Set("Content-Type", "text/plain")
	for _, c := range []struct {
		request *http.Request
		status  int
		says    string
	}{
		{plain, http.StatusUnsupportedMediaType, "application/json"},
		{post(`[]`), http.StatusBadRequest, "no JSON that Go understands"},
		{post(`{"action": "reset"}`), http.StatusBadRequest, "only action is increment"},
		{post(`{"action": "increment", "steps": 10001}`), http.StatusBadRequest, "steps is 10001, not 1 to 10000"},
	} {
		status, body := answer(table, c.request)
		require.Equal(t, c.status, status)
		require.Contains(t, body["error"], c.says)
	}
	require.NoError(t, table.Set(counter, sharedstate.String("x")))
	status, body := answer(table, httptest.NewRequest(http.MethodGet, "/go/", nil))
	require.Equal(t, http.StatusConflict, status)
	require.Contains(t, body["error"], "holds string, not a whole number")
	status, _ = answer(table, post(`{"action": "increment", "steps": 1}`))
	require.Equal(t, http.StatusConflict, status)
}
