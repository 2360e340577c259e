package ops

import (
	"context"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres"
)

// moveIntent takes an intent to a state from those that have this exit for a person.
func moveIntent(ctx context.Context, db *postgres.DB, a Act, intent engine.Key, verb string, to engine.IntentState, newBudget bool,
	from ...engine.IntentState) error {
	if err := a.check(verb); err != nil {
		return err
	}
	m := a.on(intent, verb, string(to), texts(from...)...)
	m.NewBudget = newBudget
	return db.MoveIntent(ctx, m)
}

// ReleaseHold lets a held or reviewed intent go out; it is checked again when it is submitted.
func ReleaseHold(ctx context.Context, db *postgres.DB, a Act, intent engine.Key) error {
	return moveIntent(ctx, db, a, intent, "release_hold", engine.IntentReady, false, engine.IntentHeld, engine.IntentReview)
}

// Hold stops an intent that nobody works on until a person releases it.
func Hold(ctx context.Context, db *postgres.DB, a Act, intent engine.Key) error {
	a.Why = "person: " + a.By + ": " + a.Why
	return moveIntent(ctx, db, a, intent, "hold", engine.IntentHeld, false, engine.IntentReady)
}

// Suppress ends an intent that has nothing to say any more.
func Suppress(ctx context.Context, db *postgres.DB, a Act, intent engine.Key) error {
	return moveIntent(ctx, db, a, intent, "suppress", engine.IntentSuppressed, false, engine.IntentReady, engine.IntentHeld, engine.IntentReview)
}

// GiveUp ends an intent without sending. An unknown one may have been sent: giving up ends the doubt, not the message.
func GiveUp(ctx context.Context, db *postgres.DB, a Act, intent engine.Key) error {
	return moveIntent(ctx, db, a, intent, "give_up", engine.IntentGivenUp, false, engine.IntentReview, engine.IntentUnknown,
		engine.IntentRejected, engine.IntentParked, engine.IntentDead)
}
