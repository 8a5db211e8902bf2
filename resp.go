package frankenshare

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/frankenshare/frankenshare/resp"
)

// RESP configures a server of the Redis protocol on the tables.
type RESP struct {
	// Listen is where it listens: any network address that Caddy knows, with one port. Without a password it must be one of this
	// machine alone, unless Insecure is set.
	Listen string `json:"listen"`
	// Password is that of the user "default", whom a connection has that names none.
	Password string `json:"password,omitempty"`
	// Users are others who may use the server.
	Users []RESPUser `json:"users,omitempty"`
	// Table is the one that connections begin with. Default: "default".
	Table string `json:"table,omitempty"`
	// MaxClients bounds the connections. Default: 10000.
	MaxClients Size `json:"max_clients,omitempty"`
	// IdleTimeout is after how long without a command a connection is closed: a duration such as "5m". Default: never.
	IdleTimeout string `json:"idle_timeout,omitempty"`
	// TLS makes connections use TLS.
	TLS *RESPTLS `json:"tls,omitempty"`
	// Insecure allows an address that other machines reach without a password.
	Insecure bool `json:"insecure,omitempty"`
	// Prefixes makes table:key a key of that table.
	Prefixes bool `json:"prefixes,omitempty"`
}

// RESPUser is someone who may use a server.
type RESPUser struct {
	Name     string `json:"name"`
	Password string `json:"password"`
	// Access is "full" (the default) or "read".
	Access string `json:"access,omitempty"`
	// Keys are patterns of the keys that the user may touch. Default: all.
	Keys []string `json:"keys,omitempty"`
}

// RESPTLS is where a server has its certificates from.
type RESPTLS struct {
	// Names are the host names whose certificates Caddy gets and renews. The first is for clients that name none. Default: none; then
	// the server uses the certificates that Caddy has for other reasons.
	Names []string `json:"names,omitempty"`
}

var maxClients = setting{name: "max_clients", lo: 1, hi: 1 << 20, count: true}

const (
	minIdleTimeout = time.Second
	maxIdleTimeout = 365 * 24 * time.Hour
)

// respSettings are a server's settings with every placeholder replaced.
type respSettings struct {
	Address caddy.NetworkAddress
	Options resp.Options
	TLS     *RESPTLS
}

// key tells servers apart: one with the same key goes on over a reload.
func (s *respSettings) key() (string, error) {
	b, err := json.Marshal(s)
	return string(b), err
}

// resolve reads the settings. Placeholders have no value as long as there is no repl; what depends on them is then not checked.
func (r *RESP) resolve(repl *caddy.Replacer) (s respSettings, err error) {
	if s.Address, err = r.address(repl); err != nil {
		return s, err
	}
	o := &s.Options
	if o.Table, err = replaced(r.Table, repl); err != nil {
		return s, err
	}
	if o.Table == "" {
		o.Table = DefaultTable
	}
	n, err := maxClients.read(r.MaxClients, resp.DefaultMaxClients, repl)
	if err != nil {
		return s, err
	}
	o.MaxClients = int(n)
	if o.IdleTimeout, err = idleTimeout(r.IdleTimeout); err != nil {
		return s, err
	}
	if o.Users, err = r.users(repl); err != nil {
		return s, err
	}
	o.Prefixes = r.Prefixes
	s.TLS = r.TLS
	if repl != nil && len(o.Users) == 0 && !r.Insecure && !onlyHere(s.Address) {
		return s, fmt.Errorf("resp %s can be reached from other machines and has no password: set password or users, or write insecure", s.Address)
	}
	return s, nil
}

// replaced puts values in the place of placeholders.
func replaced(s string, repl *caddy.Replacer) (string, error) {
	if repl == nil {
		return s, nil
	}
	return repl.ReplaceOrErr(s, true, false)
}

func (r *RESP) address(repl *caddy.Replacer) (caddy.NetworkAddress, error) {
	if r.Listen == "" {
		return caddy.NetworkAddress{}, errors.New("resp takes the address to listen on")
	}
	if repl == nil && Size(r.Listen).hasPlaceholder() {
		return caddy.NetworkAddress{}, nil
	}
	text, err := replaced(r.Listen, repl)
	if err != nil {
		return caddy.NetworkAddress{}, fmt.Errorf("resp: %w", err)
	}
	a, err := caddy.ParseNetworkAddress(text)
	switch {
	case err != nil:
		return a, fmt.Errorf("resp %q: %w", text, err)
	case !caddy.IsUnixNetwork(a.Network) && !caddy.IsFdNetwork(a.Network) && !slices.Contains([]string{"tcp", "tcp4", "tcp6"}, a.Network):
		return a, fmt.Errorf("resp %q: the network %q carries no connections", text, a.Network)
	case a.PortRangeSize() != 1 || !caddy.IsUnixNetwork(a.Network) && !caddy.IsFdNetwork(a.Network) && a.StartPort == 0:
		return a, fmt.Errorf("resp %q needs one port", text)
	}
	return a, nil
}

// onlyHere says whether an address can be reached from this machine alone.
func onlyHere(a caddy.NetworkAddress) bool {
	if caddy.IsUnixNetwork(a.Network) || a.Host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(a.Host)
	return err == nil && ip.IsLoopback()
}

// idleTimeout reads the option of that name; 0 for never.
func idleTimeout(s string) (time.Duration, error) {
	if s == "" {
		return 0, nil
	}
	d, err := caddy.ParseDuration(s)
	if err != nil {
		return 0, fmt.Errorf("idle_timeout %q is not a duration such as 5m", s)
	}
	if d < minIdleTimeout || d > maxIdleTimeout {
		return 0, fmt.Errorf("idle_timeout %q is not between 1s and 365d", s)
	}
	return d, nil
}

// users are those who may use the server, the user of the option password first.
func (r *RESP) users(repl *caddy.Replacer) (users []resp.User, err error) {
	all := r.Users
	if r.Password != "" {
		all = append([]RESPUser{{Name: resp.DefaultUser, Password: r.Password}}, all...)
	}
	for _, u := range all {
		password, err := replaced(u.Password, repl)
		switch {
		case err != nil:
			return nil, fmt.Errorf("the password of the resp user %q: %w", u.Name, err)
		case u.Name == "":
			return nil, errors.New("a resp user has no name")
		case password == "":
			return nil, fmt.Errorf("the password of the resp user %q is empty", u.Name)
		case u.Access != "" && u.Access != "full" && u.Access != "read":
			return nil, fmt.Errorf("the access %q of the resp user %q is not full or read", u.Access, u.Name)
		case slices.ContainsFunc(users, func(x resp.User) bool { return x.Name == u.Name }):
			return nil, fmt.Errorf("the resp user %q is there twice", u.Name)
		case slices.Contains(u.Keys, ""):
			return nil, fmt.Errorf("a key pattern of the resp user %q is empty", u.Name)
		}
		users = append(users, resp.User{Name: u.Name, Password: password, ReadOnly: u.Access == "read", Keys: u.Keys})
	}
	return users, nil
}
