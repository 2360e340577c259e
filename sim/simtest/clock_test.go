package simtest_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/simtest"
)

// A program's own now() is simulated wherever it stands, and constant within a transaction as the server's is.
func TestClock_NowIsTheSimulatedOne(t *testing.T) {
	start := time.Date(2026, 3, 1, 2, 0, 0, 0, time.UTC)
	var inserted, began, later, statement, after time.Time
	p := simtest.Program{
		Server: server,
		Schema: "create table t (id int primary key, at timestamptz not null default now(), made timestamptz default current_timestamp)",
		Start: func(r *simtest.Run) {
			r.Process("p", func(ctx context.Context, p *sim.Process, db *pgxpool.Pool) error {
				if err := p.Sleep(ctx, time.Minute); err != nil {
					return err
				}
				err := db.QueryRow(ctx, "insert into t (id) values (1) returning made").Scan(&inserted)
				if err != nil {
					return err
				}
				tx, err := db.Begin(ctx)
				if err != nil {
					return err
				}
				defer tx.Rollback(ctx)
				if err := tx.QueryRow(ctx, "select now()").Scan(&began); err != nil {
					return err
				}
				if err := p.Sleep(ctx, time.Hour); err != nil {
					return err
				}
				if err := tx.QueryRow(ctx, "select now(), clock_timestamp()").Scan(&later, &statement); err != nil {
					return err
				}
				if err := tx.Commit(ctx); err != nil {
					return err
				}
				return db.QueryRow(ctx, "select now()").Scan(&after)
			})
		},
		Check: func(s *simtest.State) error { return nil },
		Lasts: 2 * time.Hour,
		Runs:  1,
	}
	_, err := simtest.Search(t.Context(), p)
	require.NoError(t, err)
	require.WithinDuration(t, start.Add(time.Minute), inserted, 0)
	require.WithinDuration(t, start.Add(time.Minute), began, 0)
	require.WithinDuration(t, began, later, 0)
	require.WithinDuration(t, start.Add(time.Hour+time.Minute), statement, 0)
	require.WithinDuration(t, statement, after, 0)
}
