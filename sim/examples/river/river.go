// Package river puts the PostgreSQL half of a public job queue, github.com/riverqueue/river, under simulation: its
// migrations and its driver, unmodified, on the kernel's clock and pool.
//
// What of river can't be run is its Client: it starts goroutines of its own, which come to the database without having
// been given the floor, waits by the timers of the standard library, is woken by LISTEN, which the gate does not carry,
// and its rescuer reads time.Now although the rest of it has a clock to be replaced. (Tried with PollOnly: the search ends
// with "nondeterministic: the same run made again parts at line 4", a producer's statement and an elector's having changed
// places.) So the loops of the client stand here, as tasks of the kernel, and call the driver as the client's producer,
// completer, scheduler and rescuer do. Every statement, and every decision that a statement makes, is river's.
//
// What is found, in both cases because a job may run for longer than until it counts as stuck:
//
//   - up to v0.47.0 a job that was completed is run again: the rescuer had read it as stuck before it was completed, and
//     writes after (river issue 1302, mended in v0.48.0);
//   - also in the last version, a job that one worker is working on is given to another one: the worker of an earlier
//     attempt, which had been rescued, reports its failure, and the report is taken for the attempt that runs now.
//
// The tests run with both: go.mod has the old version, newest.mod and the tag newest the last one.
package river

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"

	"github.com/recondrill/recondrill/sim"
)

// The times of a client, shorter than in production: there a job counts as stuck after an hour.
const (
	RescueAfter = time.Minute
	maintain    = 30 * time.Second
	poll        = 45 * time.Second
	work        = 90 * time.Second // longer than RescueAfter: river allows that, the job is only given to another then
	queue       = "default"
)

// Migrate brings river's tables.
func Migrate(ctx context.Context, db *pgxpool.Pool) error {
	m, err := rivermigrate.New(riverpgxv5.New(db), nil)
	if err != nil {
		return err
	}
	_, err = m.Migrate(ctx, rivermigrate.DirectionUp, nil)
	return err
}

// Insert puts jobs in.
func Insert(ctx context.Context, db *pgxpool.Pool, jobs int, now time.Time) error {
	exec := riverpgxv5.New(db).GetExecutor()
	for range jobs {
		_, err := exec.JobInsertFull(ctx, &riverdriver.JobInsertFullParams{Kind: "mail", Queue: queue, EncodedArgs: []byte("{}"),
			Metadata: []byte("{}"), MaxAttempts: 5, Priority: 1, State: rivertype.JobStateAvailable, CreatedAt: &now, ScheduledAt: &now})
		if err != nil {
			return err
		}
	}
	return nil
}

// Seen is told what workers see; the test's own record of what is true. All of it must be given.
type Seen struct {
	Took     func(worker string, job *rivertype.JobRow)
	Fails    func(job *rivertype.JobRow) bool                      // how the work on it ends
	Reported func(job *rivertype.JobRow, state rivertype.JobState) // the report was acknowledged, and this is the job's state now
}

// Worker takes a job at a time, works on it, and reports what came of it.
func Worker(ctx context.Context, p *sim.Process, db *pgxpool.Pool, until time.Time, seen Seen) error {
	exec := riverpgxv5.New(db).GetExecutor()
	for p.Now().Before(until) {
		now := p.Now()
		jobs, err := available(ctx, exec, &riverdriver.JobGetAvailableParams{ClientID: p.Name(), MaxAttemptedBy: 100, MaxToLock: 1, Now: &now, Queue: queue})
		if err != nil {
			return err
		}
		for _, job := range jobs {
			seen.Took(p.Name(), job)
			if err := p.Sleep(ctx, work); err != nil {
				return err
			}
			if err := report(ctx, exec, p.Now(), job, seen); err != nil {
				return err
			}
		}
		if len(jobs) == 0 {
			if err := p.Sleep(ctx, poll); err != nil {
				return err
			}
		}
	}
	return nil
}

func report(ctx context.Context, exec riverdriver.Executor, now time.Time, job *rivertype.JobRow, seen Seen) error {
	to := riverdriver.JobSetStateCompleted(job.ID, now, nil)
	if seen.Fails(job) {
		to = riverdriver.JobSetStateErrorRetryable(job.ID, now, []byte(`{"error": "it failed"}`), nil)
	}
	rows, err := exec.JobSetStateIfRunningMany(ctx, &riverdriver.JobSetStateIfRunningManyParams{
		ID: []int64{to.ID}, Attempt: []*int{to.Attempt}, ErrData: [][]byte{to.ErrData}, FinalizedAt: []*time.Time{to.FinalizedAt},
		MetadataDoMerge: []bool{false}, MetadataUpdates: [][]byte{nil}, Now: &now, ScheduledAt: []*time.Time{to.ScheduledAt},
		State: []rivertype.JobState{to.State}})
	if err == nil && len(rows) == 1 {
		seen.Reported(job, rows[0].State)
	}
	return err
}

// Maintainer is the leader's part: jobs whose time has come become available, and jobs that have been running for too
// long are given back. As river's rescuer does, it reads them first, decides, and writes then.
func Maintainer(ctx context.Context, p *sim.Process, db *pgxpool.Pool, until time.Time) error {
	exec := riverpgxv5.New(db).GetExecutor()
	for p.Now().Before(until) {
		if err := rescue(ctx, exec, p.Now()); err != nil {
			return err
		}
		now := p.Now()
		if _, err := exec.JobSchedule(ctx, &riverdriver.JobScheduleParams{Max: 100, Now: &now}); err != nil {
			return err
		}
		if err := p.Sleep(ctx, maintain); err != nil {
			return err
		}
	}
	return nil
}

func rescue(ctx context.Context, exec riverdriver.Executor, now time.Time) error {
	horizon := now.Add(-RescueAfter)
	stuck, err := exec.JobGetStuck(ctx, &riverdriver.JobGetStuckParams{Max: 100, StuckHorizon: horizon})
	if err != nil || len(stuck) == 0 {
		return err
	}
	back := &riverdriver.JobRescueManyParams{StuckHorizon: horizon}
	for _, job := range stuck {
		back.ID = append(back.ID, job.ID)
		back.Error = append(back.Error, []byte(`{"error": "stuck"}`))
		back.FinalizedAt = append(back.FinalizedAt, nil)
		back.ScheduledAt = append(back.ScheduledAt, now)
		back.State = append(back.State, string(rivertype.JobStateRetryable))
	}
	_, err = exec.JobRescueMany(ctx, back)
	return err
}
