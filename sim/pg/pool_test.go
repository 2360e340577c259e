package pg

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/sim"
)

// Cause 4: the pool works in the background.
func TestPool_ACancelRequestFromTheBackgroundIsRefused(t *testing.T) {
	y := openToy(t)
	o := y.run(t, sim.Plain(), acts(func(ctx context.Context, _ *sim.Process, c *pgxpool.Conn) error {
		require.ErrorContains(t, c.Conn().PgConn().CancelRequest(context.Background()), "without a task")
		_, err := askNow(ctx, c)
		return err
	}))
	require.NoError(t, o.err)
	require.Equal(t, 1, o.whats("answer"))
}

func TestPool_ADirtyConnectionIsClosedWhenItIsReleasedAndNotLater(t *testing.T) {
	y := openToy(t)
	var order []string
	o := y.run(t, sim.Plain(), func(k *sim.Kernel, s *Sessions) {
		k.Process("a", -1, func(ctx context.Context, p *sim.Process) error {
			pool, err := s.Pool(ctx, p, "toy", 1)
			if err != nil {
				return err
			}
			conn, err := pool.Acquire(ctx)
			if err != nil {
				return err
			}
			_, err = conn.Exec(ctx, "begin")
			require.NoError(t, err)
			_, err = conn.Exec(ctx, insertOne, 9, 0)
			require.NoError(t, err)
			conn.Release() // in the middle of its transaction
			_, err = pool.Exec(ctx, insertOne, 9, 1)
			require.NoError(t, err, "neither blocked by nor seeing what the dirty one did")
			order = append(order, "done")
			return nil
		})
	})
	require.NoError(t, o.err)
	require.Equal(t, []string{"done"}, order)
	require.Zero(t, o.whats("blocked"))
	require.Equal(t, "1", o.tables["public.account"].Rows[3][1])
}

// Cause 6: the driver's slow-write timer starts a second reader while Write stands at the gate.
func TestPool_AWriteThatStandsLongInRealTimeChangesNothing(t *testing.T) {
	y := openToy(t)
	run := func(pause time.Duration) outcome {
		slow := func(ctx context.Context, p *sim.Process, c *pgxpool.Conn) error {
			for range 3 {
				if _, err := c.Exec(ctx, "-- name: Touch :exec\nupdate account set balance = balance + $1 where id = 1", 1); err != nil {
					return err
				}
				<-time.After(pause) // real time, as a slow machine would take it
			}
			return nil
		}
		return y.run(t, sim.Seeded(7, 0, switches), acts(slow, slow))
	}
	requireSame(t, "with and without pauses", run(0), run(40*time.Millisecond))
}

// Cause 5 and the end of the dead: a program that retries forever without ever sleeping.
func TestPool_ADeadProcessThatRetriesForeverIsEnded(t *testing.T) {
	y := openToy(t)
	o := y.run(t, deviations(t, "a#0/main sql:Now/1 | fault | kill after"), func(k *sim.Kernel, s *Sessions) {
		k.Process("a", -1, func(ctx context.Context, p *sim.Process) error {
			pool, err := s.Pool(ctx, p, "toy", 2)
			if err != nil {
				return err
			}
			for {
				var now time.Time
				if err := pool.QueryRow(ctx, nowQuery).Scan(&now); err == nil {
					return nil
				}
			}
		})
	})
	require.NoError(t, o.err)
	require.Equal(t, 1, o.whats("killed"))
}

func TestPool_AfterACutTheNextCheckOutHasANewConnection(t *testing.T) {
	y := openToy(t)
	var errs []error
	o := y.run(t, deviations(t, "a#0/main sql:Now/2 | fault | cut after", "a#0/main sql:Now/4 | fault | cut before"), func(k *sim.Kernel, s *Sessions) {
		k.Process("a", -1, func(ctx context.Context, p *sim.Process) error {
			pool, err := s.Pool(ctx, p, "toy", 2)
			if err != nil {
				return err
			}
			for range 5 {
				_, err := askNow(ctx, pool)
				errs = append(errs, err)
			}
			return nil
		})
	})
	require.NoError(t, o.err)
	require.Len(t, errs, 5)
	for i, err := range errs {
		require.Equal(t, i == 1 || i == 3, err != nil, "%d: %v", i, err)
	}
	require.False(t, pgconn.SafeToRetry(errs[1]), "it may have happened: nobody may retry blindly")
}

func TestPool_AConnectionLeftInATransactionByItsHolderFailsTheRunAtCheckOut(t *testing.T) {
	y := openToy(t)
	ctx := context.Background()
	k := sim.New(sim.Config{Epoch: toyEpoch, Locks: y.sessions})
	y.sessions.Attach(k)
	acts(func(ctx context.Context, _ *sim.Process, c *pgxpool.Conn) error {
		if _, err := c.Exec(ctx, "begin"); err != nil {
			return err
		}
		ok, err := gate(c.Conn()).checkOut(ctx)
		require.False(t, ok)
		return err
	})(k, y.sessions)
	_ = k.Run(ctx, time.Minute)
	require.ErrorContains(t, y.sessions.Err(), "in the middle of a transaction")
	k.Close()
	y.sessions.Detach()
}

func TestPool_ARollbackDeferredWithoutTheTasksContextIsStillTheTasks(t *testing.T) {
	y := openToy(t)
	o := y.run(t, sim.Plain(), acts(func(ctx context.Context, p *sim.Process, c *pgxpool.Conn) error {
		short, cancel := p.WithTimeout(ctx, time.Second)
		defer cancel()
		tx, err := c.Begin(short)
		if err != nil {
			return err
		}
		_ = p.Sleep(ctx, time.Minute)
		_, err = tx.Exec(short, "select 1")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		return tx.Rollback(context.Background())
	}))
	require.NoError(t, o.err)
	require.Equal(t, 2, o.whats("answer"))
}

func TestPool_TracersAndHooksOfTheProgramStay(t *testing.T) {
	y := openToy(t)
	asked, prepared := 0, 0
	o := y.run(t, sim.Plain(), func(k *sim.Kernel, s *Sessions) {
		k.Process("a", -1, func(ctx context.Context, p *sim.Process) error {
			config, err := pgxpool.ParseConfig("host=elsewhere user=nobody dbname=nothing pool_min_conns=3")
			require.NoError(t, err)
			config.ConnConfig.Tracer = counting{&asked}
			config.PrepareConn = func(context.Context, *pgx.Conn) (bool, error) { prepared++; return true, nil }
			s.Configure(config, p, "toy")
			pool, err := pgxpool.NewWithConfig(ctx, config)
			require.NoError(t, err)
			_, err = askNow(ctx, pool)
			return err
		})
	})
	require.NoError(t, o.err)
	require.Equal(t, 1, asked)
	require.Equal(t, 1, prepared)
}

type counting struct{ n *int }

func (c counting) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	*c.n++
	return ctx
}
func (c counting) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// Cause 10 and the warm sessions: what one life left in its session, the next does not find.
func TestSession_ARecycledOneIsAsGoodAsNew(t *testing.T) {
	y := openToy(t)
	look := func(got *[]string) program {
		return acts(func(ctx context.Context, _ *sim.Process, c *pgxpool.Conn) error {
			return c.QueryRow(ctx, `select array[current_user::text, session_user::text, current_setting('search_path'), current_setting('application_name'),
				coalesce(current_setting('toy.x', true), ''), coalesce(to_regclass('pg_temp.t')::text, ''), (select count(*)::text from pg_locks where locktype = 'advisory'), (select count(*)::text from pg_cursors)]`).Scan(got)
		})
	}
	var before, after []string
	require.NoError(t, y.run(t, sim.Plain(), look(&before)).err)
	o := y.run(t, sim.Plain(), acts(func(ctx context.Context, _ *sim.Process, c *pgxpool.Conn) error {
		for _, sql := range []string{"select pg_advisory_lock(1)", "set search_path = recon", "set application_name = 'x'", "set toy.x = '1'",
			"create temp table t (a int primary key)", "declare c cursor with hold for select 1", "set role none"} {
			if _, err := c.Exec(ctx, sql); err != nil {
				return errors.New(sql + ": " + err.Error())
			}
		}
		return nil
	}))
	require.NoError(t, o.err)
	require.NoError(t, y.run(t, sim.Plain(), look(&after)).err)
	require.Equal(t, "toy", before[0])
	require.Equal(t, "postgres", before[1])
	require.Equal(t, before, after)
	require.Len(t, y.idle(), 1, "all three runs shared one session")
}

// idle are the warm sessions.
func (y *toy) idle() (all []*session) {
	for _, list := range y.sessions.idle {
		all = append(all, list...)
	}
	return all
}

// What a backend knows is made once a run: connections outside of a transaction share sessions.
func TestSession_ConnectionsShareWhatNoneHasATransactionIn(t *testing.T) {
	y := openToy(t)
	asks := func(ctx context.Context, p *sim.Process, c *pgxpool.Conn) error {
		for range 5 {
			if _, err := askNow(ctx, c); err != nil {
				return err
			}
			_ = p.Sleep(ctx, time.Second)
		}
		return nil
	}
	require.NoError(t, y.run(t, sim.Plain(), acts(asks, asks, asks, asks)).err)
	require.Len(t, y.idle(), 1)
	inTx := func(ctx context.Context, p *sim.Process, c *pgxpool.Conn) error {
		return pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
			_, err := askNow(ctx, tx)
			_ = p.Sleep(ctx, time.Second)
			return err
		})
	}
	require.NoError(t, y.run(t, sim.Plain(), acts(inTx, inTx, asks)).err)
	require.Len(t, y.idle(), 3, "each transaction has its own")
}

func TestSession_AConnectionThatLeftSomethingInItsSessionKeepsIt(t *testing.T) {
	y := openToy(t)
	setting := func(value string) act {
		return func(ctx context.Context, p *sim.Process, c *pgxpool.Conn) error {
			if _, err := c.Exec(ctx, "set toy.x = '"+value+"'"); err != nil {
				return err
			}
			for range 3 {
				_ = p.Sleep(ctx, time.Second)
				var got string
				if err := c.QueryRow(ctx, "select coalesce(current_setting('toy.x', true), '')").Scan(&got); err != nil {
					return err
				}
				require.Equal(t, value, got)
			}
			return nil
		}
	}
	require.NoError(t, y.run(t, sim.Plain(), acts(setting("1"), setting("2"))).err)
	for sql, want := range map[string]bool{
		"set x.y = 1": true, "set session x.y = 1": true, "set local x.y = 1": false, "set transaction read only": false,
		"select set_config('x.y', '1', false)": true, "select pg_advisory_lock(1)": true, "select pg_try_advisory_lock_shared(1)": true,
		"select pg_advisory_xact_lock(1)": false, "create temp table t (a int)": true, "declare c cursor with hold for select 1": true,
		"do $$ begin end $$": true, "update t set a = 1": false, "select 1; set x.y = 1": true,
	} {
		require.Equal(t, want, readStatement(sql).keeps, sql)
	}
}
