package pg

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/sim"
)

// copyAccounts copies n rows in, whose ids begin at first.
func copyAccounts(ctx context.Context, q interface {
	CopyFrom(context.Context, pgx.Identifier, []string, pgx.CopyFromSource) (int64, error)
}, first, n int) (int64, error) {
	return q.CopyFrom(ctx, pgx.Identifier{"account"}, []string{"id", "balance"}, pgx.CopyFromSlice(n, func(i int) ([]any, error) {
		return []any{first + i, int64(i)}, nil
	}))
}

func TestCopy_RowsGoInAsOneMove(t *testing.T) {
	y := openToy(t)
	y.sessions.CheckFootprints(true)
	var n int64
	var taken, out error
	var text bytes.Buffer
	program := acts(func(ctx context.Context, _ *sim.Process, c *pgxpool.Conn) error {
		var err error
		if n, err = copyAccounts(ctx, c.Conn(), 100, 20000); err != nil { // more than one piece
			return err
		}
		_, taken = copyAccounts(ctx, c.Conn(), 100, 3)
		if err := pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
			_, err := copyAccounts(ctx, tx, 50000, 3)
			return err
		}); err != nil {
			return err
		}
		text.Reset()
		_, out = c.Conn().PgConn().CopyTo(ctx, &text, "copy (select id, balance from account where id >= 50000 order by id) to stdout")
		return nil
	})
	o := y.same(t, program)
	require.Empty(t, o.bootErrors)
	require.EqualValues(t, 20000, n)
	require.Equal(t, "23505", sqlState(taken))
	require.NoError(t, out)
	require.Equal(t, "50000\t0\n50001\t1\n50002\t2\n", text.String())
	require.Len(t, o.tables["public.account"].Rows, 3+20000+3)
}

func TestCopy_WhatBreaksThere(t *testing.T) {
	y := openToy(t)
	place := "a#0/main " + permits{}.read(`copy "account" ( "id", "balance" ) from stdin binary;`).label + "/1 | fault | "
	for value, want := range map[string]int{"kill before": 3, "cut before": 3, "kill after": 6, "cut after": 6, "terminated before": 3, "terminated after": 6} {
		var err error
		o := y.same(t, acts(func(ctx context.Context, _ *sim.Process, c *pgxpool.Conn) error {
			_, err = copyAccounts(ctx, c.Conn(), 100, 3)
			return nil
		}), place+value)
		require.Error(t, err, value)
		require.Len(t, o.tables["public.account"].Rows, want, value)
	}
}

func TestCopy_SameSeedSameHash(t *testing.T) {
	y := openToy(t)
	copier := func(ctx context.Context, p *sim.Process, c *pgxpool.Conn) error {
		for i := range 3 {
			err := pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
				_, err := copyAccounts(ctx, tx, 100+10*i, 3)
				return err
			})
			if err != nil && sqlState(err) == "" {
				return fmt.Errorf("copy: %w", err)
			}
			if err := p.Sleep(ctx, time.Second); err != nil {
				return err
			}
		}
		return nil
	}
	blocked := 0
	for _, o := range y.repeating(t, runsFor(60), stormy, acts(copier, copier)) {
		blocked += o.whats("blocked")
	}
	require.NotZero(t, blocked, "who copies the same key waits")
}

// The driver writes a COPY's data in a goroutine of its own beside its reading. However the two are scheduled, the program hears
// of a broken connection in one way.
func TestCopy_WhatEndsItIsHeardInOneWay(t *testing.T) {
	y := openToy(t)
	for _, value := range []string{"terminated before", "terminated after", "cut before", "cut after"} {
		heard := map[string]int{}
		for range 60 {
			var got error
			o := y.run(t, deviations(t, "a#0/main sql:c519908c/1 | fault | "+value), acts(func(ctx context.Context, _ *sim.Process, c *pgxpool.Conn) error {
				_, got = copyAccounts(ctx, c.Conn(), 100, 3)
				return nil
			}))
			require.NoError(t, o.err)
			require.Error(t, got, value)
			heard[o.hash()+" "+sqlState(got)]++
		}
		require.Len(t, heard, 1, value)
	}
}
