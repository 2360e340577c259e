package ops

import (
	"context"
	"fmt"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres"
)

// LookUp makes the worker ask the outside about an unknown record now.
func LookUp(ctx context.Context, db *postgres.DB, a Act, kind Kind, record engine.Key) error {
	return hurry(ctx, db, a, kind, record, "look_up")
}

// ResendSameKey makes the worker submit an unknown record again under its key now, if under the locks nothing speaks
// against it and the outside surely still knows the key. Where the outside can be asked, it is asked.
func ResendSameKey(ctx context.Context, db *postgres.DB, a Act, kind Kind, record engine.Key) error {
	return hurry(ctx, db, a, kind, record, "resend_same_key")
}

// hurry leaves an unknown record unknown, and due.
func hurry(ctx context.Context, db *postgres.DB, a Act, kind Kind, record engine.Key, verb string) error {
	if kind == Intent {
		return moveIntent(ctx, db, a, record, verb, engine.IntentUnknown, false, engine.IntentUnknown)
	}
	return moveCorrection(ctx, db, a, record, verb, engine.CorrectionUnknown, acting, false, engine.CorrectionUnknown)
}

// ConfirmDone is a person's word, from outside evidence, that an unknown record was done; ref is the outside's own
// reference. A refund is booked with it.
func ConfirmDone(ctx context.Context, db *postgres.DB, a Act, kind Kind, record engine.Key, ref string) error {
	if kind == Intent {
		return moveIntent(ctx, db, a, record, "confirm_done", engine.IntentSent, false, engine.IntentUnknown)
	}
	if err := a.check("confirm_done"); err != nil {
		return err
	}
	if ref == "" {
		return fmt.Errorf("confirm_done of %s: no reference; accepted is the provider's refund id", record)
	}
	return db.MoveCorrection(ctx, postgres.MoveCorrection{Acts: acting, FourEyes: noFourEyes, Ref: ref,
		PersonAct: a.on(record, "confirm_done", string(engine.CorrectionApplied), string(engine.CorrectionUnknown))})
}

// ConfirmAbsent is a person's word that an unknown record surely was not done and cannot come to be done any more.
func ConfirmAbsent(ctx context.Context, db *postgres.DB, a Act, kind Kind, record engine.Key) error {
	if kind == Intent {
		return moveIntent(ctx, db, a, record, "confirm_absent", engine.IntentReady, false, engine.IntentUnknown)
	}
	return moveCorrection(ctx, db, a, record, "confirm_absent", engine.CorrectionApproved, acting, false, engine.CorrectionUnknown)
}

// ConfirmRejected is a person's word that the outside refused an unknown record for good.
func ConfirmRejected(ctx context.Context, db *postgres.DB, a Act, kind Kind, record engine.Key) error {
	if kind == Intent {
		return moveIntent(ctx, db, a, record, "confirm_rejected", engine.IntentRejected, false, engine.IntentUnknown)
	}
	return moveCorrection(ctx, db, a, record, "confirm_rejected", engine.CorrectionRejected, acting, false, engine.CorrectionUnknown)
}
