package pg

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/sim"
)

func TestRefuse_NamesWhatWouldLeaveTheSimulation(t *testing.T) {
	for _, sql := range []string{
		"select CURRENT_TIMESTAMP",
		"insert into t (at) values (LocalTimestamp)",
		"select * from t where d < current_date",
		"select 'now'::timestamptz",
		"insert into t values ('now')",
		"select timestamp 'today'",
		"select 'tomorrow'::date",
		"select cast('yesterday' as timestamptz)",
		"select now()",
		"select pg_catalog.clock_timestamp()",
		"select gen_random_uuid()",
		"select pg_sleep(1)",
		"set lock_timeout = '1s'",
		"SET LOCAL statement_timeout TO 100",
		"reset client_min_messages",
		"select set_config('deadlock_timeout', '1s', true)",
		"alter role toy set idle_in_transaction_session_timeout = 5",
		"set recon.sim_now = '1'",
		"select set_config('recon.sim_now', '1', false)",
		"begin isolation level serializable",
		"begin transaction deferrable",
		"set transaction isolation level serializable",
		"set default_transaction_isolation = 'serializable'; select 1",
		"copy t from '/tmp/x'",
		"copy t from program 'cat'",
		"copy (select 1) to '/tmp/x'",
		"select 1; listen x",
		"notify x",
		"select pg_notify('x', 'y')",
		"prepare x as select 1",
		"deallocate all",
		"discard all",
		"vacuum t",
		"analyze",
		"set session authorization toy",
		"/* a comment */ -- another\n copy t to stdout",
		"set local \"lock_timeout\" = 5",
		"set session statement_timeout = 5",
		"select set_config($1, '5', true)",
		"update pg_settings set setting = '5' where name = 'statement_timeout'",
		"alter database d set transaction_timeout = 5",
		"alter system set deadlock_timeout = 5",
		"create function f() returns int language sql set lock_timeout = 5 as 'select 1'",
		"create function f() returns void language plpgsql as $$ begin set local lock_timeout = 5; end $$",
		"create function f() returns void language plpgsql as $$ begin if true then notify x; end if; end $$",
		"do $$ begin perform set_config('lock_timeout', '5', true); end $$",
		"do $$ begin perform pg_notify('x', ''); end $$",
		"select set_config('default_transaction_isolation', 'serializable', false)",
		"alter role toy set default_transaction_isolation = 'serializable'",
	} {
		s := readStatement(sql)
		require.NotNil(t, s.refused, sql)
		require.Contains(t, s.refused.Error(), "accepted", sql)
	}
}

func TestRefuse_LeavesAloneWhatOnlyLooksLikeIt(t *testing.T) {
	for _, sql := range []string{
		"select recon.now()",
		"select t.current_date from t",
		`select "now" from t`,
		"select 'do it now, not later'",
		"insert into t values ('today')",
		"insert into t values ('it''s now()')",
		"select $1::text -- now()",
		"select /* current_timestamp /* nested */ now() */ 1",
		"create function f() returns int language sql as $$ select 1 -- copy $$",
		"select set_config('work_mem', $1, true)",
		"copy t from stdin",
		"copy recon.t (a, b) from stdin binary",
		"copy (select a, (b) from t order by a) to stdout",
		"create function f() returns void language plpgsql as $$ begin insert into notify values (1); end $$",
		"begin isolation level repeatable read read only not deferrable",
		"set constraints all deferred",
		"create table t (a int references b deferrable initially deferred)",
		"set local search_path = recon",
		"update t set state = 'serializable'",
		"update lock_timeout_log set copy = 1",
		"select e'it\\'s now' from t",
	} {
		require.Nil(t, readStatement(sql).refused, sql)
	}
}

func TestRefuse_ARefusedStatementIsAFailureOfTheRunWhateverTheProgramMakesOfIt(t *testing.T) {
	y := openToy(t)
	ctx := context.Background()
	require.NoError(t, y.sessions.Reset(ctx))
	for _, sql := range []string{"select current_timestamp", "set lock_timeout = 5"} {
		k := sim.New(sim.Config{Epoch: toyEpoch, Locks: y.sessions})
		y.sessions.Attach(k)
		var got error
		acts(func(ctx context.Context, p *sim.Process, c *pgxpool.Conn) error {
			_, got = c.Exec(ctx, sql)
			return nil // swallowed
		})(k, y.sessions)
		_ = k.Run(ctx, 0)
		var refused *RefusedStatementError
		require.ErrorAs(t, got, &refused)
		require.ErrorAs(t, y.sessions.Err(), &refused)
		require.Equal(t, sql, refused.SQL)
		k.Close()
		y.sessions.Detach()
	}
}

// The server's clock behind a default, a trigger or a function does not show on the wire; the role may not call it.
func TestRefuse_AClockHiddenInADefaultFailsForTheEnginesRole(t *testing.T) {
	y := openToy(t)
	ctx := context.Background()
	_, err := y.sessions.monitor.Exec(ctx, `create table public.stamped (id int primary key, at timestamptz default clock_timestamp(), u text default 'x' || random(),
		d date default current_date, check (at < current_timestamp)); grant all on public.stamped to toy;
		create function public.f() returns timestamptz language plpgsql as $$ begin return now(); end $$`)
	require.NoError(t, err)
	found, err := y.sessions.ScanCatalogue(ctx)
	require.NoError(t, err)
	require.Len(t, found, 5, "%v", found)
	require.NoError(t, y.sessions.Snapshot(ctx))
	k := sim.New(sim.Config{Epoch: toyEpoch, Locks: y.sessions})
	y.sessions.Attach(k)
	var got error
	acts(func(ctx context.Context, p *sim.Process, c *pgxpool.Conn) error {
		_, got = c.Exec(ctx, "insert into stamped (id) values ($1)", 1)
		return nil
	})(k, y.sessions)
	_ = k.Run(ctx, 0)
	require.Equal(t, "42501", sqlState(got))
	require.ErrorContains(t, y.sessions.Err(), "clock_timestamp")
	k.Close()
	y.sessions.Detach()
}

func TestRefuse_AClientThatSetsATimerAtItsStart(t *testing.T) {
	for _, c := range []struct {
		name, value string
		refused     bool
	}{
		{"statement_timeout", "5s", true},
		{"lock_timeout", "1", true},
		{"options", "-c statement_timeout=5 -c geqo=off", true},
		{"options", "-cstatement_timeout=5", true},
		{"options", "--idle-in-transaction-session-timeout=5", true},
		{"options", "-c default_transaction_isolation=serializable", true},
		{"default_transaction_isolation", "serializable", true},
		{"default_transaction_isolation", "repeatable read", false},
		{"options", "-c geqo=off -c default_transaction_isolation=repeatable\\ read", false},
		{"application_name", "statement_timeout", false},
		{"search_path", "toy", false},
	} {
		err := refuseStartup(startup{settings: c.name + "\x00" + c.value}, permits{})
		require.Equal(t, c.refused, err != nil, "%s=%s: %v", c.name, c.value, err)
	}
}

// Such a client's run proves nothing.
func TestRefuse_AStartUpParameterFailsTheRun(t *testing.T) {
	y := openToy(t)
	ctx := context.Background()
	k := sim.New(sim.Config{Epoch: toyEpoch, Locks: y.sessions})
	y.sessions.Attach(k)
	k.Process("a", -1, func(ctx context.Context, p *sim.Process) error {
		config := y.sessions.pool.Copy()
		config.ConnConfig.RuntimeParams["statement_timeout"] = "5000"
		y.sessions.Configure(config, p, "toy")
		pool, err := pgxpool.NewWithConfig(ctx, config)
		if err != nil {
			return err
		}
		_, err = pool.Exec(ctx, "select 1")
		return err
	})
	_ = k.Run(ctx, 0)
	k.Close()
	y.sessions.Detach()
	var refused *RefusedStatementError
	require.ErrorAs(t, y.sessions.Err(), &refused)
	require.Contains(t, refused.Error(), "statement_timeout=5000")
}

func TestScan_FindsWhatNoTextOnTheWireShows(t *testing.T) {
	y := openToy(t)
	ctx := context.Background()
	found, err := y.sessions.ScanCatalogue(ctx)
	require.NoError(t, err)
	require.Empty(t, found)
	require.NoError(t, y.sessions.ask(func(ctx context.Context) error {
		_, err := y.sessions.monitor.Exec(ctx, `
			create table clocked (id int primary key, at timestamptz default now());
			create function timed() returns int language sql set lock_timeout = 5 as 'select 1';
			create function quick() returns void language plpgsql as $$ begin set local statement_timeout = 5; end $$;
			create function loud() returns trigger language plpgsql as $$ begin perform pg_notify('x', ''); return null; end $$;
			alter role toy set statement_timeout = '5s';
			alter database toy set default_transaction_isolation = 'serializable'`)
		return err
	}))
	found, err = y.sessions.ScanCatalogue(ctx)
	require.NoError(t, err)
	require.Len(t, found, 6)
	for i, place := range []string{"default of public.clocked.at", "function public.loud", "function public.quick", "database toy", "function public.timed", "role toy"} {
		require.Contains(t, found[i], place+": ")
		require.Contains(t, found[i], "accepted")
	}
}
