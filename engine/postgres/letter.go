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

// BuryJob ends a claim whose budget is spent: dead where the lane has room, else parked. It answers which.
func (d *DB) BuryJob(ctx context.Context, c engine.Claim, reason string) (state engine.JobState, err error) {
	err = d.guarded(ctx, "BuryJob", jobEndedAs(c, &state, engine.JobDead, engine.JobParked), func(ctx context.Context, q *queries.Queries) error {
		row, err := q.BuryJob(ctx, queries.BuryJobParams{
			JobID: string(c.Record), FenceIncarnation: c.Fence.Incarnation, FenceNumber: c.Fence.Number, Reason: reason,
		})
		state = engine.JobState(row.State)
		return lostOr(err)
	})
	return state, err
}

// LaneCapacity is a person's word on how many letters a lane holds.
type LaneCapacity struct {
	Lane     string
	Capacity int
	By, Why  string
}

// SetLaneCapacity sets it. Fewer than the lane holds now is refused.
func (d *DB) SetLaneCapacity(ctx context.Context, c LaneCapacity) error {
	return d.one(ctx, "SetLaneCapacity", func(ctx context.Context, q *queries.Queries) error {
		_, err := q.SetLaneCapacity(ctx, queries.SetLaneCapacityParams{Lane: c.Lane, Capacity: int32(c.Capacity), Actor: c.By, Why: c.Why})
		if errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("lane %q: unknown, or it holds more than %d letters now; accepted: jobs, corrections, email, sms, push, with no fewer letters than it holds", c.Lane, c.Capacity)
		}
		return err
	})
}
