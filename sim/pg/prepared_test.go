package pg

import (
	"bytes"
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/sim"
)

// runRecorded is run, with the bytes that went to the server.
func (y *toy) runRecorded(t *testing.T, p program) (outcome, *Recording) {
	t.Helper()
	var rec *Recording
	o := y.run(t, sim.Plain(), func(k *sim.Kernel, s *Sessions) {
		rec = s.Record()
		p(k, s)
	})
	require.NoError(t, o.err)
	return o, rec
}

func (r *Recording) contains(kind byte) (n int) {
	for _, f := range r.flushes {
		for b := f.wire; len(b) > 0; {
			m, rest, _, _ := nextMessage(b)
			if m.kind == kind {
				n++
			}
			b = rest
		}
	}
	return n
}

// Cause 9: a Prepare is no move of its own, and the real one goes out with the first Execute, once a session.
func TestPrepared_GoOutWithTheFirstExecuteAndAreKeptWhenASessionIsRecycled(t *testing.T) {
	y := openToy(t)
	two := acts(func(ctx context.Context, _ *sim.Process, c *pgxpool.Conn) error {
		for i := range 3 {
			if _, err := c.Exec(ctx, insertOne, 10+i, i); err != nil {
				return err
			}
			if _, err := askNow(ctx, c); err != nil {
				return err
			}
		}
		return nil
	})
	cold, first := y.runRecorded(t, two)
	warm, second := y.runRecorded(t, two)
	requireSame(t, "cold and warm", cold, warm)
	require.Equal(t, 6, cold.whats("statement"), "one gate for each Execute, none for a Prepare")
	require.Equal(t, 2, first.contains('P'))
	require.Zero(t, second.contains('P'))
}

func TestPrepared_AFailingParseIsAMoveAndItsErrorIsPassedOn(t *testing.T) {
	y := openToy(t)
	o := y.run(t, sim.Plain(), acts(func(ctx context.Context, _ *sim.Process, c *pgxpool.Conn) error {
		for _, sql := range []string{"select nope from account where id = $1", "selec $1"} {
			_, err := c.Exec(ctx, sql, 1)
			require.NotEmpty(t, sqlState(err))
		}
		tx, err := c.Begin(ctx)
		require.NoError(t, err)
		_, err = tx.Exec(ctx, "select nope from account where id = $1", 1)
		require.Equal(t, "42703", sqlState(err))
		_, err = tx.Exec(ctx, insertOne, 9, 9)
		require.Equal(t, "25P02", sqlState(err), "as the server answers a Parse in a failed transaction")
		require.NoError(t, tx.Rollback(ctx))
		_, err = c.Exec(ctx, insertOne, 9, 9)
		return err
	}))
	require.NoError(t, o.err)
	var texts []string
	for _, e := range o.history.Entries {
		if e.What == "answer" {
			texts = append(texts, e.Text)
		}
	}
	require.Equal(t, []string{"ERROR 42703", "ERROR 42601", "BEGIN", "ERROR 42703", "ERROR 25P02", "ROLLBACK", "INSERT 0 1"}, texts)
}

func TestPrepared_ANameGivenByHandMeansWhatItsConnectionSaid(t *testing.T) {
	y := openToy(t)
	for range 2 {
		for i, sql := range []string{"select $1::int + 1", "select $1::int + 2"} {
			var got int
			o := y.run(t, sim.Plain(), acts(func(ctx context.Context, _ *sim.Process, c *pgxpool.Conn) error {
				if _, err := c.Conn().Prepare(ctx, "byhand", sql); err != nil {
					return err
				}
				if err := c.QueryRow(ctx, "byhand", 10).Scan(&got); err != nil {
					return err
				}
				return c.Conn().Deallocate(ctx, "byhand")
			}))
			require.NoError(t, o.err)
			require.Equal(t, 11+i, got)
		}
	}
}

func TestPrepared_EveryModeOfTheDriverGivesTheSameRows(t *testing.T) {
	y := openToy(t)
	for _, mode := range []pgx.QueryExecMode{pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec,
		pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol} {
		for range 2 {
			var ids []int
			var keys []string
			o := y.run(t, sim.Plain(), acts(func(ctx context.Context, _ *sim.Process, c *pgxpool.Conn) error {
				b := &pgx.Batch{}
				b.Queue(insertOne, 4, 4)
				b.Queue(insertOne, 5, 5)
				b.Queue(insertOne, 6, 6)
				if err := c.SendBatch(ctx, b).Close(); err != nil {
					return err
				}
				rows, err := c.Query(ctx, "select id, balance from account where id > $1 order by id", mode, 1)
				if err != nil {
					return err
				}
				ids, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) (id int, err error) {
					return id, r.Scan(&id, nil)
				})
				return err
			}))
			require.NoError(t, o.err)
			for _, e := range o.history.Entries {
				if e.Rows > 0 {
					keys = e.Keys
				}
			}
			require.Equal(t, []int{2, 3, 4, 5, 6}, ids, "%v", mode)
			require.Equal(t, []string{"2", "3", "4", "5", "6"}, keys, "%v: as text in the history, whatever the format", mode)
		}
	}
}

func TestPrepared_AChangedTableIsParsedAnew(t *testing.T) {
	y := openToy(t)
	_, err := y.sessions.monitor.Exec(context.Background(), "create table public.shape (id int primary key); grant all on public.shape to toy; grant create on schema public to toy; alter table public.shape owner to toy")
	require.NoError(t, err)
	require.NoError(t, y.sessions.Snapshot(context.Background()))
	var widths []int
	o := y.run(t, sim.Plain(), acts(func(ctx context.Context, _ *sim.Process, c *pgxpool.Conn) error {
		width := func() error {
			rows, err := c.Query(ctx, "select * from shape where id = $1", 1)
			if err != nil {
				return err
			}
			rows.Close()
			widths = append(widths, len(rows.FieldDescriptions()))
			return rows.Err()
		}
		if err := width(); err != nil {
			return err
		}
		if _, err := c.Exec(ctx, "alter table shape add b int"); err != nil {
			return err
		}
		require.Equal(t, "0A000", sqlState(width()), "as the server tells every client with an old plan")
		return width()
	}))
	require.NoError(t, o.err)
	require.Equal(t, []int{1, 0, 2}, widths)
	_, err = y.sessions.monitor.Exec(context.Background(), "drop table public.shape")
	require.NoError(t, err)
	require.NoError(t, y.sessions.Snapshot(context.Background()))
}

func TestFlush_LabelsAndDetails(t *testing.T) {
	for sql, label := range map[string]string{
		"-- name: FinishJob :exec\nupdate job set x = 1": "sql:FinishJob",
		"begin":                                  "sql:begin",
		"BEGIN ISOLATION LEVEL REPEATABLE READ;": "sql:begin",
		"start transaction read only":            "sql:begin",
		"commit":                                 "sql:commit",
		"end":                                    "sql:commit",
		"rollback":                               "sql:rollback",
		"select  1":                              readStatement("select 1").label,
	} {
		require.Equal(t, label, readStatement(sql).label, sql)
	}
	require.Regexp(t, `^sql:[0-9a-f]{8}$`, readStatement("rollback to savepoint x").label)
	require.Regexp(t, `^sql:[0-9a-f]{8}$`, readStatement("begin; commit").label)
	f := &flush{executes: []execution{{statement: readStatement("-- name: A :exec\nselect  1")}, {statement: readStatement("-- name: B :exec\nselect 2")}}}
	require.Equal(t, "sql:A", f.label())
	require.Equal(t, "-- name: A :exec select 1 #000000000000 | sql:B -- name: B :exec select 2 #000000000000", f.detail())
}

func TestFlush_MessagesThatComeInPiecesWaitForTheirSync(t *testing.T) {
	p := planner{texts: readStatement, declared: map[string]parseMessage{}, portals: map[string]execution{}}
	none := func(parseMessage) (description, bool) { return description{}, false }
	p.describe, p.recall = none, none
	whole := appendSync(appendMessage(appendMessage(appendParse(nil, parseMessage{sql: "select 1"}), 'B', "\x00\x00\x00\x00\x00\x00\x00\x00"), 'E', "\x00\x00\x00\x00\x00"))
	on := &session{prepared: map[string]parseMessage{}}
	for cut := 1; cut < len(whole); cut++ {
		f, err := p.plan(append([]byte(nil), whole[:cut]...), 'I')
		require.NoError(t, err)
		require.Empty(t, f.executes)
		f, err = p.plan(append([]byte(nil), whole[cut:]...), 'I')
		require.NoError(t, err)
		require.Len(t, f.executes, 1)
		require.True(t, bytes.Equal(whole, f.compile(on, unsplit).wire))
	}
}

// FuzzPlan: whatever a driver writes, the gate answers with an error and no panic, and never swallows a whole flush.
func FuzzPlan(f *testing.F) {
	f.Add(appendQuery(nil, "select 1"))
	f.Add(appendSync(appendDescribeStatement(appendParse(nil, parseMessage{name: "a", sql: "select $1"}), "a")))
	f.Add(appendSync(appendMessage(appendMessage(nil, 'B', "\x00a\x00\x00\x01\x00\x01\x00\x01\x00\x00\x00\x04abcd\x00\x01\x00\x01"), 'E', "\x00\x00\x00\x00\x00")))
	f.Add(appendSync(appendCloseStatement(nil, "a")))
	f.Add([]byte("H\x00\x00\x00\x04S\x00\x00\x00\x04"))
	f.Fuzz(func(t *testing.T, b []byte) {
		p := planner{texts: readStatement, declared: map[string]parseMessage{}, portals: map[string]execution{}}
		p.describe = func(p parseMessage) (description, bool) { return description{}, len(p.sql)%2 == 0 }
		p.recall = p.describe
		got, err := p.plan(b, 'I')
		if err != nil {
			return
		}
		if len(got.executes) == 0 && got.local == nil && !got.ends && len(p.held) != len(b) {
			t.Fatalf("a flush of %d bytes vanished", len(b))
		}
		if c := got.compile(&session{prepared: map[string]parseMessage{}}, unsplit); len(got.steps) > 0 && len(c.groups) == 0 {
			t.Fatalf("a flush of %d messages expects no answer", len(got.steps))
		}
	})
}
