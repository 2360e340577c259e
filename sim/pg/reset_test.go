package pg

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/sim"
)

func TestReset_RestoresRowsSequencesAndThePhysicalState(t *testing.T) {
	y := openToy(t)
	ctx := context.Background()
	m := y.sessions.monitor
	physical := func() []string {
		return query(t, y.server.ConnString("toy"), `select ctid || ' ' || id || ' ' || balance from account union all
			select relname || ' ' || pg_relation_size(c.oid) || ' ' || reltuples from pg_class c where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`)
	}
	before, err := y.sessions.Dump(ctx)
	require.NoError(t, err)
	layout := physical()
	for range 3 {
		_, err = m.Exec(ctx, `insert into ledger (job, fence, at) select 'x', i, '2026-03-01' from generate_series(1, 500) i`)
		require.NoError(t, err)
		_, err = m.Exec(ctx, "update account set balance = 0; delete from account where id = 2; insert into job (id) values ('a')")
		require.NoError(t, err)
		_, err = m.Exec(ctx, "begin; insert into untouched values (1); rollback") // only a dead row
		require.NoError(t, err)
		require.NoError(t, y.sessions.Reset(ctx))
		after, err := y.sessions.Dump(ctx)
		require.NoError(t, err)
		require.Equal(t, before, after)
		require.Equal(t, before.Hash(), after.Hash())
		require.Equal(t, layout, physical())
		require.Equal(t, []string{"1"}, query(t, y.server.ConnString("toy"), "select nextval('ledger_seq_seq')::text"))
		require.NoError(t, y.sessions.Reset(ctx))
	}
}

func TestReset_RollsBackWhatARunLeftInUse(t *testing.T) {
	y := openToy(t)
	ctx := context.Background()
	k := sim.New(sim.Config{Epoch: toyEpoch, Locks: y.sessions})
	y.sessions.Attach(k)
	acts(func(ctx context.Context, p *sim.Process, c *pgxpool.Conn) error {
		tx, err := c.Begin(ctx)
		if err == nil {
			_, err = tx.Exec(ctx, "update account set balance = balance + $1", 1)
		}
		require.NoError(t, err)
		return p.Sleep(ctx, time.Hour)
	})(k, y.sessions)
	require.NoError(t, k.Run(ctx, time.Second))
	require.NoError(t, y.sessions.Reset(ctx)) // before the kernel's Close: the session is taken from under its client
	k.Close()
	y.sessions.Detach()
}

func TestDump_ATableWithoutPrimaryKeyIsAnError(t *testing.T) {
	y := openToy(t)
	ctx := context.Background()
	_, err := y.sessions.monitor.Exec(ctx, "create table public.heap (a int)")
	require.NoError(t, err)
	require.ErrorContains(t, y.sessions.Snapshot(ctx), "public.heap has no primary key")
}

func TestDump_TablesWithoutPrimaryKeyAreOrderedByAllTheyHold(t *testing.T) {
	y := openToy(t)
	ctx := context.Background()
	y.sessions.options.Keyless = true
	_, err := y.sessions.monitor.Exec(ctx, `create table public.heap (a int, "b c" text); insert into heap values (2, 'x'), (1, null), (2, 'a'), (1, null)`)
	require.NoError(t, err)
	require.NoError(t, y.sessions.Snapshot(ctx))
	want := [][]string{{"1", null}, {"1", null}, {"2", "a"}, {"2", "x"}}
	for range 2 {
		tables, err := y.sessions.Dump(ctx)
		require.NoError(t, err)
		require.Equal(t, want, tables["public.heap"].Rows)
		_, err = y.sessions.monitor.Exec(ctx, "delete from heap; insert into heap values (3, '')")
		require.NoError(t, err)
		require.NoError(t, y.sessions.Reset(ctx))
	}
}
