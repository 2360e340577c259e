package reconcile

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres"
	"github.com/recondrill/recondrill/engine/provider"
)

// job takes one claimed job to its end. An error means that the claim was left as it is.
func (w *Worker) job(ctx, reading context.Context, j postgres.Job) error {
	switch {
	case w.late(j.Claim):
		return errLate
	case reading.Err() != nil:
		return w.drained(ctx, j)
	case j.Crashes >= w.config.CrashesMax:
		return w.bury(ctx, j, fmt.Sprintf("%d processes died while they worked on it", j.Crashes))
	}
	if err := w.db.BeginJob(ctx, j.Claim); err != nil {
		return w.troubled(ctx, j, err)
	}
	raw, err := w.read(reading, j)
	switch {
	case w.late(j.Claim):
		return errLate
	case err != nil && reading.Err() != nil:
		return w.drained(ctx, j)
	case errors.Is(err, engine.ErrPending):
		return w.pending(ctx, j, "the statement is not ready")
	case err != nil:
		return w.failed(ctx, j, "statement: "+err.Error())
	}
	st, err := provider.Parse(raw, w.config.Statement)
	if err != nil {
		return w.failed(ctx, j, err.Error())
	}
	if err := provider.Whole(st); err != nil {
		return w.pending(ctx, j, err.Error())
	}
	return w.reconcile(ctx, j, raw, st)
}

// errLate is a claim of which we can no longer prove that it is ours, by our own monotonic clock.
var errLate = errors.New("stopped before the lease can have ended")

func (w *Worker) late(c engine.Claim) bool { return w.rt.Mono() >= c.StopAt }

// read asks the provider with no transaction open, for as long as the call may take and the lease surely lasts.
func (w *Worker) read(reading context.Context, j postgres.Job) (engine.RawStatement, error) {
	wait := j.Claim.StopAt - w.rt.Mono()
	if call := w.provider.Terms().CallTimeout; call > 0 && call < wait {
		wait = call
	}
	call, cancel := w.rt.WithTimeout(reading, wait)
	defer cancel()
	return w.provider.Statement(call, j.Account, j.Window)
}

// reconcile compares, plans and commits.
func (w *Worker) reconcile(ctx context.Context, j postgres.Job, raw engine.RawStatement, st engine.Statement) error {
	if w.rt.Mono() > j.Claim.StopAt-w.db.Options().Lease/2 {
		claim, err := w.db.RenewJob(ctx, j.Claim)
		if err != nil {
			return w.troubled(ctx, j, err)
		}
		j.Claim = claim
	}
	books, err := w.db.LoadBooks(ctx, j, asked(st))
	if err != nil {
		return w.troubled(ctx, j, err)
	}
	p, err := newPlan(j, st, books, w.config)
	if err != nil {
		return w.db.ReviewJob(ctx, j.Claim, "refused", err.Error())
	}
	var today []postgres.Automatic
	if p.wantsAutomatic() {
		if today, err = w.db.AutomaticToday(ctx, j.Account); err != nil {
			return w.troubled(ctx, j, err)
		}
	}
	finished, err := p.finish(raw, w.config.Policy, today)
	if err != nil {
		return w.db.ReviewJob(ctx, j.Claim, "refused", err.Error())
	}
	if w.late(j.Claim) {
		return errLate
	}
	if err := w.db.FinishJob(ctx, j, finished); err != nil {
		return w.troubled(ctx, j, err)
	}
	w.finished(j.Account)
	return nil
}

// troubled decides what an error of the database means for the claim. What is wrong with the record itself would be
// refused again: that burns an attempt, else a poisoned job would turn for ever. A database that is away, or not as we
// need it, burns nothing.
func (w *Worker) troubled(ctx context.Context, j postgres.Job, err error) error {
	switch {
	case errors.Is(err, engine.ErrLeaseLost), errors.Is(err, postgres.ErrCommitUnknown):
		return err
	case w.late(j.Claim):
		return errors.Join(errLate, err)
	case errors.Is(err, postgres.ErrStale), errors.Is(err, postgres.ErrNotCommitted):
		return w.handBack(ctx, j, 0, "stale", err.Error())
	case errors.Is(err, postgres.ErrBookedOtherwise):
		return w.db.ReviewJob(ctx, j.Claim, "refused", err.Error())
	case postgres.RecordsFault(err):
		return w.failed(ctx, j, err.Error())
	default:
		return w.handBack(ctx, j, w.config.Backoff.Min, "database", err.Error())
	}
}

// drained hands back at once; another process takes the job at its next poll.
func (w *Worker) drained(ctx context.Context, j postgres.Job) error {
	return w.handBack(ctx, j, 0, "drained", "")
}

// pending waits for the provider; for how long is counted from when the window was due.
func (w *Worker) pending(ctx context.Context, j postgres.Job, why string) error {
	if j.ClaimedAt.Sub(j.Window.DueAt) > w.config.PendingMax {
		return w.db.ReviewJob(ctx, j.Claim, "pending", fmt.Sprintf("%s, %v after the window was due", why, w.config.PendingMax))
	}
	return w.handBack(ctx, j, w.config.PendingEvery, "pending", why)
}

func (w *Worker) handBack(ctx context.Context, j postgres.Job, wait time.Duration, outcome, why string) error {
	return w.db.HandBackJob(ctx, j.Claim, wait, outcome, why)
}

// failed burns one attempt, and after the last one buries the job.
func (w *Worker) failed(ctx context.Context, j postgres.Job, why string) error {
	if j.Attempts+1 >= w.config.AttemptsMax {
		return w.bury(ctx, j, why)
	}
	wait := w.config.Backoff.Delay(j.Attempts, engine.Jitter(j.Claim.Record, j.Attempts))
	return w.db.RetryJob(ctx, j.Claim, wait, why)
}

func (w *Worker) bury(ctx context.Context, j postgres.Job, why string) error {
	_, err := w.db.BuryJob(ctx, j.Claim, why)
	return err
}
