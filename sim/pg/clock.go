package pg

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// recon.now() is the one clock of the product's SQL. Under simulation its body reads the setting recon.sim_now, which the
// gate sets before a flush when virtual time is not what this session was told last. So it keeps its contract: constant
// within a statement, also across a wait for a lock; not within a transaction.

// simulatedNow is exact to the microsecond until the year 2255: up to there, microseconds fit a float's 53 bits.
const simulatedNow = `select timestamptz 'epoch' + current_setting('recon.sim_now')::bigint * interval '1 microsecond'`

// clockPrefix is the message that sets the clock of a session, nil when it is right already or can't be set.
func (s *Sessions) clockPrefix(on *session, f *flush) []byte {
	if on.status == 'E' || f.begins() || f.aborts() {
		return nil
	}
	now := s.kernel().Now().UnixMicro()
	if on.clock == now {
		return nil
	}
	on.clock = now
	s.count(func(c *Counts) { c.Clocks++ })
	return appendQuery(make([]byte, 0, 1024), "SET recon.sim_now='"+strconv.FormatInt(now, 10)+"'")
}

// InstallClock makes a migrated database fit for simulation: recon.now() gets its simulated body and keeps all else, and
// nobody but superusers may any longer call the server's own clocks and chance.
func (s *Sessions) InstallClock(ctx context.Context) error {
	s.forget()
	s.watch.Lock()
	defer s.watch.Unlock()
	if err := s.replaceNow(ctx); err != nil {
		return fmt.Errorf("install the simulated clock in database %s: %w", s.database, err)
	}
	if err := s.revokeClocks(ctx); err != nil {
		return fmt.Errorf("revoke the server's clocks in database %s: %w", s.database, err)
	}
	return nil
}

func (s *Sessions) replaceNow(ctx context.Context) error {
	var volatility, parallel, result string
	var definer, strict bool
	err := s.monitor.QueryRow(ctx, `select provolatile::text, proparallel::text, prosecdef, proisstrict, prorettype::regtype::text
		from pg_proc where oid = to_regprocedure('recon.now()')`).Scan(&volatility, &parallel, &definer, &strict, &result)
	if errors.Is(err, pgx.ErrNoRows) {
		return errors.New("there is no function recon.now(); the migrations make it")
	}
	if err != nil {
		return err
	}
	if volatility != "s" || result != "timestamp with time zone" || definer || strict {
		return fmt.Errorf("recon.now() is volatility %q, returns %s, security definer %t, strict %t; accepted is a stable function that returns timestamptz",
			volatility, result, definer, strict)
	}
	safety := map[string]string{"s": "safe", "r": "restricted", "u": "unsafe"}[parallel]
	replace := "create or replace function recon.now() returns timestamptz language sql stable parallel " + safety + " as " + quoteText(simulatedNow)
	if _, err := s.monitor.Exec(ctx, replace); err != nil {
		return err
	}
	if s.options.SetupTime.IsZero() {
		return nil
	}
	_, err = s.monitor.Exec(ctx, fmt.Sprintf("alter database %s set recon.sim_now = '%d'", quoteName(s.database), s.options.SetupTime.UnixMicro()))
	return err
}

func (s *Sessions) revokeClocks(ctx context.Context) error {
	rows, err := s.monitor.Query(ctx, `select oid::regprocedure::text from pg_proc
		where pronamespace = 'pg_catalog'::regnamespace and proname = any($1) order by 1`, bypassing)
	if err != nil {
		return err
	}
	functions, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for i, f := range functions {
		if !strings.HasPrefix(f, "pg_catalog.") {
			functions[i] = "pg_catalog." + f
		}
	}
	_, err = s.monitor.Exec(ctx, "revoke execute on function "+strings.Join(functions, ", ")+" from public")
	return err
}

// ScanCatalogue looks for the server's clock and chance where no text on the wire would show them: column defaults, check
// constraints, views, and functions of the database's own schemas. Each finding is a line that names the place.
func (s *Sessions) ScanCatalogue(ctx context.Context) ([]string, error) {
	s.watch.Lock()
	defer s.watch.Unlock()
	rows, err := s.monitor.Query(ctx, `
		with own as (select oid, nspname from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema')
		select 'default of ' || nspname || '.' || relname || '.' || attname, pg_get_expr(adbin, adrelid)
			from pg_attrdef join pg_class c on c.oid = adrelid join pg_attribute a on a.attrelid = adrelid and attnum = adnum join own on own.oid = relnamespace
		union all select 'constraint ' || conname || ' of ' || nspname || '.' || relname, pg_get_constraintdef(k.oid)
			from pg_constraint k join pg_class c on c.oid = conrelid join own on own.oid = relnamespace where contype = 'c'
		union all select 'view ' || nspname || '.' || relname, pg_get_viewdef(c.oid)
			from pg_class c join own on own.oid = relnamespace where relkind in ('v', 'm')
		union all select 'function ' || nspname || '.' || proname, coalesce(pg_get_function_sqlbody(p.oid), prosrc)
			from pg_proc p join own on own.oid = pronamespace join pg_language l on l.oid = prolang
			where lanname in ('sql', 'plpgsql') and p.oid is distinct from to_regprocedure('recon.now()')
		order by 1, 2`)
	if err != nil {
		return nil, fmt.Errorf("scan the catalogue of database %s: %w", s.database, err)
	}
	var place, source string
	var found []string
	_, err = pgx.ForEachRow(rows, []any{&place, &source}, func() error {
		for _, tokens := range statements(lex(source)) {
			if why := refuseClock(tokens); why != "" {
				found = append(found, place+": "+why)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("scan the catalogue of database %s: %w", s.database, err)
	}
	return slices.Compact(found), nil
}
