package frankenshare

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddytls"
	"github.com/caddyserver/certmagic"
	"go.uber.org/zap"

	"github.com/frankenshare/frankenshare/resp"
	"github.com/frankenshare/frankenshare/sharedstate"
)

// respServers are the servers of all configs by their settings, so that one whose settings a reload does not change goes on with its
// listener and its clients.
var respServers = caddy.NewUsagePool()

// respServer is a server of one config, or of several.
type respServer struct{ *resp.Server }

// Destruct implements caddy.Destructor.
func (s respServer) Destruct() error { return s.Close() }

// respUse is a config's use of a server.
type respUse struct {
	settings respSettings
	tls      *tls.Config
	manage   func() error // has Caddy get the certificates
	server   *respServer  // nil before Start
	key      string
}

// provisionRESP reads the settings of all servers.
func (a *App) provisionRESP(ctx caddy.Context, repl *caddy.Replacer) error {
	a.resp = nil
	for _, r := range a.RESP {
		s, err := r.resolve(repl)
		if err != nil {
			return err
		}
		if _, there := a.settings.tables[s.Options.Table]; !there {
			return fmt.Errorf("resp %s: no table option names the table %q", s.Address, s.Options.Table)
		}
		u := &respUse{settings: s}
		if u.key, err = s.key(); err != nil {
			return err
		}
		for _, other := range a.resp {
			if other.settings.Address == s.Address {
				return fmt.Errorf("resp %s is there twice", s.Address)
			}
		}
		if r.TLS != nil {
			if u.tls, u.manage, err = r.TLS.config(ctx); err != nil {
				return fmt.Errorf("resp %s: tls: %w", s.Address, err)
			}
		}
		a.resp = append(a.resp, u)
	}
	return nil
}

// config is what connections are secured with: the certificates that Caddy has or gets.
func (t *RESPTLS) config(ctx caddy.Context) (c *tls.Config, manage func() error, err error) {
	policy := &caddytls.ConnectionPolicy{ALPN: []string{}}
	if len(t.Names) > 0 {
		policy.DefaultSNI = t.Names[0]
	}
	policies := caddytls.ConnectionPolicies{policy}
	if err := policies.Provision(ctx); err != nil {
		return nil, nil, err
	}
	app, err := ctx.App("tls")
	if err != nil {
		return nil, nil, err
	}
	certificates := app.(*caddytls.TLS)
	names := make(map[string]struct{})
	var local []string // names for which no public authority has certificates
	for _, n := range t.Names {
		names[n] = struct{}{}
		if !certmagic.SubjectQualifiesForPublicCert(n) && !isAutomated(certificates, n) {
			local = append(local, n)
		}
	}
	if len(local) > 0 {
		policy := &caddytls.AutomationPolicy{SubjectsRaw: local, IssuersRaw: []json.RawMessage{json.RawMessage(`{"module": "internal"}`)}}
		if err := certificates.AddAutomationPolicy(policy); err != nil {
			return nil, nil, err
		}
	}
	return policies.TLSConfig(ctx), func() error { return certificates.Manage(names) }, nil
}

// isAutomated says whether the config tells how to get a name's certificate.
func isAutomated(app *caddytls.TLS, name string) bool {
	return app.Automation != nil && slices.ContainsFunc(app.Automation.Policies, func(p *caddytls.AutomationPolicy) bool {
		return slices.Contains(p.SubjectsRaw, name)
	})
}

// startRESP starts the servers that do not run yet. On an error Caddy calls Stop.
func (a *App) startRESP(store *sharedstate.Store) error {
	for _, u := range a.resp {
		if u.manage != nil {
			if err := u.manage(); err != nil {
				return errors.Join(fmt.Errorf("resp %s: tls: %w", u.settings.Address, err), a.stopRESP())
			}
		}
		v, loaded, err := respServers.LoadOrNew(u.key, func() (caddy.Destructor, error) { return u.listen(store, a.logger) })
		if err != nil {
			return errors.Join(fmt.Errorf("resp %s: %w", u.settings.Address, err), a.stopRESP())
		}
		u.server = v.(*respServer)
		if !loaded {
			u.adopt(a.logger)
		}
	}
	return nil
}

// adopt makes a server use what belongs to this config.
func (u *respUse) adopt(logger *zap.Logger) {
	u.server.SetLogger(logger)
	u.server.SetTLS(u.tls)
}

// acceptRESP lets go of what belongs to the config before, now that Caddy keeps this one.
func (a *App) acceptRESP() {
	for _, u := range a.resp {
		if u.server != nil {
			u.adopt(a.logger)
		}
	}
}

// stopRESP ends the servers that no other config has.
func (a *App) stopRESP() error {
	var errs []error
	for _, u := range a.resp {
		if u.server != nil {
			u.server = nil
			_, err := respServers.Delete(u.key)
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// listen makes a server and lets clients in.
func (u *respUse) listen(store *sharedstate.Store, logger *zap.Logger) (*respServer, error) {
	s, err := resp.NewServer(store, u.settings.Options, logger)
	if err != nil {
		return nil, err
	}
	s.SetTLS(u.tls)
	l, err := u.settings.Address.Listen(context.Background(), 0, net.ListenConfig{})
	if err != nil {
		return nil, err
	}
	listener, ok := l.(net.Listener)
	if !ok {
		return nil, fmt.Errorf("the network %q carries no connections", u.settings.Address.Network)
	}
	go func() {
		if err := s.Serve(listener); err != nil {
			logger.Error("the Redis protocol is not answered any more", zap.Stringer("address", u.settings.Address), zap.Error(err))
		}
	}()
	logger.Info("answering the Redis protocol", zap.Stringer("address", u.settings.Address), zap.String("table", u.settings.Options.Table))
	return &respServer{s}, nil
}
