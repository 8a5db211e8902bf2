package pusher

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/frankenshare/frankenshare/phpbridge"
	"github.com/frankenshare/frankenshare/sharedstate"
)

func init() {
	caddy.RegisterModule(Handler{})
	httpcaddyfile.RegisterHandlerDirective("shared_state_demo", parseDirective)
	httpcaddyfile.RegisterDirectiveOrder("shared_state_demo", httpcaddyfile.Before, "rewrite")
}

const (
	counter  = "demo:counter"
	maxSteps = 10_000 // as in Endpoint.php

	// maxBody is the largest body of a request in bytes: more than the table's max_value, less than PHP's post_max_size.
	maxBody = 4 << 20
	// drained is how much of a larger one is read, so that the browser sees an answer, not a broken connection.
	drained = 64 << 20
)

// Handler is the directive shared_state_demo. It has no settings.
type Handler struct{}

// served counts the answers of all handlers.
var served atomic.Int64

// CaddyModule returns the Caddy module information.
func (Handler) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.shared_state_demo", New: func() caddy.Module { return new(Handler) }}
}

// ServeHTTP counts the request and answers it when it is Go's, or too large for anyone.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	requests.Add(1)
	if r.ContentLength > maxBody {
		if _, err := io.Copy(io.Discard, io.LimitReader(r.Body, drained)); err != nil {
			return err
		}
		return send(w, http.StatusRequestEntityTooLarge, map[string]any{
			"error": fmt.Sprintf("The request is too large: %d bytes, and this demo takes %d at most.", r.ContentLength, maxBody),
		})
	}
	if !strings.HasPrefix(r.URL.Path, "/go/") {
		return next.ServeHTTP(w, r)
	}
	table, err := phpbridge.Store().Table("default")
	if err != nil {
		return caddyhttp.Error(http.StatusServiceUnavailable, err)
	}
	status, body := answer(table, r)
	body["mode"], body["thread"], body["served"] = "go", "go", served.Add(1)
	return send(w, status, body)
}

func send(w http.ResponseWriter, status int, body map[string]any) error {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	return json.NewEncoder(w).Encode(body)
}

// answer reads the counter, or moves it: what Endpoint.php does in PHP.
func answer(table *sharedstate.Table, r *http.Request) (int, map[string]any) {
	refuse := func(status int, text string) (int, map[string]any) { return status, map[string]any{"error": text} }
	if r.Method == http.MethodGet {
		v, _ := table.Get(counter)
		n, isInt := v.Int()
		if !isInt && !v.IsNull() {
			return refuse(http.StatusConflict, fmt.Sprintf("The key %s holds %s, not a whole number.", counter, v.Kind()))
		}
		return http.StatusOK, map[string]any{"counter": n}
	}
	var order struct {
		Action string `json:"action"`
		Steps  int    `json:"steps"`
	}
	// A page of another site cannot send this type without asking first, and is told no.
	if r.Header.Get("Content-Type") != "application/json" {
		return refuse(http.StatusUnsupportedMediaType, "Changes are sent as application/json.")
	}
	if err := json.NewDecoder(io.LimitReader(r.Body, maxBody)).Decode(&order); err != nil {
		return refuse(http.StatusBadRequest, "The request's body is no JSON that Go understands: "+err.Error())
	}
	if order.Action != "increment" {
		return refuse(http.StatusBadRequest, "Go's only action is increment.")
	}
	if order.Steps < 1 || order.Steps > maxSteps {
		return refuse(http.StatusBadRequest, fmt.Sprintf("steps is %d, not 1 to %d.", order.Steps, maxSteps))
	}
	var first, last int64
	for step := range order.Steps {
		v, err := table.Increment(counter, sharedstate.Int(1), sharedstate.Forever)
		if err != nil {
			return refuse(http.StatusConflict, err.Error())
		}
		last, _ = v.Int()
		if step == 0 {
			first = last
		}
	}
	if _, err := table.Increment("demo:thread:go:go", sharedstate.Int(1), sharedstate.Forever); err != nil {
		return refuse(http.StatusConflict, err.Error())
	}
	return http.StatusOK, map[string]any{"steps": order.Steps, "first": first, "last": last}
}

// parseDirective reads the directive, which is a single word.
func parseDirective(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	h.Next()
	return new(Handler), bare(h.Dispenser)
}

var _ caddyhttp.MiddlewareHandler = (*Handler)(nil)
