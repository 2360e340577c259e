package ops

import (
	"context"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres"
)

// Redrive gives a record that surely has not acted a new attempt budget. A rejected intent takes its next act number and
// key; what is unknown is never redriven.
func Redrive(ctx context.Context, db *postgres.DB, a Act, kind Kind, record engine.Key) error {
	const verb = "redrive"
	if err := a.check(verb); err != nil {
		return err
	}
	switch kind {
	case Job:
		m := a.on(record, verb, string(engine.JobReady), texts(engine.JobReview, engine.JobParked, engine.JobDead)...)
		m.NewBudget = true
		return db.MoveJob(ctx, m)
	case Intent:
		return moveIntent(ctx, db, a, record, verb, engine.IntentReady, true, engine.IntentRejected, engine.IntentParked, engine.IntentDead)
	default:
		return moveCorrection(ctx, db, a, record, verb, engine.CorrectionApproved, acting, true, engine.CorrectionParked, engine.CorrectionDead)
	}
}
