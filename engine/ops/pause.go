package ops

import (
	"context"

	"github.com/recondrill/recondrill/engine/postgres"
)

// Pause stops all, the provider, a channel, an account, a schedule or content for a time; see postgres.AddPause.
func Pause(ctx context.Context, db *postgres.DB, p postgres.Pause) error { return db.AddPause(ctx, p) }

// Resume ends a stop before its time; false: there was none in force.
func Resume(ctx context.Context, db *postgres.DB, p postgres.Pause) (resumed bool, err error) {
	return db.EndPause(ctx, p)
}
