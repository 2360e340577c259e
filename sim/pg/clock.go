package pg

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// recon.now() is the one clock of the product's SQL. Under simulation its body reads the setting recon.sim_now, which the
// gate sets before a flush when virtual time is not what this session was told last. So it keeps its contract: constant
// within a statement, also across a wait for a lock; not within a transaction.

// simulatedNow is exact to the microsecond until the year 2255: up to there, microseconds fit a float's 53 bits.
const simulatedNow = `select timestamptz 'epoch' + current_setting('recon.sim_now')::bigint * interval '1 microsecond'`

// prefix is the message that tells a session what it must know before a flush: how to plan, the server's timeline and whether
// it is read-only where that is not what it was told last, and the clock. nil when all is right already, or can't be set.
func (s *Sessions) prefix(on *session, f *flush) []byte {
	var set []string
	if on.status == 'I' {
		set = s.announce(on)
	}
	if on.status != 'E' && !f.begins() && !f.aborts() {
		if now := s.kernel().ServerNow().UnixMicro(); on.clock != now {
			on.clock = now
			s.count(func(c *Counts) { c.Clocks++ })
			set = append(set, "SET recon.sim_now='"+strconv.FormatInt(now, 10)+"'")
		}
	}
	if set == nil {
		return nil
	}
	return appendQuery(make([]byte, 0, 1024), strings.Join(set, "; "))
}

// announce tells a session outside of a transaction what the server is now.
func (s *Sessions) announce(on *session) (set []string) {
	s.mu.Lock()
	timeline, readOnly := s.run.timeline, s.run.readOnly
	if replan := s.replan(on); replan != "" {
		set = append(set, replan)
	}
	s.mu.Unlock()
	if timeline != max(on.timeline, timelineFirst) {
		on.timeline = timeline
		set = append(set, "SET recon.sim_timeline='"+strconv.Itoa(timeline)+"'")
	}
	if readOnly != on.readOnly {
		on.readOnly = readOnly
		set = append(set, "SET default_transaction_read_only="+map[bool]string{true: "on", false: "off"}[readOnly])
	}
	return set
}

// InstallClock makes a migrated database fit for simulation: recon.now() gets its simulated body and keeps all else, so does
// recon.server_identity() where there is one, and nobody but superusers may any longer call the server's own clocks and chance.
func (s *Sessions) InstallClock(ctx context.Context) error {
	s.forget()
	s.relayout()
	s.watch.Lock()
	defer s.watch.Unlock()
	if err := s.replaceNow(ctx); err != nil {
		return fmt.Errorf("install the simulated clock in database %s: %w", s.database, err)
	}
	if err := s.replaceIdentity(ctx); err != nil {
		return fmt.Errorf("install the simulated identity of the server in database %s: %w", s.database, err)
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

// simulatedIdentity is the same on every server, but for the timeline, which Failover moves on.
const simulatedIdentity = `begin
	system_identifier := 'simulated';
	timeline := coalesce(nullif(current_setting('recon.sim_timeline', true), ''), '1')::integer;
end`

// replaceIdentity gives recon.server_identity(out system_identifier text, out timeline integer) its simulated body: the real
// name of a server is drawn by initdb. A program without it has no identity of a server to ask for.
func (s *Sessions) replaceIdentity(ctx context.Context) error {
	var there bool
	err := s.monitor.QueryRow(ctx, `select exists (select from pg_proc where oid = to_regprocedure('recon.server_identity()')
		and pg_get_function_result(oid) = 'record' and pg_get_function_arguments(oid) = 'OUT system_identifier text, OUT timeline integer')`).Scan(&there)
	if err != nil || !there {
		return err
	}
	_, err = s.monitor.Exec(ctx, "create or replace function recon.server_identity(out system_identifier text, out timeline integer) language plpgsql stable as "+
		quoteText(simulatedIdentity))
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
