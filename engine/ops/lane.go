package ops

import (
	"context"
	"fmt"

	"github.com/recondrill/recondrill/engine/postgres"
)

// SetLaneCapacity says how many dead letters a lane holds; fewer than it holds now is refused. It is a person's act and is
// audited.
func SetLaneCapacity(ctx context.Context, db *postgres.DB, c postgres.LaneCapacity) error {
	if c.By == "" || c.Why == "" || c.Capacity < 0 {
		return fmt.Errorf("lane %q, %d letters, by %q because %q: accepted is a name, a reason, and 0 letters or more", c.Lane, c.Capacity, c.By, c.Why)
	}
	return db.SetLaneCapacity(ctx, c)
}
