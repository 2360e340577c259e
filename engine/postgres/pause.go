package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/recondrill/recondrill/engine/postgres/queries"
)

// Pause is an operator's stop. Scope is all, provider, channel, account, schedule or content; Name says which, and is
// empty for all and provider.
type Pause struct {
	Scope, Name string
	Why, By     string
	Lasts       time.Duration // from now; it ends by itself
}

// AddPause stops, or renews a stop. It is seen by the next claim and by the next submitting transaction; calls that are
// under way end as they end.
func (d *DB) AddPause(ctx context.Context, p Pause) error {
	named := p.Scope != "all" && p.Scope != "provider" && p.Scope != "schedule" && p.Scope != "content"
	if p.Lasts <= 0 || named == (p.Name == "") && p.Scope != "schedule" && p.Scope != "content" {
		return fmt.Errorf("pause %q %q for %v: accepted is all, provider, schedule [NAME], content [VERSION], channel NAME or account ID, for a positive time",
			p.Scope, p.Name, p.Lasts)
	}
	return d.one(ctx, "Pause", func(ctx context.Context, q *queries.Queries) error {
		return q.Pause(ctx, queries.PauseParams{Scope: p.Scope, Name: p.Name, Why: p.Why, Lasts: p.Lasts, Actor: p.By})
	})
}

// EndPause resumes; false: there was no stop in force.
func (d *DB) EndPause(ctx context.Context, p Pause) (resumed bool, err error) {
	err = d.one(ctx, "Resume", func(ctx context.Context, q *queries.Queries) error {
		n, err := q.Resume(ctx, queries.ResumeParams{Scope: p.Scope, Name: p.Name, Why: p.Why, Actor: p.By})
		resumed = n > 0
		return err
	})
	return resumed, err
}

// AlarmPauses raises an alarm for each stop that is in force for longer than longest: it may be forgotten.
func (d *DB) AlarmPauses(ctx context.Context, longest time.Duration) error {
	return d.one(ctx, "AlarmPauses", func(ctx context.Context, q *queries.Queries) error {
		_, err := q.AlarmPauses(ctx, longest)
		return err
	})
}
