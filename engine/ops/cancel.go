package ops

import (
	"context"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres"
)

// Cancel skips the window of a job that nobody works on: only a person skips a window. Its payments count as known from
// then on, and the job never runs again.
func Cancel(ctx context.Context, db *postgres.DB, a Act, job engine.Key) error {
	if err := a.check("cancel"); err != nil {
		return err
	}
	return db.MoveJob(ctx, a.on(job, "cancel", string(engine.JobCancelled),
		texts(engine.JobReady, engine.JobReview, engine.JobParked, engine.JobDead)...))
}
