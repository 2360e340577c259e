package reconcile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres"
)

// Worker reconciles: it claims jobs and takes each to its envelope. A process has at most one.
type Worker struct {
	rt       engine.Runtime
	db       *postgres.DB
	provider engine.Provider
	config   Config
	idle     *engine.Idle
	note     func(record engine.Key, err error)
	finished func(engine.AccountID)

	mu       sync.Mutex // below; never held over a wait
	reads    []read
	nextRead int
}

// New makes the worker.
func New(rt engine.Runtime, db *postgres.DB, p engine.Provider, c Config) *Worker {
	return &Worker{
		rt: rt, db: db, provider: p, config: c.withDefaults(), idle: engine.NewIdle(rt),
		note: func(engine.Key, error) {}, finished: func(engine.AccountID) {},
	}
}

// Note sets who hears of jobs that could not be ended as they should; they are taken up again by a later claim.
func (w *Worker) Note(hear func(record engine.Key, err error)) { w.note = hear }

// Finished sets who is told that an envelope was committed: corrections and intents may be waiting now.
func (w *Worker) Finished(hear func(engine.AccountID)) { w.finished = hear }

// Wake spares the worker its idle wait: jobs may have been admitted.
func (w *Worker) Wake() { w.idle.Wake() }

// Run works until drain is set, or ctx is over and then returns its error. On drain a job whose statement is still
// being read is handed back at once; one that is being written is finished.
func (w *Worker) Run(ctx context.Context, drain engine.Event) error {
	reading, cancel := w.rt.WithCancel(ctx)
	defer cancel()
	watch := w.rt.Spawn(reading, "reconcile/drain", func(reading context.Context) error {
		if drain.Wait(reading) == nil {
			cancel()
			w.abort()
		}
		return nil
	})
	for reading.Err() == nil {
		claimed, err := w.Pass(ctx, reading)
		if err != nil {
			w.note("", err)
		}
		if claimed > 0 && err == nil {
			continue
		}
		_ = w.idle.Wait(reading, w.config.PollIdle)
	}
	cancel()
	_ = watch.Wait(context.WithoutCancel(ctx))
	return ctx.Err()
}

// endWith makes cancel be called when a drain ends the reading; the returned function forgets it.
func (w *Worker) endWith(reading context.Context, cancel context.CancelFunc) (forget func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if reading.Err() != nil {
		cancel()
	}
	w.nextRead++
	id := w.nextRead
	w.reads = append(w.reads, read{id, cancel})
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.reads = slices.DeleteFunc(w.reads, func(r read) bool { return r.id == id })
	}
}

// abort ends the reads under way, in the order in which they began.
func (w *Worker) abort() {
	w.mu.Lock()
	reads := slices.Clone(w.reads)
	w.mu.Unlock()
	for _, r := range reads {
		r.cancel()
	}
}

// read is a statement being read by one job's task.
type read struct {
	id     int
	cancel context.CancelFunc
}

// Pass claims one batch and takes every job of it to its end. reading is over when the statements that are being read
// should not be waited for any more. It gives the number of claimed jobs; the error is the claim's own.
func (w *Worker) Pass(ctx, reading context.Context) (claimed int, err error) {
	jobs, err := w.db.ClaimJobs(ctx, w.config.Batch)
	if err != nil {
		return 0, err
	}
	tasks := make([]engine.Task, len(jobs))
	for i, j := range jobs {
		tasks[i] = w.rt.Spawn(ctx, string(j.Claim.Record), func(ctx context.Context) error {
			// A context of the job's own task that ends with reading: a call made under another task's context would be
			// that task's call.
			own, cancel := w.rt.WithCancel(ctx)
			defer cancel()
			defer w.endWith(reading, cancel)()
			return w.job(ctx, own, j)
		})
	}
	ended := context.WithoutCancel(ctx) // nothing of this claim may be in flight at the next
	for i, task := range tasks {
		// The lease is lost: whoever has the job now does what is to be done.
		if err := task.Wait(ended); err != nil && !errors.Is(err, engine.ErrLeaseLost) {
			w.note(jobs[i].Claim.Record, fmt.Errorf("%s: %w", jobs[i].Claim.Record, err))
		}
	}
	return len(jobs), nil
}
