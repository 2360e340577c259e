package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres/queries"
)

// What an operator's act can come to besides being done.
var (
	// ErrNoRecord: there is no such record. Duty: check the name.
	ErrNoRecord = errors.New("no such record")
	// ErrNotAllowed: the record is at the version that was seen, but its state has no such exit for a person.
	ErrNotAllowed = errors.New("not allowed in this state")
)

// MovedError says that a record is not at the version that the operator saw. Nothing was written. Duty: look again.
type MovedError struct {
	Record  string // intent:…
	Expect  int64
	Version int64
	State   string
}

// Error names both versions.
func (e *MovedError) Error() string {
	return fmt.Sprintf("%s moved: it was seen at version %d and is now %s at version %d", e.Record, e.Expect, e.State, e.Version)
}

// PersonAct is an operator's act on a record: to a state, if it is still at the version that was seen and in one of the
// states of From. The audit is written in the same transaction, and the letter of what leaves `dead` gives its place
// back.
type PersonAct struct {
	Record    engine.Key
	To        string
	From      []string
	Expect    int64
	Actor     string // person:ann
	Act       string // for the audit
	Why       string
	NewBudget bool
}

// MoveJob moves a job.
func (d *DB) MoveJob(ctx context.Context, m PersonAct) error {
	return d.move(ctx, "MoveJob", "job", m, func(ctx context.Context, q *queries.Queries) (string, int64, bool, error) {
		r, err := q.MoveJob(ctx, queries.MoveJobParams{JobID: string(m.Record), State: m.To, Why: m.Why, NewBudget: m.NewBudget,
			Expect: m.Expect, FromStates: m.From, Actor: m.Actor, Act: m.Act})
		return r.State, r.Version, r.Moved, err
	})
}

// MoveIntent moves an intent. From rejected to ready it takes the next act number: a new key, and text made anew. With a
// new budget, text that is not fixed yet is made from the content that is approved now.
func (d *DB) MoveIntent(ctx context.Context, m PersonAct) error {
	return d.move(ctx, "MoveIntent", "intent", m, func(ctx context.Context, q *queries.Queries) (string, int64, bool, error) {
		r, err := q.MoveIntent(ctx, queries.MoveIntentParams{IntentID: string(m.Record), State: m.To, Why: m.Why, NewBudget: m.NewBudget,
			Expect: m.Expect, FromStates: m.From, Actor: m.Actor, Act: m.Act})
		return r.State, r.Version, r.Moved, err
	})
}

// MoveCorrection is a PersonAct on a correction.
type MoveCorrection struct {
	PersonAct
	Acts     []string // of the correction: refund, local, task
	FourEyes int64    // approving more than this, in minor units, takes two persons; the first leaves it proposed
	Ref      string   // with applied: the provider's refund id
}

// MoveCorrection moves a correction. To applied, what was done is booked and the break resolved in the same
// transaction.
func (d *DB) MoveCorrection(ctx context.Context, m MoveCorrection) error {
	move := func(ctx context.Context, q *queries.Queries) (string, int64, bool, error) {
		r, err := q.MoveCorrection(ctx, queries.MoveCorrectionParams{CorrectionID: string(m.Record), State: m.To, FourEyes: m.FourEyes,
			Why: m.Why, Actor: m.Actor, NewBudget: m.NewBudget, Ref: m.Ref, Expect: m.Expect, FromStates: m.From, Acts: m.Acts, AuditAct: m.Act})
		return r.State, r.Version, r.Moved, err
	}
	if m.To != string(engine.CorrectionApplied) {
		return d.move(ctx, "MoveCorrection", "correction", m.PersonAct, move)
	}
	return d.inTx(ctx, txOptions{Name: "ConfirmCorrection"}, func(ctx context.Context, q *queries.Queries) error {
		if _, err := q.LockBooks(ctx, string(m.Record)); err != nil {
			return noRecordOr(err, "correction", m.PersonAct)
		}
		state, version, moved, err := move(ctx, q)
		if err := judge("correction", m.PersonAct, state, version, moved, err); err != nil {
			return err
		}
		return bookCorrection(ctx, q, m.Record, m.Ref)
	})
}

// CloseBreak ends a break by a person's word. While a correction of the same difference is on its way it is refused with
// ErrNotAllowed.
func (d *DB) CloseBreak(ctx context.Context, m PersonAct) error {
	return d.move(ctx, "CloseBreak", "break", m, func(ctx context.Context, q *queries.Queries) (string, int64, bool, error) {
		r, err := q.CloseBreak(ctx, queries.CloseBreakParams{BreakKey: string(m.Record), State: m.To, Why: m.Why, Expect: m.Expect,
			FromStates: m.From, Actor: m.Actor, Act: m.Act})
		return r.State, r.Version, r.Moved, err
	})
}

// NextCorrection proposes a finally rejected refund anew under the next act number and a new key; it gives its id.
func (d *DB) NextCorrection(ctx context.Context, m PersonAct) (next engine.Key, err error) {
	err = d.move(ctx, "NextCorrection", "correction", m, func(ctx context.Context, q *queries.Queries) (string, int64, bool, error) {
		r, err := q.NextCorrection(ctx, queries.NextCorrectionParams{CorrectionID: string(m.Record), Expect: m.Expect, Actor: m.Actor, Why: m.Why})
		next = engine.Key(r.NextID)
		return r.State, r.Version, next != "", err
	})
	return next, err
}

// move runs one moving statement. A lost answer is an error: who looks again sees the new version.
func (d *DB) move(ctx context.Context, name, kind string, m PersonAct,
	work func(context.Context, *queries.Queries) (state string, version int64, moved bool, err error)) error {
	return d.one(ctx, name, func(ctx context.Context, q *queries.Queries) error {
		state, version, moved, err := work(ctx, q)
		return judge(kind, m, state, version, moved, err)
	})
}

func judge(kind string, m PersonAct, state string, version int64, moved bool, err error) error {
	switch {
	case err != nil:
		return noRecordOr(err, kind, m)
	case moved:
		return nil
	case version != m.Expect:
		return &MovedError{Record: kind + ":" + string(m.Record), Expect: m.Expect, Version: version, State: state}
	default:
		return fmt.Errorf("%s of %s:%s, which is %s: %w; accepted from %s", m.Act, kind, m.Record, state, ErrNotAllowed, strings.Join(m.From, ", "))
	}
}

func noRecordOr(err error, kind string, m PersonAct) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("%s:%s: %w", kind, m.Record, ErrNoRecord)
	}
	return err
}
