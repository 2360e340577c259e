package drills

import (
	"context"
	"errors"
	"time"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/ops"
	"github.com/recondrill/recondrill/engine/postgres"
)

// The persons come as often as workers do, and a little later, so that they meet who is asking, and each other.
const (
	deskEvery = pollIdle
	deskLater = 20 * time.Second
)

// desk starts two persons who settle refunds that nobody can tell, already while faults strike. Both look at the same
// time: one confirms what the provider's own list shows, the other does what advice says.
func (f *fleet) desk() {
	f.seat("desk-1", f.confirm)
	f.seat("desk-2", func(ctx context.Context, db *postgres.DB, r ops.Record) error {
		a := ops.Advise(r, f.outside())
		return ops.Do(ctx, db, ops.Settings{}, a.Act, ops.Act{By: "person:desk-2", Expect: a.Version, Why: a.Why}, r.Kind, r.Key)
	})
}

// seat is one of them at the desk. What the engine refuses, or what does not get through, is looked at again the next time.
func (f *fleet) seat(name string, settle func(context.Context, *postgres.DB, ops.Record) error) {
	f.person(name, deskEvery+deskLater, deskEvery, func(ctx context.Context, db *postgres.DB) error { return settleAll(ctx, db, settle) })
}

func settleAll(ctx context.Context, db *postgres.DB, settle func(context.Context, *postgres.DB, ops.Record) error) error {
	records, err := ops.Unsettled(ctx, db)
	for _, r := range records {
		if r.Kind == ops.Correction && r.State == string(engine.CorrectionUnknown) {
			err = errors.Join(err, settle(ctx, db, r))
		}
	}
	return err
}

// confirm says that a refund was done, where the provider's list has it. That it has it not proves nothing yet.
func (f *fleet) confirm(ctx context.Context, db *postgres.DB, r ops.Record) error {
	for _, done := range f.world.Truth().Refunds {
		if done.Key == string(r.Outside) {
			return ops.ConfirmDone(ctx, db, ops.Act{By: "person:desk-1", Expect: r.Version, Why: "it is on the provider's list"}, r.Kind, r.Key, done.Ref)
		}
	}
	return nil
}
