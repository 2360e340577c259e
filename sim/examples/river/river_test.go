package river_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/rivertype"
	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/examples/river"
	"github.com/recondrill/recondrill/sim/pg"
	"github.com/recondrill/recondrill/sim/simtest"
)

var server *pg.Server

func TestMain(m *testing.M) {
	os.Exit(pg.RunTests(m, "river", func(_ context.Context, s *pg.Server) error {
		server = s
		return nil
	}))
}

// attempt is one worker at work on a job.
type attempt struct {
	worker string
	number int
	since  time.Time
}

// truth is what really happened, told by the workers themselves.
type truth struct {
	completed map[int64]bool
	holder    map[int64]attempt
	doubled   string // a job that was given out while its holder was in time
}

func (w *truth) took(worker string, job *rivertype.JobRow) {
	h, held := w.holder[job.ID]
	now := *job.AttemptedAt
	if held && now.Sub(h.since) <= river.RescueAfter && w.doubled == "" {
		w.doubled = fmt.Sprintf("job %d to %s as attempt %d, while %s is at attempt %d since %s", job.ID, worker, job.Attempt, h.worker, h.number, now.Sub(h.since))
	}
	w.holder[job.ID] = attempt{worker, job.Attempt, now}
}

func (w *truth) reported(job *rivertype.JobRow, state rivertype.JobState) {
	if w.holder[job.ID].number == job.Attempt {
		delete(w.holder, job.ID)
	}
	if state == rivertype.JobStateCompleted {
		w.completed[job.ID] = true
	}
}

// program has two workers and a maintainer, and as many jobs; the first so many attempts of each fail.
func program(name string, jobs, failures int) simtest.Program {
	var world *truth
	return simtest.Program{
		Name:    name,
		Server:  server,
		Migrate: river.Migrate,
		Start: func(r *simtest.Run) {
			world = &truth{completed: map[int64]bool{}, holder: map[int64]attempt{}}
			until := r.Kernel.Now().Add(6 * time.Minute)
			seen := river.Seen{
				Took:     func(worker string, job *rivertype.JobRow) { world.took(worker, job) },
				Fails:    func(job *rivertype.JobRow) bool { return job.Attempt <= failures },
				Reported: func(job *rivertype.JobRow, state rivertype.JobState) { world.reported(job, state) },
			}
			r.Person("customer", func(ctx context.Context, db *pgxpool.Pool) error { return river.Insert(ctx, db, jobs, r.Kernel.Now()) })
			for _, name := range []string{"worker-1", "worker-2"} {
				r.Process(name, func(ctx context.Context, p *sim.Process, db *pgxpool.Pool) error {
					return river.Worker(ctx, p, db, until, seen)
				})
			}
			r.Process("maintainer", func(ctx context.Context, p *sim.Process, db *pgxpool.Pool) error {
				return river.Maintainer(ctx, p, db, until)
			})
		},
		Check: func(s *simtest.State) error {
			if world.doubled != "" {
				return simtest.Breaks("a job is given out while somebody works on it", "%s", world.doubled)
			}
			rows, err := s.Query("select id, state from river_job where state <> 'completed' order by id")
			if err != nil {
				return err
			}
			for _, row := range rows {
				if world.completed[number(row[0])] {
					return simtest.Breaks("a completed job did not stay completed", "job %s is %s", row[0], row[1])
				}
			}
			return nil
		},
		Durations: []time.Duration{river.RescueAfter + time.Second},
		Runs:      120,
		For:       2 * time.Minute,
	}
}

func number(text string) (n int64) {
	_, _ = fmt.Sscan(text, &n)
	return n
}

func search(t *testing.T, p simtest.Program) *simtest.Failure {
	t.Helper()
	r, err := simtest.Search(t.Context(), p)
	require.NoError(t, err)
	if r.Failure == nil {
		t.Logf("nothing in %d runs, %d different ones\n%s", r.Runs, r.Distinct, strings.Join(r.Told, "\n"))
		return nil
	}
	f := r.Failure
	t.Logf("run %d by %s, shrunk in %d runs\n%s\n%s", f.Found, f.Rung, f.Shrunk, strings.Join(f.Story, "\n"), f.Script)
	return f
}

func TestRiver_ARescueThatReadBeforeTheCompletionUndoesItUntilV048(t *testing.T) {
	f := search(t, program("rescue", 1, 0))
	if river.Mended {
		require.Nil(t, f)
		return
	}
	require.NotNil(t, f)
	require.Equal(t, "a completed job did not stay completed", f.Claim)
	require.Contains(t, strings.Join(f.Story, "\n"), "JobRescueMany")
}

func TestRiver_TheLateReportOfARescuedAttemptEndsTheOneThatRunsNow(t *testing.T) {
	f := search(t, program("late-report", 1, 1))
	require.NotNil(t, f)
	require.Equal(t, "a job is given out while somebody works on it", f.Claim)
}
