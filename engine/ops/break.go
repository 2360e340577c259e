package ops

import (
	"context"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres"
)

// AcceptBreak is a person's word that a difference is known and stays: it holds no reminder any more, and what it proposed is
// refused.
func AcceptBreak(ctx context.Context, db *postgres.DB, a Act, key engine.Key) error {
	return closeBreak(ctx, db, a, key, "accept_break", engine.BreakAccepted)
}

// ResolveBreak is a person's word that a difference was put right elsewhere.
func ResolveBreak(ctx context.Context, db *postgres.DB, a Act, key engine.Key) error {
	return closeBreak(ctx, db, a, key, "resolve_break", engine.BreakResolved)
}

// closeBreak ends a break whose correction is not on its way: what a worker may be doing is decided first (Refuse, Approve,
// or the worker's own end).
func closeBreak(ctx context.Context, db *postgres.DB, a Act, key engine.Key, verb string, to engine.BreakState) error {
	if err := a.check(verb); err != nil {
		return err
	}
	return db.CloseBreak(ctx, a.on(key, verb, string(to), texts(engine.BreakTiming, engine.BreakOpen)...))
}
