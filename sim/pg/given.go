package pg

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// DrillsAllowed is the comment by which the owner of a database says that its server may be drilled on.
const DrillsAllowed = "recondrill: drills allowed"

// givenPrefix starts the name of every database that drills make on a server that is not theirs.
const givenPrefix = "recondrill_"

const connectTimeoutMax = 15 * time.Second

// RefusedError says why the way that was asked for is not gone (bad usage, exit code 2).
type RefusedError struct{ Why string }

func (e *RefusedError) Error() string { return e.Why }

// NotMarkedError says that nobody has allowed drills on the given database (bad usage, exit code 2).
type NotMarkedError struct{ Database string }

func (e *NotMarkedError) Error() string {
	return fmt.Sprintf("database %s is not marked for drills; if its server may be drilled on, its owner says so with: COMMENT ON DATABASE %s IS %s",
		e.Database, quoteName(e.Database), quoteText(DrillsAllowed))
}

// IsGiven says whether Options.How is the DSN of somebody's server, and not one of the ways to get one of our own.
func IsGiven(how string) bool { return strings.Contains(how, "://") || strings.Contains(how, "=") }

// givenServer is what we know of a server that outlives us.
type givenServer struct {
	superuser bool
	major     int
	owner     runOwner
	run       string
}

// openGiven connects to somebody's server, having checked that it is of a supported version, marked, and lets us make a
// database. Nothing is written there before those checks.
func openGiven(ctx context.Context, o Options) (_ *Server, err error) {
	config, err := parseGivenDSN(o.How)
	if err != nil {
		return nil, err
	}
	network, address := pgconn.NetworkAddress(config.Host, config.Port)
	s := &Server{
		how: "given", log: o.logf, endpoint: endpoint{network, address},
		login: loginParts{host: config.Host, port: fmt.Sprint(config.Port), user: config.User, password: config.Password},
	}
	dialed, cancel := context.WithTimeout(ctx, connectTimeoutMax)
	defer cancel()
	if err := s.connect(dialed, config, "the given server"); err != nil {
		var unsupported *UnsupportedError
		if errors.As(err, &unsupported) || ctx.Err() != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%w: %w", ErrNoWay, err)
	}
	defer func() {
		if err != nil {
			_ = s.admin.Close(context.WithoutCancel(ctx))
		}
	}()
	s.given = &givenServer{major: s.version.major, owner: thisOwner(), run: o.Run}
	if s.given.superuser, err = checkGiven(ctx, s.admin); err != nil {
		return nil, err
	}
	if err := sweepDatabases(ctx, s.admin, s.given.superuser, o.logf); err != nil {
		return nil, err
	}
	if !s.given.superuser {
		o.logf("PostgreSQL %s at %s, as given; %s is no superuser: no stop mode, so runs are not replayable", s.Version(), address, config.User)
		return s, nil
	}
	if s.signals, err = newSQLSignaller(ctx, config); err != nil {
		return nil, err
	}
	o.logf("PostgreSQL %s at %s, as given, with stop mode", s.Version(), address)
	return s, nil
}

// parseGivenDSN accepts what pgx does, without what cannot be drilled on. Its errors hold no password.
func parseGivenDSN(dsn string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, &RefusedError{Why: fmt.Sprintf("the DSN cannot be read: %v", err)}
	}
	plain := config.TLSConfig == nil
	for _, other := range config.Fallbacks {
		if other.Host != config.Host || other.Port != config.Port {
			return nil, &RefusedError{Why: "the DSN names several servers: one is accepted"}
		}
		plain = plain || other.TLSConfig == nil
	}
	if !plain {
		return nil, &RefusedError{Why: "the DSN demands TLS, but a drill has to read the wire: accepted is a server that can be reached with sslmode=disable"}
	}
	config.TLSConfig, config.Fallbacks = nil, nil
	config.RuntimeParams = map[string]string{
		"application_name": "recondrill", "statement_timeout": "0", "idle_session_timeout": "0", "idle_in_transaction_session_timeout": "0",
	}
	return config, nil
}

// checkGiven returns *NotMarkedError or *RefusedError where drills are not to run.
func checkGiven(ctx context.Context, conn *pgx.Conn) (superuser bool, err error) {
	var database, comment, user string
	var creates, standby bool
	err = conn.QueryRow(ctx, `
		SELECT d.datname, coalesce(shobj_description(d.oid, 'pg_database'), ''), current_user::text,
		       r.rolcreatedb OR r.rolsuper, r.rolsuper, pg_is_in_recovery()
		FROM pg_database d, pg_roles r
		WHERE d.datname = current_database() AND r.rolname = current_user`).Scan(&database, &comment, &user, &creates, &superuser, &standby)
	if err != nil {
		return false, fmt.Errorf("look at the given server: %w", err)
	}
	if comment != DrillsAllowed {
		return false, &NotMarkedError{Database: database}
	}
	if standby {
		return false, &RefusedError{Why: "the given server is a standby, which takes no writes: accepted is a primary"}
	}
	if !creates {
		return false, &RefusedError{Why: fmt.Sprintf("user %s may not create databases on the given server; its superuser allows it with: ALTER ROLE %s CREATEDB", user, quoteName(user))}
	}
	return superuser, nil
}

// createDatabase makes a database on the given server. Its first name says whose it is, so that it can be swept whenever
// we die; only when its comment says so too does it get the name it was asked for. Needs s.mu.
func (g *givenServer) createDatabase(ctx context.Context, s *Server, name string) error {
	if !strings.HasPrefix(name, givenPrefix) || strings.HasPrefix(name, ownedDatabasePrefix) {
		return fmt.Errorf("accepted on a given server are names %s…", givenPrefix)
	}
	first := g.owner.databaseName(g.run, len(s.mine))
	s.mine[first] = true
	steps := []string{createDatabaseStatement(first)}
	for _, setting := range databaseSettings(g.major, g.superuser) {
		steps = append(steps, setting.statement(first))
	}
	steps = append(steps,
		"COMMENT ON DATABASE "+quoteName(first)+" IS "+quoteText(ownedCommentPrefix+g.owner.String()+" run "+g.run),
		"ALTER DATABASE "+quoteName(first)+" RENAME TO "+quoteName(name))
	for _, step := range steps {
		if err := s.exec(ctx, step); err != nil {
			if s.exec(context.WithoutCancel(ctx), dropDatabaseStatement(first)) == nil {
				delete(s.mine, first)
			}
			return err
		}
	}
	delete(s.mine, first)
	s.mine[name] = true
	return g.verifySettings(ctx, s.ConnString(name))
}

// verifySettings looks whether a session really has the settings: those of its role would win over its database's.
func (g *givenServer) verifySettings(ctx context.Context, connString string) error {
	conn, err := pgx.Connect(ctx, connString)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for _, setting := range databaseSettings(g.major, g.superuser) {
		var value string
		if err := conn.QueryRow(ctx, "SHOW "+setting.name).Scan(&value); err != nil {
			return err
		}
		if value != setting.value {
			return &RefusedError{Why: fmt.Sprintf("on the given server %s stays %q where drills need %q: ALTER ROLE %s RESET %s would let the database decide",
				setting.name, value, setting.value, quoteName(conn.Config().User), setting.name)}
		}
	}
	return nil
}
