package queue_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/examples/queue"
	"github.com/recondrill/recondrill/sim/pg"
	"github.com/recondrill/recondrill/sim/simtest"
)

var server *pg.Server

func TestMain(m *testing.M) {
	os.Exit(pg.RunTests(m, "queue", func(_ context.Context, s *pg.Server) error {
		server = s
		return nil
	}))
}

type worker func(ctx context.Context, db *pgxpool.Pool, clock queue.Clock) error

func program(w worker) simtest.Program {
	return simtest.Program{
		Name:   "queue",
		Server: server,
		Schema: queue.Schema,
		Start: func(r *simtest.Run) {
			for _, name := range []string{"worker-1", "worker-2"} {
				r.Process(name, func(ctx context.Context, p *sim.Process, db *pgxpool.Pool) error { return w(ctx, db, p) })
			}
		},
		Check: func(s *simtest.State) error {
			if err := s.None("a job ran twice", "select job_id from sent group by job_id having count(*) > 1 order by 1"); err != nil {
				return err
			}
			if !s.Settled {
				return nil
			}
			return s.None("a job was left behind", "select id from jobs where status <> 'done' order by id")
		},
	}
}

func TestQueue_TheNaiveOneRunsAJobTwiceAndTheStorySaysHow(t *testing.T) {
	p := program(queue.Worker)
	p.Without = []string{"kill", "late", "answer", "cut", "commit", "stall", "suspend", "terminated", "latency", "hold"} // two workers are enough
	r, err := simtest.Search(context.Background(), p)
	require.NoError(t, err)
	require.NotNil(t, r.Failure)
	f := r.Failure
	story := strings.Join(f.Story, "\n")
	t.Logf("run %d by %s, shrunk in %d runs\n%s\n%s", f.Found, f.Rung, f.Shrunk, story, f.Script)
	require.Equal(t, "a job ran twice", f.Claim)
	require.Len(t, f.Script.Deviations, 1, "one switch is enough")
	require.Equal(t, sim.Then, f.Script.Deviations[0].Class)
	require.GreaterOrEqual(t, len(f.Story), 5)
	require.LessOrEqual(t, len(f.Story), 10)
	require.Contains(t, story, "goes first")
	require.Contains(t, story, "=> a job ran twice: ")

	readme, err := os.ReadFile("../../../README.md")
	require.NoError(t, err)
	for _, line := range f.Story {
		require.Contains(t, string(readme), line, "the README tells another story")
	}
}

func TestQueue_TheNaiveOneLeavesTheJobOfADeadWorkerBehind(t *testing.T) {
	p := program(queue.Worker)
	p.Without = []string{"then", "latency", "stall", "suspend", "hold"}
	r, err := simtest.Search(context.Background(), p)
	require.NoError(t, err)
	require.NotNil(t, r.Failure)
	t.Log(strings.Join(r.Failure.Story, "\n"))
	require.Equal(t, "a job was left behind", r.Failure.Claim)
	require.Len(t, r.Failure.Script.Deviations, 1)
}

func TestQueue_TheFixedOneHoldsUnderEverything(t *testing.T) {
	p := program(queue.FixedWorker)
	p.Runs = 150
	r, err := simtest.Search(context.Background(), p)
	require.NoError(t, err)
	if r.Failure != nil {
		t.Fatal(strings.Join(r.Failure.Story, "\n"), r.Failure.Script)
	}
	t.Logf("%d runs, %d different ones\n%s", r.Runs, r.Distinct, strings.Join(r.Told, "\n"))
}
