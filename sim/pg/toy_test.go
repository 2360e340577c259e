package pg

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/sim"
)

// The toy is a small pgx program: two workers claim jobs with SKIP LOCKED, do something outside, and finish the job and its
// ledger row in one transaction. It is written as production code would be, to the kernel's Runtime.

const toySchema = `
create schema recon;
create function recon.now() returns timestamptz language sql stable as 'select statement_timestamp()';
create table public.job (id text primary key, state text not null default 'ready', fence int not null default 0, worker text, lease_until timestamptz);
create index on public.job (state, lease_until, id);
create table public.ledger (seq bigserial primary key, job text not null, fence int not null, at timestamptz not null default recon.now());
create table public.account (id int primary key, balance bigint not null);
create table public.untouched (id int primary key);
create function public.refuse() returns trigger language plpgsql as $$ begin raise exception 'append-only'; end $$;
create trigger append_only before delete or update on public.ledger for each row execute function public.refuse();
do $$ begin create role toy nologin; exception when duplicate_object then null; end $$; -- roles are the server's, not the database's
grant usage on schema recon, public to toy;
grant all on all tables in schema public to toy;
grant all on all sequences in schema public to toy;
insert into public.account select i, 100 from generate_series(1, 3) i;
`

type toy struct {
	server   *Server
	sessions *Sessions
}

// openToy makes a toy on the server that such tests share.
func openToy(t testing.TB) *toy {
	t.Helper()
	server, err := sharedServer()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.DropDatabase(context.Background(), "toy")) }) // after its sessions are closed
	return newToy(t, server, "toy")
}

var sharedServer = sync.OnceValues(func() (*Server, error) {
	return Open(context.Background(), Options{How: "local", Run: "toy", Core: -1})
})

// openToyAlone makes a toy on a server of its own, for a test that restarts it or puts another in its place.
func openToyAlone(t testing.TB) *toy {
	t.Helper()
	server, err := Open(t.Context(), Options{How: "local", Run: "alone", Core: -1})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close(context.Background())) })
	return newToy(t, server, "toy")
}

func newToy(t testing.TB, server *Server, database string) *toy {
	t.Helper()
	ctx := context.Background()
	require.NoError(t, server.CreateDatabase(ctx, database))
	admin, err := pgx.Connect(ctx, server.ConnString(database))
	require.NoError(t, err)
	_, err = admin.Exec(ctx, toySchema)
	require.NoError(t, err)
	require.NoError(t, admin.Close(ctx))
	sessions, err := NewSessions(server, database, SessionOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, sessions.Close()) })
	require.NoError(t, sessions.InstallClock(ctx))
	require.NoError(t, sessions.Snapshot(ctx))
	return &toy{server, sessions}
}

// outcome of a run.
type outcome struct {
	history *sim.History
	tables  Tables
	err     error // of the kernel
	failure error // of the wire

	bootErrors []error
}

// hash is what must be the same in a replay.
func (o outcome) hash() string { return o.history.Hash() + o.tables.Hash() + fmt.Sprint(o.err) }

var toyEpoch = time.Date(2026, 3, 1, 2, 0, 0, 0, time.UTC)

// program sets a run up: it makes the processes.
type program func(k *sim.Kernel, s *Sessions)

func (y *toy) run(t testing.TB, d sim.Decider, p program) outcome {
	t.Helper()
	ctx := context.Background()
	require.NoError(t, y.sessions.Reset(ctx))
	k := sim.New(sim.Config{Epoch: toyEpoch, Seed: 1, Decider: d, Locks: y.sessions, Watchdog: 10 * time.Second,
		Latencies: []time.Duration{45 * time.Second}, Stalls: []time.Duration{90 * time.Second}})
	y.sessions.Attach(k)
	p(k, y.sessions)
	err := k.Run(ctx, 10*time.Minute)
	if err == nil {
		k.Heal()
		err = k.Run(ctx, 20*time.Minute)
	}
	o := outcome{history: k.History(), err: err, failure: y.sessions.Err(), bootErrors: k.BootErrors()}
	k.Close()
	y.sessions.Detach()
	tables, dumpErr := y.sessions.Dump(ctx)
	require.NoError(t, dumpErr)
	o.tables = tables
	require.NoError(t, o.failure)
	return o
}

const toyClaim = `-- name: ClaimJob :one
with c as (select id from job where state = 'ready' or state = 'leased' and lease_until <= recon.now() order by id limit 1 for update skip locked)
update job set state = 'leased', fence = fence + 1, worker = $1, lease_until = recon.now() + $2::interval from c where job.id = c.id
returning job.id, job.fence`

// toyWorkers is the program. fenced false is the planted bug: a finish that does not look whether the lease is still its own.
func toyWorkers(fenced bool) program {
	return func(k *sim.Kernel, s *Sessions) {
		k.World("books", func(ctx context.Context) error { return s.seed(ctx) })
		for _, name := range []string{"worker-1", "worker-2"} {
			k.Process(name, 5*time.Second, func(ctx context.Context, p *sim.Process) error {
				pool, err := s.Pool(ctx, p, "toy", 4)
				if err != nil {
					return err
				}
				return (&worker{k: k, p: p, pool: pool, fenced: fenced}).loop(ctx)
			})
		}
	}
}

// seed puts jobs in, outside of the gate: it is the world's doing.
func (s *Sessions) seed(ctx context.Context) error {
	return s.ask(func(ctx context.Context) error {
		_, err := s.monitor.Exec(ctx, "insert into job (id) select 'job-' || i from generate_series(1, 3) i")
		return err
	})
}

type worker struct {
	k      *sim.Kernel
	p      *sim.Process
	pool   *pgxpool.Pool
	fenced bool
}

func (w *worker) loop(ctx context.Context) error {
	for w.p.Mono() < 5*time.Minute {
		id, fence, err := w.claim(ctx)
		if err != nil {
			if w.p.Sleep(ctx, 10*time.Second) != nil {
				return nil
			}
			continue
		}
		if _, err := w.k.Call(ctx, sim.Call{Actor: "provider", Label: "charge(" + id + ")"}); err != nil {
			continue
		}
		_ = w.finish(ctx, id, fence)
	}
	return nil
}

func (w *worker) claim(ctx context.Context) (id string, fence int, err error) {
	err = w.pool.AcquireFunc(ctx, func(c *pgxpool.Conn) error {
		return c.QueryRow(ctx, toyClaim, w.p.Name(), "30s").Scan(&id, &fence)
	})
	return id, fence, err
}

func (w *worker) finish(ctx context.Context, id string, fence int) error {
	return pgx.BeginFunc(ctx, w.pool, func(tx pgx.Tx) error {
		sql := "-- name: FinishJob :exec\nupdate job set state = 'done', lease_until = null where id = $1 and fence = $2 and state = 'leased'"
		if !w.fenced {
			sql = "-- name: FinishJob :exec\nupdate job set state = 'done', lease_until = null where id = $1 and $2::int is not null"
		}
		tag, err := tx.Exec(ctx, sql, id, fence)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return fmt.Errorf("lease lost")
		}
		b := &pgx.Batch{}
		b.Queue("-- name: InsertLedger :exec\ninsert into ledger (job, fence) values ($1, $2)", id, fence)
		b.Queue("-- name: TouchAccount :exec\nupdate account set balance = balance - $1 where id = 1", 10)
		return tx.SendBatch(ctx, b).Close()
	})
}

// doubled are jobs with more than one ledger row, unfinished those that are not done.
func (o outcome) doubled() (out []string) {
	seen := map[string]int{}
	for _, r := range o.tables["public.ledger"].Each() {
		if seen[r.Text("job")]++; seen[r.Text("job")] == 2 {
			out = append(out, r.Text("job"))
		}
	}
	return out
}

func (o outcome) unfinished() (out []string) {
	for _, r := range o.tables["public.job"].Each() {
		if r.Text("state") != "done" {
			out = append(out, r.Text("id"))
		}
	}
	return out
}

// toyWeights draws every kind of fault, latencies and switches.
func toyWeights(g sim.Gate, c sim.Class) []sim.Weighted {
	switch c {
	case sim.Fault:
		return sim.Split(g, c, 800)
	case sim.Latency:
		return sim.Split(g, c, 300)
	case sim.Then:
		return sim.Split(g, c, 3000)
	}
	return nil
}

func TestToy_PlainRunFinishesEveryJobOnce(t *testing.T) {
	y := openToy(t)
	o := y.run(t, sim.Plain(), toyWorkers(true))
	require.NoError(t, o.err)
	require.Empty(t, o.unfinished())
	require.Empty(t, o.doubled())
	require.Len(t, o.tables["public.ledger"].Rows, 3)
}
