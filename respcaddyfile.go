package frankenshare

import (
	"fmt"
	"slices"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/frankenshare/frankenshare/sharedstate"
)

// unmarshalRESP reads a server; the dispenser is at its first word.
func (a *App) unmarshalRESP(d *caddyfile.Dispenser) error {
	args := d.RemainingArgs()
	if len(args) != 1 {
		return d.Errf("resp takes one address, but has %d", len(args))
	}
	r := &RESP{Listen: args[0]}
	if _, err := r.address(nil); err != nil {
		return d.WrapErr(err)
	}
	if slices.ContainsFunc(a.RESP, func(x *RESP) bool { return x.Listen == r.Listen }) {
		return d.Errf("duplicate resp %q", r.Listen)
	}
	line := d.Line()
	seen := make(map[string]bool)
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		option := d.Val()
		if seen[option] {
			return d.Errf("duplicate option %q in resp %q", option, r.Listen)
		}
		seen[option] = true
		if err := r.unmarshalOption(d, option); err != nil {
			return err
		}
		// Said here, where the line is known; again when the app is provisioned, for what is known only then.
		if _, err := r.resolve(nil); err != nil {
			return d.WrapErr(err)
		}
	}
	if address, err := r.address(nil); err == nil && address.Network != "" && r.Password == "" && len(r.Users) == 0 && !r.Insecure && !onlyHere(address) {
		return fmt.Errorf("resp %s can be reached from other machines and has no password: set password or users, or write insecure, at %s:%d", address, d.File(), line)
	}
	a.RESP = append(a.RESP, r)
	return nil
}

func (r *RESP) unmarshalOption(d *caddyfile.Dispenser, option string) error {
	var target *string
	kind := ""
	switch option {
	case "password":
		target, kind = &r.Password, "a password"
	case "table":
		target, kind = &r.Table, "a table's name"
	case "max_clients":
		target, kind = (*string)(&r.MaxClients), "a number"
	case "idle_timeout":
		target, kind = &r.IdleTimeout, "a duration"
	case "insecure":
		_, err := arguments(d, "no argument", 0)
		r.Insecure = true
		return err
	case "prefixes":
		args, err := arguments(d, "on or off", 1)
		if err != nil {
			return err
		}
		if args[0] != "on" && args[0] != "off" {
			return d.Errf("prefixes %q is not on or off", args[0])
		}
		r.Prefixes = args[0] == "on"
		return nil
	case "tls":
		args, err := arguments(d, "host names", d.CountRemainingArgs())
		if slices.Contains(args, "") {
			return d.Err("a host name of tls is empty")
		}
		r.TLS = &RESPTLS{Names: args}
		return err
	case "users":
		return r.unmarshalUsers(d)
	default:
		return d.Errf("unrecognized option %q: resp knows password, users, table, max_clients, idle_timeout, tls, prefixes, insecure", option)
	}
	args, err := arguments(d, kind, 1)
	if err != nil {
		return err
	}
	if args[0] == "" {
		return d.Errf("%s is empty, it takes %s", option, kind)
	}
	*target = args[0]
	if option == "table" && !Size(r.Table).hasPlaceholder() {
		if err := sharedstate.ValidateName(r.Table); err != nil {
			return d.WrapErr(err)
		}
	}
	return nil
}

// unmarshalUsers reads a line for each user: a name, a password, read or full, and key patterns.
func (r *RESP) unmarshalUsers(d *caddyfile.Dispenser) error {
	if d.NextArg() {
		return d.Errf("users takes a block, but has the argument %q", d.Val())
	}
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		n := max(d.CountRemainingArgs(), 2)
		name := d.Val()
		args, err := arguments(d, "a password, read or full, and key patterns", n)
		if err != nil {
			return fmt.Errorf("user %w", err)
		}
		u := RESPUser{Name: name, Password: args[0], Access: args[1], Keys: args[2:]}
		if u.Access == "" {
			return d.Errf("the access of the resp user %q is empty, it takes read or full", name)
		}
		if len(u.Keys) == 0 {
			u.Keys = nil
		}
		r.Users = append(r.Users, u)
		if _, err := r.users(nil); err != nil {
			return d.WrapErr(err)
		}
	}
	if len(r.Users) == 0 {
		return d.Err("users is empty, it takes a line for each user")
	}
	return nil
}
