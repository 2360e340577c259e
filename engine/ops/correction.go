package ops

import (
	"context"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres"
)

// What a correction may be. A task is a person's own and never approved.
var (
	acting = []string{"refund", "local"}
	anyAct = []string{"refund", "local", "task"}
)

func moveCorrection(ctx context.Context, db *postgres.DB, a Act, correction engine.Key, verb string, to engine.CorrectionState,
	acts []string, newBudget bool, from ...engine.CorrectionState) error {
	if err := a.check(verb); err != nil {
		return err
	}
	m := postgres.MoveCorrection{PersonAct: a.on(correction, verb, string(to), texts(from...)...), Acts: acts, FourEyes: noFourEyes}
	m.NewBudget = newBudget
	return db.MoveCorrection(ctx, m)
}

// Approve lets a proposed correction be carried out. Above the settings' limit it takes two persons: after the first, the
// correction is still proposed, at a new version.
func Approve(ctx context.Context, db *postgres.DB, s Settings, a Act, correction engine.Key) error {
	if err := a.check("approve"); err != nil {
		return err
	}
	return db.MoveCorrection(ctx, postgres.MoveCorrection{Acts: acting, FourEyes: s.fourEyes(),
		PersonAct: a.on(correction, "approve", string(engine.CorrectionApproved), string(engine.CorrectionProposed))})
}

// Refuse says that a correction is not wanted. Its break stays as it is.
func Refuse(ctx context.Context, db *postgres.DB, a Act, correction engine.Key) error {
	return moveCorrection(ctx, db, a, correction, "refuse", engine.CorrectionRefused, anyAct, false, engine.CorrectionProposed,
		engine.CorrectionParked, engine.CorrectionDead)
}

// NextAct proposes a finally rejected refund anew under the next act number; it gives the new correction, which is to be
// approved like any other. Never from unknown.
func NextAct(ctx context.Context, db *postgres.DB, a Act, correction engine.Key) (next engine.Key, err error) {
	if err := a.check("next_act"); err != nil {
		return "", err
	}
	return db.NextCorrection(ctx, a.on(correction, "next_act", string(engine.CorrectionProposed), string(engine.CorrectionRejected)))
}
