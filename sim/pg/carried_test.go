package pg

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/sim"
)

// Programs of two or three tasks that use what the engine does not, over many seeds, with every kind of fault.

// repeating runs a program over seeds, then again backwards, and requires the same. It answers the outcomes.
func (y *toy) repeating(t *testing.T, n int, weigh func(sim.Gate, sim.Class) []sim.Weighted, p program) []outcome {
	t.Helper()
	first := make([]outcome, n)
	run := func(i int) outcome {
		o := y.run(t, sim.Seeded(uint64(i), 2, weigh), p)
		require.NoError(t, o.err, "seed %d", i)
		return o
	}
	for i := range n {
		first[i] = run(i)
	}
	for i := n - 1; i >= 0; i-- {
		requireSame(t, fmt.Sprintf("seed %d, again after other runs", i), first[i], run(i))
	}
	return first
}

// stormy draws faults, holds and switches.
func stormy(g sim.Gate, c sim.Class) []sim.Weighted {
	switch c {
	case sim.Fault:
		return sim.Split(g, c, 500)
	case sim.Latency:
		return sim.Split(g, c, 300)
	case sim.Then, sim.Hold:
		return sim.Split(g, c, 3000)
	}
	return nil
}

// advised: whoever gets the lock of the session moves the account, the other one waits in a transaction.
func advised(ctx context.Context, p *sim.Process, c *pgxpool.Conn) error {
	for range 3 {
		var got bool
		if err := c.QueryRow(ctx, "-- name: Try :one\nselect pg_try_advisory_lock($1)", 7).Scan(&got); err != nil {
			return err
		}
		if !got {
			err := pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
				if _, err := tx.Exec(ctx, "-- name: Wait :exec\nselect pg_advisory_xact_lock($1)", 7); err != nil {
					return err
				}
				_, err := tx.Exec(ctx, give, 1)
				return err
			})
			if err != nil {
				return err
			}
			continue
		}
		if _, err := c.Exec(ctx, give, 10); err != nil {
			return err
		}
		if err := p.Sleep(ctx, time.Second); err != nil {
			return err
		}
		if _, err := c.Exec(ctx, "-- name: Unlock :exec\nselect pg_advisory_unlock($1)", 7); err != nil {
			return err
		}
	}
	return nil
}

func TestCarried_AdvisoryLocks(t *testing.T) {
	y := openToy(t)
	blocked, balances := 0, map[string]bool{}
	for _, o := range y.repeating(t, runsFor(60), stormy, acts(advised, advised)) {
		blocked += o.whats("blocked")
		balances[o.balance()] = true
	}
	require.NotZero(t, blocked)
	require.Greater(t, len(balances), 3)
}

// repeatable moves money by what it read at its first statement, and tries again when another was faster.
func repeatable(level pgx.TxIsoLevel, failures *int) act {
	return func(ctx context.Context, _ *sim.Process, c *pgxpool.Conn) error {
		for {
			err := pgx.BeginTxFunc(ctx, c, pgx.TxOptions{IsoLevel: level}, func(tx pgx.Tx) error {
				var sum int64
				if err := tx.QueryRow(ctx, "-- name: Sum :one\nselect sum(balance)::bigint from account where id <= $1", 2).Scan(&sum); err != nil {
					return err
				}
				if _, err := tx.Exec(ctx, "-- name: Add :exec\nupdate account set balance = $1 where id = 1", sum); err != nil {
					return err
				}
				var again int64
				return tx.QueryRow(ctx, "-- name: Third :one\nselect balance from account where id = $1", 3).Scan(&again)
			})
			if code := sqlState(err); code != "40001" && code != "40P01" {
				return err
			}
			*failures++
		}
	}
}

func TestCarried_RepeatableRead(t *testing.T) {
	y := openToy(t)
	failures := 0
	list := y.repeating(t, runsFor(60), switches, acts(repeatable(pgx.RepeatableRead, &failures), repeatable(pgx.RepeatableRead, &failures)))
	for i, o := range list {
		require.Empty(t, o.bootErrors)
		require.Equal(t, "300", o.balance(), "seed %d: each added 100 to what the other had made", i)
	}
	require.NotZero(t, failures, "some update was of a row that another had changed")
	y.repeating(t, runsFor(50), stormy, acts(repeatable(pgx.RepeatableRead, &failures), repeatable(pgx.RepeatableRead, &failures)))
}

// saving tries a key, undoes the attempt where it is taken, and goes on in the same transaction.
func saving(taken *int) act {
	return func(ctx context.Context, _ *sim.Process, c *pgxpool.Conn) error {
		return pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
			for id := 60; ; id++ {
				err := pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error {
					_, err := tx.Exec(ctx, insertOne, id, 1)
					return err
				})
				if err == nil {
					break
				}
				if sqlState(err) != "23505" {
					return err
				}
				*taken++
			}
			_, err := tx.Exec(ctx, give, 1)
			return err
		})
	}
}

func TestCarried_Savepoints(t *testing.T) {
	y := openToy(t)
	taken := 0
	for _, o := range y.repeating(t, runsFor(60), switches, acts(saving(&taken), saving(&taken), saving(&taken))) {
		require.Empty(t, o.bootErrors)
		require.Equal(t, "103", o.balance())
		require.Len(t, o.tables["public.account"].Rows, 6)
	}
	require.NotZero(t, taken)
	y.repeating(t, runsFor(50), stormy, acts(saving(&taken), saving(&taken)))
}

// leaves is of who is on call: each leaves when the sum says that another one stays. Under a snapshot both can leave.
func leaves(level pgx.TxIsoLevel, id int, failures *int) act {
	return func(ctx context.Context, _ *sim.Process, c *pgxpool.Conn) error {
		for {
			err := pgx.BeginTxFunc(ctx, c, pgx.TxOptions{IsoLevel: level}, func(tx pgx.Tx) error {
				var sum int64
				if err := tx.QueryRow(ctx, "-- name: OnCall :one\nselect sum(balance)::bigint from account where id <= $1", 2).Scan(&sum); err != nil {
					return err
				}
				if sum < 200 {
					return nil
				}
				_, err := tx.Exec(ctx, "-- name: Leave :exec\nupdate account set balance = 0 where id = $1", id)
				return err
			})
			if sqlState(err) != "40001" {
				return err
			}
			*failures++
		}
	}
}

func (o outcome) onCall() int {
	n := 0
	for _, r := range o.tables["public.account"].Each() {
		if id := r.Text("id"); (id == "1" || id == "2") && r.Text("balance") == "100" {
			n++
		}
	}
	return n
}

func openSerializable(t *testing.T) *toy {
	t.Helper()
	y := openToy(t)
	y.sessions.options.Serializable = true
	require.NoError(t, y.sessions.Snapshot(context.Background()))
	return y
}

func TestCarried_Serializable(t *testing.T) {
	y := openSerializable(t)
	failures, skewed := 0, 0
	for _, o := range y.repeating(t, runsFor(60), switches, acts(leaves(pgx.RepeatableRead, 1, &failures), leaves(pgx.RepeatableRead, 2, &failures))) {
		if o.onCall() == 0 {
			skewed++
		}
	}
	require.NotZero(t, skewed, "under REPEATABLE READ both leave in some order")
	failures = 0
	for i, o := range y.repeating(t, runsFor(100), switches, acts(leaves(pgx.Serializable, 1, &failures), leaves(pgx.Serializable, 2, &failures))) {
		require.Empty(t, o.bootErrors)
		require.NotZero(t, o.onCall(), "seed %d", i)
	}
	require.NotZero(t, failures)
	y.repeating(t, runsFor(100), stormy, acts(leaves(pgx.Serializable, 1, &failures), leaves(pgx.Serializable, 2, &failures),
		repeatable(pgx.Serializable, &failures), saving(new(int))))
}
