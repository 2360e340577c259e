package pg

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/sim"
)

const nowQuery = "-- name: Now :one\nselect recon.now()"

func askNow(ctx context.Context, q interface {
	QueryRow(context.Context, string, ...any) pgx.Row
}) (at time.Duration, err error) {
	var now time.Time
	err = q.QueryRow(ctx, nowQuery).Scan(&now)
	return now.Sub(toyEpoch), err
}

func TestClock_ReplacesTheBodyAndKeepsAllElse(t *testing.T) {
	y := openToy(t)
	ctx := context.Background()
	const facts = `select proowner::regrole || ' ' || pg_get_function_identity_arguments(oid) || ' ' || prorettype::regtype || ' ' || provolatile::text || ' ' || prosecdef
		|| ' ' || proparallel::text || ' ' || proisstrict || ' ' || coalesce(proacl::text, '-') from pg_proc where oid = 'recon.now()'::regprocedure`
	m := y.sessions.monitor
	_, err := m.Exec(ctx, `create role keeper; alter function recon.now() owner to keeper; grant execute on function recon.now() to toy;
		grant usage on schema recon to keeper; create or replace function recon.now() returns timestamptz language sql stable parallel safe as 'select statement_timestamp()'`)
	require.NoError(t, err)
	before := query(t, y.server.ConnString("toy"), facts)
	require.NoError(t, y.sessions.InstallClock(ctx))
	require.Equal(t, before, query(t, y.server.ConnString("toy"), facts))
	_, err = m.Exec(ctx, "drop function recon.now() cascade; create function recon.now() returns timestamptz language sql as 'select clock_timestamp()'")
	require.NoError(t, err)
	require.ErrorContains(t, y.sessions.InstallClock(ctx), "volatility")
	_, err = m.Exec(ctx, "drop function recon.now()")
	require.NoError(t, err)
	require.ErrorContains(t, y.sessions.InstallClock(ctx), "no function recon.now()")
}

func TestClock_MovesWithinATransactionAndIsNeverWhatARollbackBroughtBack(t *testing.T) {
	y := openToy(t)
	var got []time.Duration
	note := func(at time.Duration, err error) error {
		got = append(got, at)
		return err
	}
	o := y.run(t, sim.Plain(), acts(func(ctx context.Context, p *sim.Process, c *pgxpool.Conn) error {
		if err := note(askNow(ctx, c)); err != nil {
			return err
		}
		_ = p.Sleep(ctx, time.Second)
		tx, err := c.Begin(ctx)
		if err != nil {
			return err
		}
		if err := note(askNow(ctx, tx)); err != nil {
			return err
		}
		_ = p.Sleep(ctx, time.Second)
		if err := note(askNow(ctx, tx)); err != nil {
			return err
		}
		if err := tx.Rollback(ctx); err != nil { // takes both settings back
			return err
		}
		if err := note(askNow(ctx, c)); err != nil {
			return err
		}
		tx, err = c.Begin(ctx)
		if err != nil {
			return err
		}
		_ = p.Sleep(ctx, time.Second)
		_, err = tx.Exec(ctx, "select 1/$1::int", 0) // its setting goes with the failed transaction
		require.Equal(t, "22012", sqlState(err))
		_, err = tx.Exec(ctx, "select 1")
		require.Equal(t, "25P02", sqlState(err), "in a failed transaction nothing is set")
		if err := tx.Rollback(ctx); err != nil {
			return err
		}
		return note(askNow(ctx, c))
	}))
	require.NoError(t, o.err)
	require.Equal(t, []time.Duration{0, time.Second, 2 * time.Second, 2 * time.Second, 3 * time.Second}, got)
	require.Equal(t, 1, o.whats("ended"))
}

func TestClock_IsTheStatementsArrivalAlsoAfterAWait(t *testing.T) {
	y := openToy(t)
	var arrived, landed time.Duration
	o := y.run(t, sim.Plain(), acts(func(ctx context.Context, p *sim.Process, c *pgxpool.Conn) error {
		return pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, insertOne, 9, 0)
			_ = p.Sleep(ctx, time.Minute)
			return err
		})
	}, func(ctx context.Context, p *sim.Process, c *pgxpool.Conn) error {
		_ = p.Sleep(ctx, time.Second)
		var now time.Time
		err := c.QueryRow(ctx, "insert into account values (9, $1) on conflict (id) do update set balance = 5 returning recon.now()", 1).Scan(&now)
		arrived, landed = now.Sub(toyEpoch), p.Mono()
		return err
	}))
	require.NoError(t, o.err)
	require.Equal(t, time.Second, arrived)
	require.Equal(t, time.Minute, landed)
}

func TestClock_IsSetOnlyWhenTimeMoved(t *testing.T) {
	y := openToy(t)
	o := y.run(t, sim.Plain(), acts(func(ctx context.Context, p *sim.Process, c *pgxpool.Conn) error {
		for range 10 {
			if _, err := askNow(ctx, c); err != nil {
				return err
			}
		}
		_ = p.Sleep(ctx, time.Second)
		_, err := askNow(ctx, c)
		return err
	}))
	require.NoError(t, o.err)
	require.Equal(t, 2, y.sessions.Counts().Clocks)
}

func TestClock_OutsideOfTheGateItSaysTheTimeOfTheSetUpOrFails(t *testing.T) {
	y := openToy(t)
	ctx := context.Background()
	conn := connect(t, y.server.ConnString("toy"))
	defer conn.Close(ctx)
	_, err := askNow(ctx, conn)
	require.ErrorContains(t, err, "recon.sim_now")
	y.sessions.options.SetupTime = toyEpoch.Add(-time.Hour)
	require.NoError(t, y.sessions.InstallClock(ctx))
	later := connect(t, y.server.ConnString("toy"))
	defer later.Close(ctx)
	at, err := askNow(ctx, later)
	require.NoError(t, err)
	require.Equal(t, -time.Hour, at)
}
