package pg

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/sim"
)

// lostCommit: a's COMMIT gets no answer; a asks again under a lock what became of it, over a new connection.
func lostCommit(commitErr *error, read *int64, at *time.Duration) program {
	return func(k *sim.Kernel, s *Sessions) {
		k.Process("a", -1, func(ctx context.Context, p *sim.Process) error {
			pool, err := s.Pool(ctx, p, "toy", 2)
			if err != nil {
				return err
			}
			*commitErr = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
				_, err := tx.Exec(ctx, "-- name: Pay :exec\nupdate account set balance = balance - $1 where id = 1", 30)
				return err
			})
			err = pool.AcquireFunc(ctx, func(c *pgxpool.Conn) error {
				return c.QueryRow(ctx, "-- name: ReadBack :one\nselect balance from account where id = $1 for update", 1).Scan(read)
			})
			*at = p.Mono()
			return err
		})
	}
}

func TestLate_ACommitThatLandsAfterTheReconnectHoldsItsLocksUntilThen(t *testing.T) {
	y := openToy(t)
	for range 5 {
		var lost error
		var balance int64
		var at time.Duration
		o := y.run(t, deviations(t, "a#0/main sql:commit/1 | fault | commit late 100s"), lostCommit(&lost, &balance, &at))
		require.NoError(t, o.err)
		require.Error(t, lost)
		require.False(t, pgconn.SafeToRetry(lost))
		require.EqualValues(t, 70, balance, "read under the lock, so after the COMMIT")
		require.Equal(t, 100*time.Second, at)
		require.Equal(t, 1, o.whats("landed"))
	}
}

func TestLate_ACommitCutBeforeIsNeverAndCutAfterIsAlready(t *testing.T) {
	y := openToy(t)
	for value, want := range map[string]int64{"cut before": 100, "cut after": 70} {
		var lost error
		var balance int64
		var at time.Duration
		o := y.run(t, deviations(t, "a#0/main sql:commit/1 | fault | "+value), lostCommit(&lost, &balance, &at))
		require.NoError(t, o.err)
		require.Error(t, lost)
		require.Equal(t, want, balance, value)
	}
}

func TestLate_AHealedRunLandsWhatIsStillToCome(t *testing.T) {
	y := openToy(t)
	o := y.run(t, deviations(t, "a#0/main sql:commit/1 | fault | commit late 100h"), func(k *sim.Kernel, s *Sessions) {
		var lost error
		var balance int64
		var at time.Duration
		lostCommit(&lost, &balance, &at)(k, s)
	})
	require.NoError(t, o.err)
	require.Equal(t, "70", o.tables["public.account"].Rows[0][1])
}

func TestLate_ARunThatEndsBeforeALateCommitLeavesNoLockBehind(t *testing.T) {
	y := openToy(t)
	ctx := context.Background()
	require.NoError(t, y.sessions.Reset(ctx))
	k := sim.New(sim.Config{Epoch: toyEpoch, Locks: y.sessions, Decider: deviations(t, "a#0/main sql:commit/1 | fault | commit late 100h")})
	y.sessions.Attach(k)
	var lost error
	var balance int64
	var at time.Duration
	lostCommit(&lost, &balance, &at)(k, y.sessions)
	require.NoError(t, k.Run(ctx, time.Hour))
	require.Equal(t, 1, len(k.History().Used))
	k.Close()
	y.sessions.Detach()
	require.NoError(t, y.sessions.Reset(ctx), "the locks are free")
}

func TestLate_AStatementOfADeadProcessStillHappens(t *testing.T) {
	y := openToy(t)
	o := y.run(t, deviations(t, "a#0/main sql:Pay/1 | fault | late statement"), acts(func(ctx context.Context, p *sim.Process, c *pgxpool.Conn) error {
		_, err := c.Exec(ctx, "-- name: Pay :exec\nupdate account set balance = balance - $1 where id = 1", 30)
		return err
	}))
	require.NoError(t, o.err)
	require.Equal(t, 1, o.whats("killed"))
	require.Equal(t, 1, o.whats("landed"))
	require.Equal(t, "70", o.tables["public.account"].Rows[0][1])
}

func TestLate_AStatementInsideATransactionOfADeadProcessIsRolledBack(t *testing.T) {
	y := openToy(t)
	o := y.run(t, deviations(t, "a#0/main sql:Pay/1 | fault | late statement"), acts(func(ctx context.Context, p *sim.Process, c *pgxpool.Conn) error {
		return pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, "-- name: Pay :exec\nupdate account set balance = balance - $1 where id = 1", 30)
			return err
		})
	}))
	require.NoError(t, o.err)
	require.Equal(t, 1, o.whats("landed"))
	require.Equal(t, "100", o.tables["public.account"].Rows[0][1])
}

// What is offered where: nothing late of a statement that changes nothing, a late COMMIT only where a transaction is open.
func TestLate_IsOfferedOnlyWhereItMakesADifference(t *testing.T) {
	late := func(sql string, status byte) (statement, commit bool) {
		f := &flush{executes: []execution{{statement: readStatement(sql)}}}
		for _, o := range f.offers(status, newOffered(nil, []time.Duration{2 * time.Second})) {
			statement = statement || o.Value.String() == "late statement"
			commit = commit || o.Value.String() == "commit late 2s"
		}
		return statement, commit
	}
	for _, c := range []struct {
		sql               string
		status            byte
		statement, commit bool
	}{
		{"begin", 'I', false, false},
		{"rollback", 'T', false, false},
		{"commit", 'T', true, true},
		{"commit", 'I', false, false},
		{"commit", 'E', false, false},
		{"select 1 from account", 'I', false, false},
		{"select 1 from account for update", 'T', true, false},
		{"select recon.claim($1)", 'I', true, false},
		{"with c as (select 1) update account set balance = 1", 'I', true, false},
		{"update account set balance = 1", 'T', true, false},
		{"update account set balance = 1", 'E', false, false},
	} {
		statement, commit := late(c.sql, c.status)
		require.Equal(t, c.statement, statement, "%s in %c", c.sql, c.status)
		require.Equal(t, c.commit, commit, "%s in %c", c.sql, c.status)
	}
}

// The answer is on its way while the transaction stays open: it holds its locks, and its client learns late.
func TestLate_AnAnswerThatArrivesLateHoldsItsTransactionOpen(t *testing.T) {
	y := openToy(t)
	var paid, read time.Duration
	var got error
	program := func(deadline time.Duration) program {
		return acts(func(ctx context.Context, p *sim.Process, c *pgxpool.Conn) error {
			short, cancel := p.WithTimeout(ctx, deadline)
			defer cancel()
			got = pgx.BeginFunc(short, c, func(tx pgx.Tx) error {
				_, err := tx.Exec(short, "-- name: Pay :exec\nupdate account set balance = balance - $1 where id = 1", 30)
				paid = p.Mono()
				return err
			})
			return nil
		}, func(ctx context.Context, p *sim.Process, c *pgxpool.Conn) error {
			if err := p.Sleep(ctx, time.Second); err != nil {
				return err
			}
			_, err := c.Exec(ctx, give, 10)
			read = p.Mono()
			return err
		})
	}
	const late = "a#0/main sql:Pay/1 | fault | answer late 45s"
	o := y.same(t, program(time.Minute), late)
	require.NoError(t, got)
	require.Equal(t, 45*time.Second, paid)
	require.Equal(t, 45*time.Second, read, "the lock was held until then")
	require.Equal(t, "80", o.balance())

	o = y.same(t, program(20*time.Second), late)
	require.ErrorIs(t, got, context.DeadlineExceeded)
	require.Equal(t, 20*time.Second, paid)
	require.Equal(t, 20*time.Second, read, "a client that gives up takes its transaction with it")
	require.Equal(t, "110", o.balance())

	o = y.same(t, program(time.Minute), late, "a#0/main sleep/1 | fault | kill before")
	require.Equal(t, "110", o.balance())
}

// A statement of no transaction was committed when its client gave up: as with "completes anyway", nobody told it so.
func TestLate_AnAnswerThatNobodyWaitsForAnyMoreIsOfSomethingDone(t *testing.T) {
	y := openToy(t)
	var gaveUp time.Duration
	var got error
	o := y.same(t, acts(func(ctx context.Context, p *sim.Process, c *pgxpool.Conn) error {
		short, cancel := p.WithTimeout(ctx, 20*time.Second)
		defer cancel()
		_, got = c.Exec(short, "-- name: Pay :exec\nupdate account set balance = balance - $1 where id = 1", 30)
		gaveUp = p.Mono()
		return nil
	}, func(context.Context, *sim.Process, *pgxpool.Conn) error { return nil }), "a#0/main sql:Pay/1 | fault | answer late 45s")
	require.ErrorIs(t, got, context.DeadlineExceeded)
	require.False(t, pgconn.SafeToRetry(got))
	require.Equal(t, 20*time.Second, gaveUp)
	require.Equal(t, "70", o.balance())
}
