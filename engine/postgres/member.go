package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres/queries"
)

// ErrDeregistered answers a heartbeat of a member that was stopped. Duty: claim nothing, abort what is in flight.
var ErrDeregistered = errors.New("this member is not registered any more")

// registerTries bounds how often a lost race for the next incarnation is run again.
const registerTries = 5

func (d *DB) register(ctx context.Context) error {
	for range registerTries {
		var incarnation int32
		err := d.one(ctx, "RegisterMember", func(ctx context.Context, q *queries.Queries) (err error) {
			incarnation, err = q.RegisterMember(ctx, queries.RegisterMemberParams{MemberID: d.member, Process: d.options.Member})
			return err
		})
		if err != nil {
			return err
		}
		if incarnation > 0 {
			return nil
		}
	}
	return errors.New("RegisterMember: other processes took each next incarnation")
}

// Beat is the heartbeat of this process, and how it notices that the server is another one (failover, restore): whoever
// notices first takes the next incarnation. ErrDeregistered: it was stopped by a drain, or its registration is lost.
func (d *DB) Beat(ctx context.Context) (at time.Time, err error) {
	err = d.one(ctx, "Beat", func(ctx context.Context, q *queries.Queries) error {
		row, err := q.Beat(ctx, d.member)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return ErrDeregistered
		case err != nil:
			return err
		}
		at = row.BeatAt
		if row.Incarnation == 0 {
			return q.NoticeIncarnation(ctx)
		}
		return nil
	})
	return at, err
}

// Deregister ends this member: what it still leased is free for others at once.
func (d *DB) Deregister(ctx context.Context) error {
	return d.one(ctx, "Deregister", func(ctx context.Context, q *queries.Queries) error {
		_, err := q.Deregister(ctx, d.member)
		return err
	})
}

// claimed makes the Claim of a record from what a claiming statement gave back. before is Mono read before the
// statement was sent: the lease began later than that, so StopAt is surely earlier than its end.
func (d *DB) claimed(record engine.Key, fence engine.Fence, until time.Time, before time.Duration) engine.Claim {
	return engine.Claim{
		Record: record,
		Fence:  fence,
		Until:  until,
		StopAt: before + d.options.Lease - d.options.LeaseMargin,
	}
}
