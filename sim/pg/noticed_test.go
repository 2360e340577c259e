package pg

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/sim"
)

// same runs a script twice and requires the same.
func (y *toy) same(t *testing.T, p program, lines ...string) outcome {
	t.Helper()
	d := deviations(t, lines...)
	o := y.run(t, d, p)
	require.NoError(t, o.err)
	require.Empty(t, d.Unused(), "every line met something")
	requireSame(t, "again", o, y.run(t, deviations(t, lines...), p))
	return o
}

const give = "-- name: Give :exec\nupdate account set balance = balance + $1 where id = 1"

// holder changes row 1 in a transaction that stays open for a minute.
func holder(ctx context.Context, p *sim.Process, c *pgxpool.Conn) error {
	return pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "-- name: Hold :exec\nupdate account set balance = balance + $1 where id = 1", 1); err != nil {
			return err
		}
		return p.Sleep(ctx, time.Minute)
	})
}

// giver wants that row a second later, by a statement that commits by itself.
func giver(at *time.Duration, got *error) act {
	return func(ctx context.Context, p *sim.Process, c *pgxpool.Conn) error {
		if err := p.Sleep(ctx, time.Second); err != nil {
			return err
		}
		_, *got = c.Exec(ctx, give, 10)
		*at = p.Mono()
		return nil
	}
}

func (o outcome) balance() string { return o.tables["public.account"].Rows[0][1] }

func TestNoticed_TheLocksOfADeadClientLinger(t *testing.T) {
	y := openToy(t)
	for noticed, want := range map[string]time.Duration{"": 60 * time.Second, "2s": 62 * time.Second, "100s": 160 * time.Second} {
		var at time.Duration
		var err error
		lines := []string{"a#0/main sql:commit/1 | fault | kill before"}
		if noticed != "" {
			lines = append(lines, "a#0 noticed/1 | latency | "+noticed)
		}
		o := y.same(t, acts(holder, giver(&at, &err)), lines...)
		require.NoError(t, err)
		require.Equal(t, want, at, noticed)
		require.Equal(t, "110", o.balance(), "what the dead one had not committed is undone")
		require.Equal(t, noticed != "", o.whats("noticed") == 1)
	}
}

// The same for a connection that breaks: a server that hears nothing of it.
func TestNoticed_TheLocksOfACutConnectionLinger(t *testing.T) {
	y := openToy(t)
	var at time.Duration
	var err error
	o := y.same(t, acts(holder, giver(&at, &err)), "a#0/main sql:commit/1 | fault | cut before", "a#0/main noticed/1 | latency | 100s")
	require.NoError(t, err)
	require.Equal(t, 160*time.Second, at)
	require.Equal(t, "110", o.balance())
}

func TestNoticed_AHealedRunEndsIt(t *testing.T) {
	y := openToy(t)
	var at time.Duration
	var err error
	o := y.same(t, acts(holder, giver(&at, &err)), "a#0/main sql:commit/1 | fault | kill before", "a#0 noticed/1 | latency | 100h")
	require.NoError(t, err)
	require.Equal(t, 10*time.Minute, at)
	require.Equal(t, 1, o.whats("noticed"))
}

// Who dies while its statement waits: the server may notice at once, or carry the statement out first.
func TestNoticed_AStatementThatWaitsForALockOutlivesItsProcess(t *testing.T) {
	y := openToy(t)
	var at time.Duration
	var err error
	program := acts(holder, giver(&at, &err))
	o := y.same(t, program, "b#0/main wait sql:Give/1 | fault | kill before")
	require.Equal(t, "101", o.balance())
	o = y.same(t, program, "b#0/main wait sql:Give/1 | fault | kill before", "b#0 noticed/1 | latency | 2s")
	require.Equal(t, "111", o.balance(), "nobody was there any more, and yet it happened")
	require.Equal(t, 1, o.whats("landed"))
	require.Equal(t, 1, o.whats("noticed"))
}

func TestCut_WhileTheStatementWaits(t *testing.T) {
	y := openToy(t)
	for noticed, want := range map[string]string{"": "101", "2s": "111"} {
		var at time.Duration
		var err error
		lines := []string{"b#0/main wait sql:Give/1 | fault | cut waiting"}
		if noticed != "" {
			lines = append(lines, "b#0/main noticed/1 | latency | "+noticed)
		}
		o := y.same(t, acts(holder, giver(&at, &err)), lines...)
		require.Error(t, err)
		require.False(t, pgconn.SafeToRetry(err))
		require.Equal(t, time.Second, at, "the client knows at once")
		require.Equal(t, want, o.balance(), noticed)
	}
}

func TestStall_WhileTheStatementWaitsStopsTheClientOnly(t *testing.T) {
	y := openToy(t)
	var at time.Duration
	var err error
	var seen int64
	reader := func(ctx context.Context, p *sim.Process, c *pgxpool.Conn) error {
		if err := p.Sleep(ctx, 70*time.Second); err != nil {
			return err
		}
		return c.QueryRow(ctx, "select balance from account where id = $1", 1).Scan(&seen)
	}
	o := y.same(t, acts(holder, giver(&at, &err), reader), "b#0/main wait sql:Give/1 | fault | stall 90s")
	require.NoError(t, err)
	require.Equal(t, "111", o.balance())
	require.EqualValues(t, 111, seen, "its backend was granted the lock and went on")
	require.Equal(t, 91*time.Second, at)
}

func TestDeadline_AStatementThatStandsAtItsGateIsSentOrNot(t *testing.T) {
	y := openToy(t)
	late := func(got *error) program {
		return acts(func(ctx context.Context, p *sim.Process, c *pgxpool.Conn) error {
			short, cancel := p.WithTimeout(ctx, 20*time.Second)
			defer cancel()
			_, *got = c.Exec(short, give, 10)
			return nil
		})
	}
	var got error
	o := y.same(t, late(&got), "a#0/main sql:Give/1 | latency | 45s", "a#0/main deadline/1 | outcome | not sent")
	require.Error(t, got)
	require.True(t, pgconn.Timeout(got), "%v", got)
	require.ErrorIs(t, got, context.DeadlineExceeded)
	require.Equal(t, "100", o.balance())
	o = y.same(t, late(&got), "a#0/main sql:Give/1 | latency | 45s")
	require.Equal(t, "110", o.balance(), "plain: it is sent all the same")
}

// An administrator ends the backend: for good, with the server's own words for it.
func TestTerminated_TheClientSeesWhyAndThenTheEnd(t *testing.T) {
	y := openToy(t)
	pay := func(got *error, again *error) program {
		return func(k *sim.Kernel, s *Sessions) {
			k.Process("a", -1, func(ctx context.Context, p *sim.Process) error {
				pool, err := s.Pool(ctx, p, "toy", 2)
				if err != nil {
					return err
				}
				*got = pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
					_, err := tx.Exec(ctx, give, 10)
					return err
				})
				_, *again = pool.Exec(ctx, give, 100)
				return nil
			})
		}
	}
	for line, want := range map[string]string{
		"sql:Give/1 | fault | terminated before":   "200",
		"sql:Give/1 | fault | terminated after":    "200",
		"sql:commit/1 | fault | terminated before": "200",
		"sql:commit/1 | fault | terminated after":  "210",
		"sql:begin/1 | fault | terminated before":  "200",
	} {
		var got, again error
		o := y.same(t, pay(&got, &again), "a#0/main "+line)
		require.Equal(t, adminShutdown, sqlState(got), line)
		require.NoError(t, again, "the pool dials anew")
		require.Equal(t, want, o.balance(), line)
		require.Equal(t, 1, o.whats("gone"))
	}
}

func TestTerminated_WhileItWaits(t *testing.T) {
	y := openToy(t)
	var at time.Duration
	var err error
	o := y.same(t, acts(holder, giver(&at, &err)), "b#0/main wait sql:Give/1 | fault | terminated before")
	require.Equal(t, adminShutdown, sqlState(err))
	require.NotErrorIs(t, err, os.ErrDeadlineExceeded)
	require.Equal(t, "101", o.balance())
}
