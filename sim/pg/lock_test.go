package pg

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/sim"
)

// act is one process whose main task has a connection of its own.
type act func(ctx context.Context, p *sim.Process, c *pgxpool.Conn) error

// acts makes a process of each, named a, b, c, …, never restarted.
func acts(list ...act) program {
	return func(k *sim.Kernel, s *Sessions) {
		for i, do := range list {
			k.Process(string(rune('a'+i)), -1, func(ctx context.Context, p *sim.Process) error {
				pool, err := s.Pool(ctx, p, "toy", 2)
				if err != nil {
					return err
				}
				return pool.AcquireFunc(ctx, func(c *pgxpool.Conn) error { return do(ctx, p, c) })
			})
		}
	}
}

// deviations reads lines of `address class value`, columns apart by |.
func deviations(t *testing.T, lines ...string) *sim.RecordedDecider {
	t.Helper()
	var s sim.Script
	for _, line := range lines {
		parts := strings.Split(line, " | ")
		require.Len(t, parts, 3)
		at, err := sim.ParseAddress(parts[0])
		require.NoError(t, err)
		class, err := sim.ParseClass(parts[1])
		require.NoError(t, err)
		value, err := sim.ParseValue(parts[2])
		require.NoError(t, err)
		s.Deviations = append(s.Deviations, sim.Deviation{At: at, Class: class, Value: value})
	}
	return sim.Recorded(s)
}

// whats counts the entries of a kind in a history.
func (o outcome) whats(what string) (n int) {
	for _, e := range o.history.Entries {
		if e.What == what {
			n++
		}
	}
	return n
}

func (o outcome) show(t *testing.T) {
	t.Helper()
	t.Log("\n" + strings.Join(o.history.Lines(), "\n"))
}

// switches draws only who goes next.
func switches(g sim.Gate, c sim.Class) []sim.Weighted {
	if c == sim.Then {
		return sim.Split(g, c, 5000)
	}
	return nil
}

func sqlState(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

const insertOne = "-- name: InsertAccount :exec\ninsert into account values ($1, $2)"

// twoWaiters: both wait for the same uncommitted key. When its holder aborts both are woken at once, and race inside the server.
func twoWaiters(won *[]string) program {
	waiter := func(ctx context.Context, p *sim.Process, c *pgxpool.Conn) error {
		if err := p.Sleep(ctx, time.Second); err != nil {
			return err
		}
		if _, err := c.Exec(ctx, insertOne, 9, 1); err == nil {
			*won = append(*won, p.Name())
		}
		return nil
	}
	return acts(func(ctx context.Context, p *sim.Process, c *pgxpool.Conn) error {
		tx, err := c.Begin(ctx)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, insertOne, 9, 0); err != nil {
			return err
		}
		if err := p.Sleep(ctx, 10*time.Second); err != nil {
			return err
		}
		return tx.Rollback(ctx)
	}, waiter, waiter)
}

// Cause 1 of kernel.md. Without stopping the backends (poll mode) this differs in two of five runs.
func TestLock_WhoGoesOnAmongTwoWokenTogetherIsADecision(t *testing.T) {
	y := openToy(t)
	winners := map[string]int{}
	for seed := range runsFor(60) {
		var first, second []string
		a := y.run(t, sim.Seeded(uint64(seed), 0, switches), twoWaiters(&first))
		b := y.run(t, sim.Seeded(uint64(seed), 0, switches), twoWaiters(&second))
		require.NoError(t, a.err)
		requireSame(t, fmt.Sprintf("seed %d", seed), a, b)
		require.Len(t, first, 1)
		require.Equal(t, first, second)
		require.GreaterOrEqual(t, a.whats("blocked"), 2)
		require.GreaterOrEqual(t, a.whats("granted"), 2)
		winners[first[0]]++
	}
	require.Len(t, winners, 2, "both win in some run")
}

func TestLock_TheLastToJoinADeadlockIsAlwaysItsVictim(t *testing.T) {
	y := openToy(t)
	deadlocks := 0
	for seed := range runsFor(60) {
		run := func() (outcome, []string) {
			var victims []string
			locker := func(i int) act {
				return func(ctx context.Context, p *sim.Process, c *pgxpool.Conn) error {
					for {
						err := pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
							for j := range 3 {
								if _, err := tx.Exec(ctx, "-- name: LockAccount :one\nselect 1 from account where id = $1 for update", (i+j)%3+1); err != nil {
									return err
								}
							}
							return nil
						})
						if err == nil {
							return nil
						}
						if sqlState(err) != "40P01" {
							return err
						}
						victims = append(victims, p.Name())
					}
				}
			}
			o := y.run(t, sim.Seeded(uint64(seed), 0, switches), acts(locker(0), locker(1), locker(2)))
			require.NoError(t, o.err)
			return o, victims
		}
		a, first := run()
		b, second := run()
		requireSame(t, fmt.Sprintf("seed %d", seed), a, b)
		require.Equal(t, first, second)
		requireVictimsJoinedLast(t, a)
		deadlocks += len(first)
	}
	require.NotZero(t, deadlocks)
}

// requireVictimsJoinedLast: a deadlock error never answers a wait that the server reported and the kernel stopped; it comes
// at once, from the one whose wait closed the circle (which may be a later wait of a statement granted an earlier one).
func requireVictimsJoinedLast(t *testing.T, o outcome) {
	t.Helper()
	waits := map[sim.Actor]bool{}
	for _, e := range o.history.Entries {
		switch {
		case e.What == "blocked":
			waits[e.Actor] = true
		case e.What == "granted":
			waits[e.Actor] = false
		case strings.HasPrefix(e.Text, "ERROR 40P01"):
			require.False(t, waits[e.Actor], "%v", e)
		}
	}
}

// Cause 11: a backend that waits for a lock does not notice that its client is gone.
func TestLock_AProcessKilledWhileItWaitsLeavesNoLock(t *testing.T) {
	y := openToy(t)
	var order []string
	update := func(p *sim.Process, ctx context.Context, q pgx.Tx) error {
		_, err := q.Exec(ctx, "-- name: Touch :exec\nupdate account set balance = balance + $1 where id = 2", 1)
		if err == nil {
			order = append(order, p.Name())
		}
		return err
	}
	holder := func(ctx context.Context, p *sim.Process, c *pgxpool.Conn) error {
		return pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
			if err := update(p, ctx, tx); err != nil {
				return err
			}
			return p.Sleep(ctx, 10*time.Second)
		})
	}
	victim := func(ctx context.Context, p *sim.Process, c *pgxpool.Conn) error {
		done := p.Spawn(ctx, "other", func(ctx context.Context) error { return p.Sleep(ctx, 5*time.Second) })
		err := pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, insertOne, 7, 0); err != nil { // a lock of its own
				return err
			}
			return update(p, ctx, tx)
		})
		_ = done.Wait(ctx)
		return err
	}
	late := func(ctx context.Context, p *sim.Process, c *pgxpool.Conn) error {
		if err := p.Sleep(ctx, 6*time.Second); err != nil {
			return err
		}
		_, err := c.Exec(ctx, insertOne, 7, 1)
		if err == nil {
			order = append(order, p.Name())
		}
		return err
	}
	o := y.run(t, deviations(t, "b#0/other sleep/1 | fault | kill before"), acts(holder, victim, late))
	require.NoError(t, o.err)
	require.Equal(t, 1, o.whats("killed"))
	require.Equal(t, []string{"a", "c"}, order, "the killed one neither waits on nor holds its key: c inserted it before a had ended")
	require.Equal(t, [][]string{{"1", "100"}, {"2", "101"}, {"3", "100"}, {"7", "1"}}, o.tables["public.account"].Rows)
}

// blockedUntil: a holds row 1 for 60 s; b wants it with a deadline of 20 s.
func blockedUntil(got *error, after func(ctx context.Context, p *sim.Process, c *pgxpool.Conn) error) program {
	return acts(func(ctx context.Context, p *sim.Process, c *pgxpool.Conn) error {
		return pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "-- name: Hold :exec\nupdate account set balance = balance + $1 where id = 1", 1); err != nil {
				return err
			}
			return p.Sleep(ctx, time.Minute)
		})
	}, func(ctx context.Context, p *sim.Process, c *pgxpool.Conn) error {
		if err := p.Sleep(ctx, time.Second); err != nil {
			return err
		}
		short, cancel := p.WithTimeout(ctx, 20*time.Second)
		defer cancel()
		_, *got = c.Exec(short, "-- name: Want :exec\nupdate account set balance = balance + $1 where id = 1", 10)
		return after(ctx, p, c)
	})
}

func nothingMore(context.Context, *sim.Process, *pgxpool.Conn) error { return nil }

func TestDeadline_CancelsAStatementThatWaits(t *testing.T) {
	y := openToy(t)
	for range 20 {
		var err error
		var closed bool
		o := y.run(t, sim.Plain(), blockedUntil(&err, func(_ context.Context, p *sim.Process, c *pgxpool.Conn) error {
			closed = c.Conn().IsClosed()
			require.Equal(t, 21*time.Second, p.Mono())
			return nil
		}))
		require.NoError(t, o.err)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.True(t, pgconn.Timeout(err), "%v", err)
		require.True(t, closed, "as in production the driver gives the connection up")
		require.Equal(t, "101", o.tables["public.account"].Rows[0][1])
		require.Equal(t, 1, o.whats("cancelled"))
	}
}

func TestDeadline_AStatementCanCompleteAnyway(t *testing.T) {
	y := openToy(t)
	for range 5 {
		var err error
		o := y.run(t, deviations(t, "b#0/main deadline/1 | outcome | completes anyway"), blockedUntil(&err, nothingMore))
		require.NoError(t, o.err)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, "111", o.tables["public.account"].Rows[0][1], "it landed after its client had given up")
		require.Equal(t, 1, o.whats("landed"))
	}
}
