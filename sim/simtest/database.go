package simtest

import (
	"context"
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/recondrill/recondrill/sim/pg"
)

// appRole is whom the program's connections act as: the owner of its database and no superuser, so that the server's
// own clocks can be taken from it.
const appRole = "recondrill_app"

// shadowed are the clocks of the server that the database has functions of its own for, found before pg_catalog's.
var shadowed = []string{"now", "transaction_timestamp", "statement_timestamp", "clock_timestamp"}

// clocks makes recon.now(), which the gate replaces by the simulated one, and in schema simulated the functions that
// unqualified calls of the server's clocks find. now() is constant within a transaction, from its first call.
const clocks = `
create schema if not exists recon;
create or replace function recon.now() returns timestamptz language sql stable as 'select pg_catalog.statement_timestamp()';
create schema simulated;
create function simulated.now() returns timestamptz language sql stable as $$
	select coalesce(nullif(current_setting('simulated.began', true), ''), set_config('simulated.began', recon.now()::text, true))::timestamptz $$;
create function simulated.transaction_timestamp() returns timestamptz language sql stable as 'select simulated.now()';
create function simulated.statement_timestamp() returns timestamptz language sql stable as 'select recon.now()';
create function simulated.clock_timestamp() returns timestamptz language sql stable as 'select recon.now()';
grant usage on schema recon, simulated to public;
`

// prepare makes the database.
func (b *Bench) prepare(ctx context.Context) error {
	name := "recondrill_" + strings.ToLower(rand.Text()) // tests of one name may run at a time, and no run sees it
	if err := b.server.CreateDatabase(ctx, name); err != nil {
		return err
	}
	b.database = name
	if err := b.migrate(ctx); err != nil {
		return err
	}
	config, err := pgx.ParseConfig(b.server.ConnString(name))
	if err != nil {
		return err
	}
	config.RuntimeParams["default_transaction_read_only"] = "on"
	config.RuntimeParams["statement_timeout"] = "20s"
	config.RuntimeParams["timezone"] = "UTC"
	if b.checks, err = pgx.ConnectConfig(ctx, config); err != nil {
		return err
	}
	if b.sessions, err = pg.NewSessions(b.server, name, pg.SessionOptions{SetupTime: epoch, Shadowed: shadowed, CommitLate: b.program.Durations}); err != nil {
		return err
	}
	if err := b.sessions.InstallClock(ctx); err != nil {
		return err
	}
	found, err := b.sessions.ScanCatalogue(ctx)
	if err != nil {
		return err
	}
	if len(found) > 0 {
		return fmt.Errorf("the schema reads the server's own clock or chance, so no run of it would replay:\n\t%s", strings.Join(found, "\n\t"))
	}
	return b.sessions.Snapshot(ctx)
}

// migrate runs the schema as the program's role.
func (b *Bench) migrate(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, b.server.ConnString(b.database))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	exec := func(what, sql string) error {
		if err := conn.PgConn().Exec(ctx, sql).Close(); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		return nil
	}
	if err := exec("clocks", clocks); err != nil {
		return err
	}
	quoted := pgx.Identifier{b.database}.Sanitize()
	path := `"$user", public, simulated, pg_catalog` // what is created goes to the first
	if err := exec("search path", fmt.Sprintf("alter database %s set search_path = %s; set search_path = %s; set recon.sim_now = '%d'", quoted, path, path, epoch.UnixMicro())); err != nil {
		return err
	}
	var super bool
	if err := conn.QueryRow(ctx, "select rolsuper from pg_roles where rolname = current_user").Scan(&super); err != nil {
		return err
	}
	if super { // else the program acts as whom the DSN names, who is no superuser
		b.role = appRole
		own := fmt.Sprintf(`do $$ begin create role %[1]s nologin; exception when duplicate_object or unique_violation then null; end $$;
			alter database %[2]s owner to %[1]s; alter schema public owner to %[1]s; set role %[1]s`, appRole, quoted)
		if err := exec("role", own); err != nil {
			return err
		}
	}
	if err := exec("Program.Schema", b.program.Schema); err != nil {
		return err
	}
	if err := b.migrateByItself(ctx); err != nil {
		return fmt.Errorf("Program.Migrate: %w", err)
	}
	return exec("defaults of columns", defaults)
}

// migrateByItself gives the program's migration tool a pool as the program's role.
func (b *Bench) migrateByItself(ctx context.Context) error {
	if b.program.Migrate == nil {
		return nil
	}
	config, err := pgxpool.ParseConfig(b.server.ConnString(b.database))
	if err != nil {
		return err
	}
	if b.role != "" {
		config.ConnConfig.RuntimeParams["role"] = b.role
	}
	config.ConnConfig.RuntimeParams["recon.sim_now"] = strconv.FormatInt(epoch.UnixMicro(), 10)
	db, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return err
	}
	defer db.Close()
	return b.program.Migrate(ctx, db)
}

// defaults gives columns whose default is one of the clocks that no schema can shadow the simulated one.
const defaults = `do $$ declare d record; begin
	for d in select c.oid::regclass as of, quote_ident(attname) as name, pg_get_expr(adbin, adrelid) as expression
		from pg_attrdef join pg_class c on c.oid = adrelid join pg_attribute on attrelid = adrelid and attnum = adnum
		where pg_get_expr(adbin, adrelid) ~ '^(CURRENT_TIMESTAMP|LOCALTIMESTAMP)$' loop
		execute format('alter table %s alter column %s set default simulated.now()', d.of, d.name);
	end loop;
end $$`
