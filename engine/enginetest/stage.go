package enginetest

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/engine/postgres"
)

// Morning is when each stage opens: the database's time.
var Morning = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// Server is a server with the engine's schema as a template database.
type Server struct {
	dsn   string
	count atomic.Int64
}

const plainTemplate = "recon_stage"

// NewServer migrates the template once. The dsn names the server's maintenance database, as a superuser.
func NewServer(ctx context.Context, dsn string) (*Server, error) {
	s := &Server{dsn: dsn}
	return s, s.template(ctx, plainTemplate, "")
}

// template makes a database that tests copy: migrated, and with the stage's clock.
func (s *Server) template(ctx context.Context, name, options string) error {
	admin, err := pgx.Connect(ctx, s.dsn)
	if err != nil {
		return err
	}
	defer admin.Close(ctx)
	for _, sql := range []string{"drop database if exists " + name + " with (force)", "create database " + name + " " + options} {
		if _, err := admin.Exec(ctx, sql); err != nil {
			return err
		}
	}
	cfg, err := pgx.ParseConfig(s.dsn)
	if err != nil {
		return err
	}
	cfg.Database = name
	if err := postgres.Migrate(ctx, cfg); err != nil {
		return err
	}
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, fmt.Sprintf(`
		create table public.clock (at timestamptz not null);
		insert into public.clock values ('%s');
		grant select on public.clock to public;
		create or replace function recon.now() returns timestamptz language sql stable as 'select at from public.clock'`,
		Morning.Format(time.RFC3339)), pgx.QueryExecModeSimpleProtocol)
	return err
}

// Stage is one test's database and one process of the engine on it.
type Stage struct {
	T       *testing.T
	Ctx     context.Context
	Runtime *Runtime
	DB      *postgres.DB
	config  *pgxpool.Config
	admin   *pgx.Conn
	started uint64 // processes
}

// Open makes a database of its own, gone after the test.
func (s *Server) Open(t *testing.T) *Stage {
	t.Helper()
	return s.open(t, plainTemplate)
}

// OpenSorted is Open on a database that sorts text as people do and not by bytes: a < B < c. No code may rely on either.
func (s *Server) OpenSorted(t *testing.T) *Stage {
	t.Helper()
	const name = "recon_stage_sorted"
	require.NoError(t, s.template(t.Context(), name, "template template0 encoding 'UTF8' locale_provider icu icu_locale 'en' locale 'C'"))
	return s.open(t, name)
}

func (s *Server) open(t *testing.T, template string) *Stage {
	t.Helper()
	ctx := t.Context()
	name := fmt.Sprintf("stage_%d", s.count.Add(1))
	maintenance, err := pgx.Connect(ctx, s.dsn)
	require.NoError(t, err)
	defer maintenance.Close(ctx)
	_, err = maintenance.Exec(ctx, "drop database if exists "+name+" with (force)")
	require.NoError(t, err)
	_, err = maintenance.Exec(ctx, "create database "+name+" template "+template)
	require.NoError(t, err)
	config, err := pgxpool.ParseConfig(s.dsn)
	require.NoError(t, err)
	config.ConnConfig.Database = name
	config.ConnConfig.RuntimeParams["timezone"] = "UTC"
	config.MaxConns = 4
	stage := &Stage{T: t, Ctx: ctx, config: config}
	stage.admin, err = pgx.ConnectConfig(ctx, config.ConnConfig)
	require.NoError(t, err)
	stage.Runtime, stage.DB = stage.Process("worker-1")
	t.Cleanup(func() {
		ctx := context.WithoutCancel(ctx)
		_ = stage.admin.Close(ctx)
		maintenance, err := pgx.Connect(ctx, s.dsn)
		require.NoError(t, err)
		_, err = maintenance.Exec(ctx, "drop database "+name+" with (force)")
		require.NoError(t, err)
		require.NoError(t, maintenance.Close(ctx))
	})
	return stage
}

// Process starts another process of the engine on the same database, as the role of the engine.
func (s *Stage) Process(name string) (*Runtime, *postgres.DB) {
	s.T.Helper()
	s.started++
	rt := NewRuntime(s.started)
	config := s.config.Copy()
	config.ConnConfig.RuntimeParams["role"] = "recon_engine"
	db, err := postgres.Open(s.Ctx, rt, config, postgres.Options{Member: name})
	require.NoError(s.T, err)
	s.T.Cleanup(db.Close)
	return rt, db
}

// Advance moves the database's clock and the first process's monotonic one, and keeps its heart beating.
func (s *Stage) Advance(d time.Duration) {
	s.T.Helper()
	s.Runtime.Advance(d)
	s.Exec("update public.clock set at = at + $1::interval", d)
	_, err := s.DB.Beat(s.Ctx)
	require.NoError(s.T, err)
}

// Exec runs SQL as the superuser.
func (s *Stage) Exec(sql string, args ...any) {
	s.T.Helper()
	_, err := s.admin.Exec(s.Ctx, sql, args...)
	require.NoError(s.T, err, sql)
}

// Text is one row of a query as text, its columns joined by blanks; empty where there is no row.
func (s *Stage) Text(sql string, args ...any) string {
	s.T.Helper()
	rows, err := s.admin.Query(s.Ctx, sql, args...)
	require.NoError(s.T, err, sql)
	defer rows.Close()
	var all []string
	for rows.Next() {
		values, err := rows.Values()
		require.NoError(s.T, err)
		var line []string
		for _, v := range values {
			line = append(line, fmt.Sprint(v))
		}
		all = append(all, strings.Join(line, " "))
	}
	require.NoError(s.T, rows.Err(), sql)
	return strings.Join(all, "\n")
}
