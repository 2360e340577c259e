package postgres

import (
	"context"
	"time"

	"github.com/recondrill/recondrill/engine/postgres/queries"
)

// AuditEntry is one act on a record, for ever.
type AuditEntry struct {
	At      time.Time
	Actor   string
	Act     string
	Version int64 // that the actor saw
	Detail  string
}

// AuditOf is what was done to a record ("intent:…"), oldest first.
func (d *DB) AuditOf(ctx context.Context, record string) ([]AuditEntry, error) {
	var all []AuditEntry
	err := d.one(ctx, "AuditOf", func(ctx context.Context, q *queries.Queries) error {
		rows, err := q.AuditOf(ctx, record)
		for _, r := range rows {
			all = append(all, AuditEntry{r.At, r.Actor, r.Act, r.Version, r.Detail})
		}
		return err
	})
	return all, err
}

// NoteReview writes into the audit that a person looked at a version and left it as it is. Kind is job, intent or
// correction.
func (d *DB) NoteReview(ctx context.Context, kind string, m PersonAct) error {
	return d.move(ctx, "NoteReview", kind, m, func(ctx context.Context, q *queries.Queries) (string, int64, bool, error) {
		r, err := q.NoteReview(ctx, queries.NoteReviewParams{Kind: kind, Record: string(m.Record), Actor: m.Actor, Why: m.Why, Expect: m.Expect})
		return r.State, r.Version, r.Noted, err
	})
}
