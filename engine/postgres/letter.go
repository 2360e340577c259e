package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres/queries"
)

// JobLane is the dead-letter lane of jobs; corrections and each channel have their own.
const JobLane = "jobs"

// deadLetter writes the record's letter number death into its lane, inside the transaction that makes it dead. False:
// the lane is full, and the record must be parked instead.
func deadLetter(ctx context.Context, q *queries.Queries, lane, record string, death int32, reason string) (bool, error) {
	_, err := q.DeadLetter(ctx, queries.DeadLetterParams{Lane: lane, Record: record, Death: death, Reason: reason})
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// BuryJob ends a claim whose budget is spent: dead where the lane has room, else parked. It answers which.
func (d *DB) BuryJob(ctx context.Context, c engine.Claim, reason string) (state engine.JobState, err error) {
	var ended string
	err = d.guarded(ctx, "BuryJob", d.jobEnded(c, engine.JobDead, engine.JobParked), func(ctx context.Context, q *queries.Queries) (err error) {
		ended, err = q.BuryJob(ctx, queries.BuryJobParams{
			JobID: string(c.Record), FenceIncarnation: c.Fence.Incarnation, FenceNumber: c.Fence.Number, Reason: reason,
		})
		return lostOr(err)
	})
	return engine.JobState(ended), err
}

// SetLaneCapacity says how many letters a lane holds. Fewer than it holds now is refused.
func (d *DB) SetLaneCapacity(ctx context.Context, lane string, capacity int) error {
	return d.one(ctx, "SetLaneCapacity", func(ctx context.Context, q *queries.Queries) error {
		n, err := q.SetLaneCapacity(ctx, queries.SetLaneCapacityParams{Lane: lane, Capacity: int32(capacity)})
		if err == nil && n == 0 {
			return fmt.Errorf("lane %q: unknown, or it holds more than %d letters now; accepted: jobs, corrections, email, sms, push", lane, capacity)
		}
		return err
	})
}
