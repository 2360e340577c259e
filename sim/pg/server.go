package pg

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// Limits of what we wait for. They only ever end an attempt, they decide nothing inside a run.
const (
	startTimeoutMax = 60 * time.Second
	closeTimeoutMax = 30 * time.Second
)

// Options say which server is wanted and for whom.
type Options struct {
	How   string                           // "auto" (also ""), "container", "local", or a DSN (postgres://… or key=value)
	Image string                           // "" = the first of the default images that is there
	Run   string                           // unique id of this run: part of names of directories, containers, databases
	Log   func(format string, args ...any) // one line a call: which way was taken and why, progress of a pull; may be nil
	Core  int                              // pin the server to the core of this index among those we may use, counted round; -1 = do not pin
}

func (o Options) logf(format string, args ...any) {
	if o.Log != nil {
		o.Log(format, args...)
	}
}

// ErrNoWay says that no PostgreSQL could be had. Its text lists what was tried and the three ways to get one.
// The caller could not check anything (exit code 3).
var ErrNoWay = errors.New("no PostgreSQL to drill on")

// Server is a running PostgreSQL that drills may use as they like, with nobody else on its databases.
// Its methods may be called from several goroutines.
type Server struct {
	how      string
	endpoint endpoint
	login    loginParts
	version  serverVersion
	image    string // of a container
	log      func(format string, args ...any)

	signals signaller                   // nil: no stop mode
	given   *givenServer                // nil on servers of ours
	release func(context.Context) error // gives back what the way took (process, container, directory)

	mu      sync.Mutex
	admin   *pgx.Conn       // for databases; used under mu
	mine    map[string]bool // databases that Close drops; used only where the server outlives us
	stopped map[int]bool    // backends in state T by our doing: a server with such a one does not shut down
	closed  bool
}

// Servers of ours have one superuser, with a database of the same name, and one port.
const (
	superuser  = "postgres"
	socketPort = "5432"
)

// socketIn is the socket that a server told to use that directory makes.
func socketIn(dir string) string { return filepath.Join(dir, ".s.PGSQL."+socketPort) }

func socketDir(socket string) string { return filepath.Dir(socket) }

// loginParts is all of a connection string but the database.
type loginParts struct{ host, port, user, password string }

// Open gives a running server, having swept what dead runs left behind. How "auto" takes a container, else local
// binaries. Errors: ErrNoWay, *UnsupportedError, and for a DSN *NotMarkedError and *RefusedError (bad usage, exit code 2).
// After an error nothing is left behind.
func Open(ctx context.Context, o Options) (*Server, error) {
	if err := checkRun(o.Run); err != nil {
		return nil, err
	}
	sweepDirectories(o.logf)
	sweepContainers(ctx, o.logf)
	switch o.How {
	case "", "auto":
		return openAuto(ctx, o)
	case "container":
		return openContainerOnly(ctx, o)
	case "local":
		return openLocalOnly(ctx, o)
	}
	if !IsGiven(o.How) {
		return nil, &RefusedError{Why: fmt.Sprintf("PostgreSQL way %q is unknown; accepted: auto, container, local, or a DSN (postgres://… or key=value …)", o.How)}
	}
	return openGiven(ctx, o)
}

var runText = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,31}$`)

// checkRun keeps what becomes part of names within what directories, containers and databases all accept.
func checkRun(run string) error {
	if !runText.MatchString(run) {
		return fmt.Errorf("pg.Open: Options.Run is %q: accepted are 1 to 32 of a-z, 0-9, - and _", run)
	}
	return nil
}

// How is "container", "local" or "given".
func (s *Server) How() string { return s.how }

// Version is the server's, as "15.18".
func (s *Server) Version() string { return s.version.String() }

// Network says where to dial: "unix" and a socket, or "tcp" and host:port.
func (s *Server) Network() (network, address string) { return s.endpoint.network, s.endpoint.address }

// ConnString is for pgx: the superuser of a server of ours, or the user of the given DSN.
func (s *Server) ConnString(database string) string {
	return s.login.connString(database)
}

func (l loginParts) connString(database string) string {
	quote := func(v string) string {
		return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(v) + "'"
	}
	out := "host=" + quote(l.host) + " port=" + l.port + " user=" + quote(l.user) + " dbname=" + quote(database) + " sslmode=disable"
	if l.password != "" {
		out += " password=" + quote(l.password)
	}
	return out
}

// CanStop says whether backends can be stopped, hence whether lock waits are decisions and runs replay.
func (s *Server) CanStop() bool { return s.signals != nil }

// SignalWay names the way signals take: "proc", "exec", "sql", or "" without stop mode.
func (s *Server) SignalWay() string {
	if s.signals == nil {
		return ""
	}
	return s.signals.way()
}

// Stop halts a backend; when it returns nil, that backend is in state T for certain. ErrNoBackend: it has ended.
func (s *Server) Stop(pid int) error {
	if s.signals == nil {
		return fmt.Errorf("stop backend %d: this %s server offers no stop mode", pid, s.how)
	}
	s.mu.Lock()
	s.stopped[pid] = true // before the signal: Close must also wake one that was stopped without our learning of it
	s.mu.Unlock()
	if err := s.signals.stop(pid); err != nil {
		if errors.Is(err, ErrNoBackend) {
			s.forgetStopped(pid)
		}
		return fmt.Errorf("stop backend %d: %w", pid, err)
	}
	return nil
}

// Continue lets a stopped backend go on. ErrNoBackend: it has ended.
func (s *Server) Continue(pid int) error {
	if s.signals == nil {
		return fmt.Errorf("continue backend %d: this %s server offers no stop mode", pid, s.how)
	}
	if err := s.signals.cont(pid); err != nil {
		return fmt.Errorf("continue backend %d: %w", pid, err)
	}
	s.forgetStopped(pid)
	return nil
}

func (s *Server) forgetStopped(pid int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.stopped, pid)
}

func (s *Server) wakeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for pid := range s.stopped {
		_ = s.signals.cont(pid) // best effort: it may have ended
		delete(s.stopped, pid)
	}
}

// Close stops a server of ours, or drops our databases on a given one, and removes all we made for it. It works also
// when ctx is cancelled already (the caller was interrupted), within its own bound. Closing twice is harmless.
func (s *Server) Close(ctx context.Context) error {
	s.mu.Lock()
	closed := s.closed
	s.closed = true
	s.mu.Unlock()
	if closed {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeoutMax)
	defer cancel()
	s.wakeAll()
	var errs []error
	for _, name := range s.databasesOfOurs() {
		errs = append(errs, s.DropDatabase(ctx, name))
	}
	if s.signals != nil {
		errs = append(errs, s.signals.close())
	}
	_ = s.admin.Close(ctx) // the server ends sessions whose client has gone by itself
	if s.release != nil {
		errs = append(errs, s.release(ctx))
	}
	sweepContainers(ctx, s.log) // a run that was killed while starting one may have left it after our Open looked
	if err := joinErrors(errs...); err != nil {
		return fmt.Errorf("close the %s server: %w", s.how, err)
	}
	return nil
}

func (s *Server) databasesOfOurs() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for name := range s.mine {
		names = append(names, name)
	}
	return names
}

// connectOwn connects to a server of ours.
func (s *Server) connectOwn(ctx context.Context, what string) error {
	config, err := pgx.ParseConfig(s.ConnString(superuser))
	if err != nil {
		return fmt.Errorf("connect to the %s server: %w", s.how, err)
	}
	return s.connect(ctx, config, what)
}

// connect opens the administrative connection and checks the version. After an error it is closed.
func (s *Server) connect(ctx context.Context, config *pgx.ConnConfig, what string) error {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return fmt.Errorf("connect to the %s server: %w", s.how, err)
	}
	s.admin = conn
	s.mine, s.stopped = map[string]bool{}, map[int]bool{}
	s.version, err = parseServerVersion(conn.PgConn().ParameterStatus("server_version"))
	if err == nil {
		err = s.version.check(what)
	}
	if err != nil {
		_ = conn.Close(context.WithoutCancel(ctx))
	}
	return err
}
