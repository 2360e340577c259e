package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres/queries"
)

// guardTries bounds how often a guarded write is done again after it surely was not done.
const guardTries = 3

type readBack = func(context.Context, *queries.Queries) (committed bool, err error)

// guarded runs one statement that its own guard (fence and state) makes harmless to repeat. A lost answer is read back
// under the lock; only what surely was not done is done again.
func (d *DB) guarded(ctx context.Context, name string, ask readBack, work func(context.Context, *queries.Queries) error) error {
	var err error
	for range guardTries {
		err = d.one(ctx, name, work)
		switch {
		case err == nil || errors.Is(err, engine.ErrLeaseLost):
			return err
		case lostRace(err):
			continue
		case surelyRolledBack(err):
			return err
		}
		err = d.readBack(ctx, txOptions{Name: name, ReadBack: ask}, err)
		if !errors.Is(err, ErrNotCommitted) {
			return err
		}
	}
	return err
}

// guardedTx is guarded for a transaction of several statements.
func (d *DB) guardedTx(ctx context.Context, name string, ask readBack, work func(context.Context, *queries.Queries) error) error {
	var err error
	for range guardTries {
		err = d.inTx(ctx, txOptions{Name: name, ReadBack: ask}, work)
		if !lostRace(err) && !errors.Is(err, ErrNotCommitted) {
			return err
		}
	}
	return err
}

// lostRace says that the server chose this transaction as the victim of a deadlock or of a conflict: surely rolled
// back, and worth another try.
func lostRace(err error) bool {
	var answer *pgconn.PgError
	return errors.As(err, &answer) && (answer.Code == "40P01" || answer.Code == "40001")
}

// lostOr turns "no row" of a claim's write into its meaning.
func lostOr(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return engine.ErrLeaseLost
	}
	return err
}

func fenceOf(incarnation int32, number int64) engine.Fence {
	return engine.Fence{Incarnation: incarnation, Number: number}
}

func burnt(burns bool) int32 {
	if burns {
		return 1
	}
	return 0
}

func timeOrZero(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}

// record is what a read-back sees of an intent or a correction, under its lock. Fence and claim stay while nobody else
// writes it; once somebody did, it does not show any more what became of the claim's last write: ErrLeaseLost.
type record struct {
	State            string
	FenceIncarnation int32
	FenceNumber      int64
	Claimed          bool
	Here             bool
}

// submitting tells whether the claim's transaction before a call is there. On another server than the claim's nothing may
// be sent.
func (r record) submitting(c engine.Claim, state string) (bool, error) {
	switch {
	case !r.is(c) || !r.Claimed:
		return false, writtenSince(c)
	case r.State == state && !r.Here:
		return false, fmt.Errorf("%s: the server is not that of fence %v any more: %w", c.Record, c.Fence, engine.ErrLeaseLost)
	default:
		return r.State == state, nil
	}
}

// finished tells whether the claim's last write, which ends it, is there.
func finished[S ~string](r record, c engine.Claim, to []S) (bool, error) {
	if !r.is(c) || !r.Claimed && !slices.Contains(to, S(r.State)) {
		return false, writtenSince(c)
	}
	return !r.Claimed, nil
}

func (r record) is(c engine.Claim) bool { return fenceOf(r.FenceIncarnation, r.FenceNumber) == c.Fence }

func writtenSince(c engine.Claim) error {
	return fmt.Errorf("%s was written by others since: %w", c.Record, engine.ErrLeaseLost)
}
