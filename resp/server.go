package resp

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/frankenshare/frankenshare/sharedstate"
)

// Options are a server's settings.
type Options struct {
	// Table is the one that clients begin with, which is also number 0 of SELECT.
	Table string
	// Users are those who may use the server. Without any, everyone may do everything.
	Users []User
	// MaxClients bounds the connections.
	MaxClients int
	// IdleTimeout is after how long without a command a connection is closed; 0 for never.
	IdleTimeout time.Duration
	// Prefixes makes table:key a key of that table.
	Prefixes bool

	maxReplies int // another bound than maxReplies, for tests
}

// DefaultMaxClients is the bound on connections for who names none.
const DefaultMaxClients = 10000

// Server answers clients on the tables of a store.
type Server struct {
	store    *sharedstate.Store
	options  Options
	logger   atomic.Pointer[zap.Logger]
	started  time.Time
	tls      atomic.Pointer[tls.Config]
	users    map[string]*User
	stats    stats
	watches  watches
	monitors monitors
	pubsub   pubsub
	events   events
	tracking tracking
	slow     slow

	mu        sync.Mutex
	listeners []net.Listener
	clients   map[int64]*client
	closed    bool
	running   sync.WaitGroup
}

// stats are what INFO tells.
type stats struct {
	connections, rejected, commands, errors atomic.Int64
	dropped                                 atomic.Int64 // clients that fell behind with messages
	input, output                           atomic.Int64
	lastID                                  atomic.Int64
}

// NewServer makes a server that has no listener yet. The table must exist.
func NewServer(store *sharedstate.Store, o Options, logger *zap.Logger) (*Server, error) {
	if _, err := store.Table(o.Table); err != nil {
		return nil, err
	}
	s := &Server{store: store, options: o, started: time.Now(), users: make(map[string]*User), clients: make(map[int64]*client)}
	s.SetLogger(logger)
	s.tracking.maxKeys.Store(defaultTrackedKeys)
	s.slow.logFrom.Store(defaultSlow)
	s.slow.logged.Store(defaultSlowLength)
	for i := range o.Users {
		u := &o.Users[i]
		if s.users[u.Name] != nil {
			return nil, fmt.Errorf("the user %q is there twice", u.Name)
		}
		s.users[u.Name] = u
	}
	if len(o.Users) == 0 {
		s.users[DefaultUser] = &User{Name: DefaultUser}
	}
	return s, nil
}

// SetTLS has connections that are made later begin with a TLS handshake, or not when c is nil.
func (s *Server) SetTLS(c *tls.Config) { s.tls.Store(c) }

// SetLogger changes where the server logs.
func (s *Server) SetLogger(l *zap.Logger) { s.logger.Store(l) }

// Serve accepts connections until the listener or the server is closed.
func (s *Server) Serve(l net.Listener) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return l.Close()
	}
	s.listeners = append(s.listeners, l)
	s.running.Add(1)
	s.mu.Unlock()
	defer s.running.Done()
	for wait := time.Duration(0); ; {
		conn, err := l.Accept()
		switch {
		case err == nil:
			wait = 0
			s.admit(conn)
		case s.isClosed():
			return nil
		case errors.Is(err, net.ErrClosed):
			return err
		default: // out of file descriptors, say: it passes
			wait = min(max(2*wait, 5*time.Millisecond), time.Second)
			s.logger.Load().Warn("accepting a connection failed", zap.Error(err), zap.Duration("retry_in", wait))
			time.Sleep(wait)
		}
	}
}

func (s *Server) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// admit gives a connection a client, or turns it away.
func (s *Server) admit(conn net.Conn) {
	s.stats.connections.Add(1)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || len(s.clients) >= s.options.MaxClients {
		s.stats.rejected.Add(1)
		s.running.Go(func() {
			_ = conn.SetDeadline(time.Now().Add(time.Second)) // what fails here fails for a client that is turned away
			if s.tls.Load() == nil {
				_, _ = conn.Write([]byte("-ERR max number of clients reached\r\n"))
			}
			_ = conn.Close()
		})
		return
	}
	c := newClient(s, conn)
	s.clients[c.id] = c
	s.running.Go(c.serve)
}

// forget takes a client out that has ended.
func (s *Server) forget(c *client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.clients, c.id)
}

// client is the one with a number, nil for none.
func (s *Server) client(id int64) *client {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.clients[id]
}

// all are the clients at this moment.
func (s *Server) all() []*client {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]*client, 0, len(s.clients))
	for _, c := range s.clients {
		list = append(list, c)
	}
	return list
}

// Close ends the listeners and all connections, and waits until their commands in progress have ended.
func (s *Server) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	var errs []error
	for _, l := range s.listeners {
		errs = append(errs, l.Close())
	}
	for _, c := range s.clients {
		c.kill()
	}
	s.mu.Unlock()
	s.running.Wait()
	s.watches.close()
	return errors.Join(errs...)
}

// limits are those of a client that may use the server: what no table could store is not read either, but for what a table refuses
// with an error.
func (s *Server) limits() limits {
	largest := int64(1 << 20)
	for _, t := range s.store.Tables() {
		largest = max(largest, t.Options().MaxValue)
	}
	bulk := int(2 * largest)
	return limits{args: maxArgs, bulk: bulk, request: max(64<<20, 2*bulk)}
}
