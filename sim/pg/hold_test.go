package pg

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/sim"
)

const underCap = "-- name: Enter :exec\ninsert into account select $1, 0 where (select count(*) from account where id >= 50) < 1"

// entrants: two that each want the one place there is.
func entrants(mode pgx.QueryExecMode) program {
	enter := func(id string) act {
		return func(ctx context.Context, _ *sim.Process, c *pgxpool.Conn) error {
			sql, args := underCap, []any{mode, 50}
			if id == "b" {
				args[1] = 51
			}
			if mode == pgx.QueryExecModeSimpleProtocol {
				sql, args = fmt.Sprintf("-- name: Enter :exec\ninsert into account select %d, 0 where (select count(*) from account where id >= 50) < 1", args[1]), nil
			}
			_, err := c.Exec(ctx, sql, args...)
			return err
		}
	}
	return acts(enter("a"), enter("b"))
}

func (o outcome) entered() (n int) {
	for _, r := range o.tables["public.account"].Each() {
		if id := r.Text("id"); id == "50" || id == "51" {
			n++
		}
	}
	return n
}

// holds draws switches, and holds whatever can be held in half of the places.
func holds(g sim.Gate, c sim.Class) []sim.Weighted {
	if c == sim.Hold {
		return sim.Split(g, c, 5000)
	}
	return switches(g, c)
}

// A program that asks before it inserts is wrong, and no order of whole statements shows it: the work of one must be done and
// not yet committed while the other looks.
func TestHold_TwoInsertsUnderACapOverfillItOnlyWhenASyncIsHeld(t *testing.T) {
	y := openToy(t)
	for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement, pgx.QueryExecModeSimpleProtocol} {
		overfilled := 0
		for seed := range 40 {
			o := y.run(t, sim.Seeded(uint64(seed), 0, switches), entrants(mode))
			require.NoError(t, o.err)
			require.Empty(t, o.bootErrors)
			require.Equal(t, 1, o.entered(), "seed %d: whole flushes", seed)

			o = y.run(t, sim.Seeded(uint64(seed), 0, holds), entrants(mode))
			require.NoError(t, o.err)
			require.Empty(t, o.bootErrors)
			if o.entered() == 2 {
				overfilled++
				require.NotZero(t, o.whats("held"))
			}
			requireSame(t, fmt.Sprintf("seed %d, held", seed), o, y.run(t, sim.Seeded(uint64(seed), 0, holds), entrants(mode)))
		}
		require.NotZero(t, overfilled, "some order with a held Sync overfills it (%v)", mode)
		t.Logf("%v: %d of 40 seeds", mode, overfilled)
	}
}

// After an error nothing is left to commit: the Sync goes at once, and there is no second place.
func TestHold_AfterAnErrorTheSyncGoesAtOnce(t *testing.T) {
	y := openToy(t)
	var got error
	o := y.run(t, deviations(t, "a#0/main sql:InsertAccount/1 | hold | sync"), acts(func(ctx context.Context, _ *sim.Process, c *pgxpool.Conn) error {
		_, got = c.Exec(ctx, insertOne, 1, 1)
		_, err := c.Exec(ctx, insertOne, 60, 1)
		return err
	}))
	require.NoError(t, o.err)
	require.Empty(t, o.bootErrors)
	require.Equal(t, "23505", sqlState(got))
	require.Equal(t, 0, o.whats("held"))
	require.Len(t, o.tables["public.account"].Rows, 4)
}

// What breaks between the work and its commit.
func TestHold_WhatBreaksBeforeTheSync(t *testing.T) {
	y := openToy(t)
	for value, want := range map[string]int{"kill before": 3, "cut before": 3, "kill after": 4, "cut after": 4} {
		var got error
		o := y.run(t, deviations(t, "a#0/main sql:InsertAccount/1 | hold | sync", "a#0/main sync sql:InsertAccount/1 | fault | "+value),
			acts(func(ctx context.Context, _ *sim.Process, c *pgxpool.Conn) error {
				_, got = c.Exec(ctx, insertOne, 60, 1)
				return got
			}))
		require.NoError(t, o.err)
		require.Error(t, got, value)
		require.Equal(t, 1, o.whats("held"))
		require.Len(t, o.tables["public.account"].Rows, want, value)
	}
}

// A held statement keeps its locks: who wants them waits.
func TestHold_WhoWantsTheSameRowWaitsForTheSync(t *testing.T) {
	y := openToy(t)
	touch := func(ctx context.Context, _ *sim.Process, c *pgxpool.Conn) error {
		_, err := c.Exec(ctx, "-- name: Touch :exec\nupdate account set balance = balance + $1 where id = 1", 1)
		return err
	}
	o := y.run(t, deviations(t, "a#0/main sql:Touch/1 | hold | sync", "a#0/main sync sql:Touch/1 | then | b#0/main"), acts(touch, touch))
	require.NoError(t, o.err)
	require.Equal(t, 1, o.whats("blocked"))
	require.Equal(t, "102", o.tables["public.account"].Rows[0][1])
}

// What a session is told before a held statement has answers of its own, in a shaken run more of them than the statement:
// none of them is taken for the statement's.
func TestHold_WhatTheSessionIsToldBeforeIsNoAnswerToTheStatement(t *testing.T) {
	y := openToy(t)
	held := func(seed uint64) outcome {
		y.sessions.Shake(seed)
		o := y.run(t, deviations(t, "a#0/main sql:InsertAccount/1 | hold | sync"), acts(func(ctx context.Context, _ *sim.Process, c *pgxpool.Conn) error {
			_, err := c.Exec(ctx, insertOne, 60, 1)
			return err
		}))
		require.NoError(t, o.err)
		require.Empty(t, o.bootErrors)
		require.Equal(t, 1, o.whats("held"))
		return o
	}
	first := held(0)
	for seed := range uint64(12) {
		requireSame(t, fmt.Sprintf("shaken by %d", seed), first, held(seed))
	}
	held(0)
}

// A SELECT that locks has its snapshot before it looks for rows.
func TestHold_ALockingSelectRunsUnderTheSnapshotOfItsBind(t *testing.T) {
	y := openToy(t)
	program := func(found *[]int) program {
		return acts(func(ctx context.Context, _ *sim.Process, c *pgxpool.Conn) error {
			rows, err := c.Query(ctx, "-- name: Rich :many\nselect id from account where balance >= $1 order by id for update", 100)
			if err != nil {
				return err
			}
			*found, err = pgx.CollectRows(rows, pgx.RowTo[int])
			return err
		}, func(ctx context.Context, _ *sim.Process, c *pgxpool.Conn) error {
			_, err := c.Exec(ctx, insertOne, 60, 100)
			return err
		})
	}
	for line, want := range map[string][]int{
		"a#0/main execute sql:Rich/1 | then | b#0/main": {1, 2, 3},
		"clock at 0s/1 | then | b#0/main":               {1, 2, 3, 60},
	} {
		var found []int
		o := y.run(t, deviations(t, "a#0/main sql:Rich/1 | hold | bind", line), program(&found))
		require.NoError(t, o.err)
		require.Empty(t, o.bootErrors)
		require.Equal(t, want, found, line)
	}
}

func TestHold_IsOfferedOnlyWhereItMakesADifference(t *testing.T) {
	s := &Sessions{texts: map[string]*statement{}}
	plan := func(sql string) *flush {
		p := &planner{texts: s.statement, declared: map[string]parseMessage{}, portals: map[string]execution{},
			recall: func(parseMessage) (description, bool) { return description{}, false }}
		f := (&flush{steps: []step{{message: message{kind: 'Q'}, execution: execution{statement: s.statement(sql)}}}}).extended()
		var wire []byte
		for _, m := range f {
			wire = append(wire, m.raw...)
		}
		out, err := p.plan(wire, 'I')
		require.NoError(t, err)
		return out
	}
	for _, c := range []struct {
		sql    string
		status byte
		want   []sim.Value
	}{
		{"insert into account values (1, 1)", 'I', syncOnly},
		{"insert into account values (1, 1)", 'T', nil},
		{"select 1 from account", 'I', nil},
		{"select 1 from account for update", 'I', syncOrBind},
		{"select 1 from account for update", 'T', bindOnly},
		{"select recon.claim(1)", 'I', syncOrBind},
		{"begin", 'I', nil},
		{"commit", 'T', nil},
		{"set work_mem = '1MB'", 'I', nil},
		{"update account set balance = 1", 'E', nil},
	} {
		require.Equal(t, c.want, plan(c.sql).holds(c.status), "%s in %c", c.sql, c.status)
	}
}
