package pg

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// CreateDatabase makes an empty database (UTF8, locale C) whose sessions have the settings of drills. On a given server
// its name must begin with "recondrill_".
func (s *Server) CreateDatabase(ctx context.Context, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	if s.given != nil {
		err = s.given.createDatabase(ctx, s, name)
	} else {
		err = s.exec(ctx, createDatabaseStatement(name))
	}
	if err != nil {
		return fmt.Errorf("create database %s: %w", name, err)
	}
	return nil
}

func createDatabaseStatement(name string) string {
	return "CREATE DATABASE " + quoteName(name) + " TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER libc LOCALE 'C'"
}

// DropDatabase drops a database with everybody who is on it; one that is not there is dropped already. On a given server
// only what this Server created is dropped.
func (s *Server) DropDatabase(ctx context.Context, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.given != nil && !s.mine[name] {
		return fmt.Errorf("drop database %s: this run did not create it", name)
	}
	err := s.wakeIn(ctx, name)
	if err == nil {
		err = s.exec(ctx, dropDatabaseStatement(name))
	}
	if err != nil {
		return fmt.Errorf("drop database %s: %w", name, err)
	}
	delete(s.mine, name)
	return nil
}

// wakeIn lets the stopped backends of a database go on: one that is stopped would not notice that it has to leave. Needs mu.
func (s *Server) wakeIn(ctx context.Context, database string) error {
	if len(s.stopped) == 0 {
		return nil
	}
	if err := s.renew(ctx); err != nil {
		return err
	}
	rows, err := s.admin.Query(ctx, "SELECT pid FROM pg_stat_activity WHERE datname = $1", database)
	if err != nil {
		return err
	}
	pids, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil {
		return err
	}
	for _, pid := range pids {
		if s.stopped[pid] {
			_ = s.signals.cont(pid) // best effort: it may have ended
			delete(s.stopped, pid)
		}
	}
	return nil
}

func dropDatabaseStatement(name string) string {
	return "DROP DATABASE IF EXISTS " + quoteName(name) + " WITH (FORCE)"
}

// exec runs a statement on the administrative connection. Needs mu.
func (s *Server) exec(ctx context.Context, sql string) error {
	if err := s.renew(ctx); err != nil {
		return err
	}
	_, err := s.admin.Exec(ctx, sql)
	return err
}

// renew makes the administrative connection anew when it has been lost, as it is after a cancelled statement. Needs mu.
func (s *Server) renew(ctx context.Context) error {
	if !s.admin.IsClosed() {
		return nil
	}
	conn, err := pgx.ConnectConfig(ctx, s.admin.Config())
	if err == nil {
		s.admin = conn
	}
	return err
}
