package postgres

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres/queries"
)

// Job is one account and window under a claim.
type Job struct {
	Claim         engine.Claim // its record is account/window
	Account       engine.AccountID
	Window        engine.Window
	Generation    int
	Attempts      int // failures in this budget
	Crashes       int // claims that ended without an answer after work had begun
	CorrelationID string
	ClaimedAt     time.Time // the database's
}

// ClaimJobs leases at most batch jobs that are due, one an account, and takes over what silent or late holders left.
// A member's worker claims only when nothing of its claim before is in flight: what it still has leased then is a
// claim whose answer was lost, and is taken again.
func (d *DB) ClaimJobs(ctx context.Context, batch int) ([]Job, error) {
	before := d.rt.Mono()
	var rows []queries.ClaimJobsRow
	err := d.one(ctx, "ClaimJobs", func(ctx context.Context, q *queries.Queries) (err error) {
		rows, err = q.ClaimJobs(ctx, queries.ClaimJobsParams{
			HeartbeatDead: d.options.HeartbeatDead, Member: d.member, Batch: int32(batch), Lease: d.options.Lease,
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	jobs := make([]Job, 0, len(rows))
	for _, r := range rows {
		jobs = append(jobs, Job{
			Claim:      d.claimed(engine.Key(r.JobID), fenceOf(r.FenceIncarnation, r.FenceNumber), r.LeaseUntil, before),
			Account:    engine.AccountID(r.AccountID),
			Window:     engine.Window{ID: r.WindowID, Start: r.StartsAt.UTC(), End: r.EndsAt.UTC(), DueAt: r.DueAt.UTC()},
			Generation: int(r.Generation), Attempts: int(r.Attempts), Crashes: int(r.Crashes),
			CorrelationID: r.CorrelationID, ClaimedAt: r.Now.UTC(),
		})
	}
	return jobs, nil
}

// BeginJob marks that work begins: from now on a claim that ends without an answer is a crash. ErrLeaseLost: stop.
func (d *DB) BeginJob(ctx context.Context, c engine.Claim) error {
	return d.one(ctx, "BeginJob", func(ctx context.Context, q *queries.Queries) error {
		_, err := q.BeginJob(ctx, queries.BeginJobParams{
			JobID: string(c.Record), FenceIncarnation: c.Fence.Incarnation, FenceNumber: c.Fence.Number,
		})
		return lostOr(err)
	})
}

// RenewJob extends a lease that has not ended, and answers the claim with its new end. ErrLeaseLost: stop.
func (d *DB) RenewJob(ctx context.Context, c engine.Claim) (engine.Claim, error) {
	before := d.rt.Mono()
	var row queries.RenewJobRow
	err := d.one(ctx, "RenewJob", func(ctx context.Context, q *queries.Queries) (err error) {
		row, err = q.RenewJob(ctx, queries.RenewJobParams{
			JobID: string(c.Record), FenceIncarnation: c.Fence.Incarnation, FenceNumber: c.Fence.Number, Lease: d.options.Lease,
		})
		return lostOr(err)
	})
	if err != nil {
		return c, err
	}
	return d.claimed(c.Record, c.Fence, row.LeaseUntil, before), nil
}

// HandBackJob gives a job back without burning an attempt: a drain, a pending statement, a throttled provider. It is
// claimed again after wait at the earliest.
func (d *DB) HandBackJob(ctx context.Context, c engine.Claim, wait time.Duration, outcome, why string) error {
	return d.guarded(ctx, "HandBackJob", jobEnded(c, engine.JobReady), func(ctx context.Context, q *queries.Queries) error {
		_, err := q.HandBackJob(ctx, queries.HandBackJobParams{
			JobID: string(c.Record), FenceIncarnation: c.Fence.Incarnation, FenceNumber: c.Fence.Number,
			Wait: wait, Outcome: outcome, Error: why,
		})
		return lostOr(err)
	})
}

// RetryJob ends a failed claim: one attempt is burnt, and the job is claimed again after wait at the earliest.
func (d *DB) RetryJob(ctx context.Context, c engine.Claim, wait time.Duration, why string) error {
	return d.guarded(ctx, "RetryJob", jobEnded(c, engine.JobReady), func(ctx context.Context, q *queries.Queries) error {
		_, err := q.RetryJob(ctx, queries.RetryJobParams{
			JobID: string(c.Record), FenceIncarnation: c.Fence.Incarnation, FenceNumber: c.Fence.Number, Wait: wait, Error: why,
		})
		return lostOr(err)
	})
}

// ReviewJob gives a job to a person: the provider's answer could not be judged.
func (d *DB) ReviewJob(ctx context.Context, c engine.Claim, outcome, why string) error {
	return d.guarded(ctx, "ReviewJob", jobEnded(c, engine.JobReview), func(ctx context.Context, q *queries.Queries) error {
		_, err := q.ReviewJob(ctx, queries.ReviewJobParams{
			JobID: string(c.Record), FenceIncarnation: c.Fence.Incarnation, FenceNumber: c.Fence.Number, Outcome: outcome, Error: why,
		})
		return lostOr(err)
	})
}

// jobEnded reads back whether the one write that ends a claim is there. Another claim since then answers no: whatever
// it was, this claim may do nothing more.
func jobEnded(c engine.Claim, to engine.JobState) readBack {
	var state engine.JobState
	return jobEndedAs(c, &state, to)
}

// jobEndedAs is jobEnded where the write decides between states; it tells which.
func jobEndedAs(c engine.Claim, state *engine.JobState, to ...engine.JobState) readBack {
	return func(ctx context.Context, q *queries.Queries) (bool, error) {
		row, err := q.LockJob(ctx, string(c.Record))
		if err != nil || fenceOf(row.FenceIncarnation, row.FenceNumber) != c.Fence {
			return false, err
		}
		*state = engine.JobState(row.State)
		return slices.Contains(to, *state), nil
	}
}

// jobFinished reads back FinishJob. A job that was opened again since then has moved on, but its envelope stays.
func (d *DB) jobFinished(j Job) readBack {
	return func(ctx context.Context, q *queries.Queries) (bool, error) {
		row, err := q.LockJob(ctx, string(j.Claim.Record))
		if errors.Is(err, pgx.ErrNoRows) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if fenceOf(row.FenceIncarnation, row.FenceNumber) == j.Claim.Fence {
			return row.State == string(engine.JobDone), nil
		}
		n, err := q.EnvelopeOf(ctx, queries.EnvelopeOfParams{
			JobID: string(j.Claim.Record), Generation: int32(j.Generation),
			FenceIncarnation: j.Claim.Fence.Incarnation, FenceNumber: j.Claim.Fence.Number,
		})
		return n == 1, err
	}
}
