package ops

import (
	"context"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres"
)

// Review notes that a person looked at a version of a record and left it as it is.
func Review(ctx context.Context, db *postgres.DB, a Act, kind Kind, record engine.Key) error {
	if err := a.check("review"); err != nil {
		return err
	}
	return db.NoteReview(ctx, string(kind), a.on(record, "review", ""))
}
