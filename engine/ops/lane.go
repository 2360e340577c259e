package ops

import (
	"context"

	"github.com/recondrill/recondrill/engine/postgres"
)

// SetLaneCapacity says how many dead letters a lane holds; see postgres.SetLaneCapacity.
func SetLaneCapacity(ctx context.Context, db *postgres.DB, c postgres.LaneCapacity) error {
	return db.SetLaneCapacity(ctx, c)
}
