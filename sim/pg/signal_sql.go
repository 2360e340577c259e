package pg

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// sqlSignaller signals through the server itself, on a connection of its own: what a superuser of any server has. Slow
// (some milliseconds: the server starts a shell for each), but it asks for no access to the machine.
type sqlSignaller struct {
	mu   sync.Mutex
	conn *pgx.Conn
}

// The shell reads the pid from the query, which gives none when there is no such backend: exit 13. Exit 23: it could not be
// signalled, exit 33: it ended meanwhile. The error tells which.
const (
	sqlContinueScript = `read -r p || exit 13; kill -CONT "$p" || exit 23`
	sqlStopScript     = `read -r p || exit 13; kill -STOP "$p" || exit 23; n=0; ` +
		`while [ "$n" -lt 200000 ]; do n=$((n+1)); s=; ` +
		`if [ -d /proc/self ]; then read -r a b s c </proc/"$p"/stat; else s=$(ps -o state= -p "$p"); fi; ` +
		`case $s in T*|t*) exit 0 ;; Z*|X*|x*|"") exit 33 ;; esac; done; exit 4`
)

// noBackend is those exits in the server's detail, whose words are of its language.
var noBackend = regexp.MustCompile(` [123]3$`)

func newSQLSignaller(ctx context.Context, config *pgx.ConnConfig) (*sqlSignaller, error) {
	conn, err := pgx.ConnectConfig(ctx, config.Copy())
	if err != nil {
		return nil, fmt.Errorf("signal through SQL: %w", err)
	}
	return &sqlSignaller{conn: conn}, nil
}

func (s *sqlSignaller) way() string { return "sql" }

func (s *sqlSignaller) stop(pid int) error { return s.send(pid, sqlStopScript) }
func (s *sqlSignaller) cont(pid int) error { return s.send(pid, sqlContinueScript) }

func (s *sqlSignaller) send(pid int, script string) error {
	const answerMax = 10 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), answerMax)
	defer cancel()
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.conn.Exec(ctx, fmt.Sprintf("COPY (SELECT pid FROM pg_stat_activity WHERE pid = %d) TO PROGRAM %s", pid, quoteText(script)))
	var refused *pgconn.PgError
	if errors.As(err, &refused) && noBackend.MatchString(refused.Detail) { // "child process exited with exit code 3"
		return fmt.Errorf("%w: %s", ErrNoBackend, refused.Detail)
	}
	return err
}

func (s *sqlSignaller) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conn.Close(context.Background())
}
