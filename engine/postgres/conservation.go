package postgres

import (
	"context"
	"fmt"

	"github.com/recondrill/recondrill/engine/postgres/queries"
)

// Conservation is the count of everything that must be somewhere, in one statement.
type Conservation struct {
	WindowsDue, WindowsWaiting, WindowsSkipped                 int64
	Jobs, JobsMoving, JobsDone, JobsStopped, JobsCancelled     int64
	Intents, IntentsMoving, IntentsEnded, IntentsStopped       int64
	Planned, PlannedNotYetDue, PlannedWaiting, PlannedNeedless int64 // needless: the invoice ended before the step was due
	PlannedCovered, PlannedSuppressed, PlannedHeld             int64
	LanesUsed, LettersOpen                                     int64
}

// Conserve counts.
func (d *DB) Conserve(ctx context.Context) (c Conservation, err error) {
	err = d.one(ctx, "Conserve", func(ctx context.Context, q *queries.Queries) error {
		row, err := q.Conserve(ctx)
		c = Conservation(row)
		return err
	})
	return c, err
}

// Differences are the equations that do not hold, each said with its numbers; none is how it should be.
func (c Conservation) Differences() []string {
	var all []string
	for _, e := range []struct {
		what       string
		whole, sum int64
	}{
		{"due windows = jobs + waiting for a slot + skipped by a person", c.WindowsDue, c.Jobs + c.WindowsWaiting + c.WindowsSkipped},
		{"jobs = moving + done + waiting for a person + cancelled", c.Jobs, c.JobsMoving + c.JobsDone + c.JobsStopped + c.JobsCancelled},
		{"intents = moving + ended + waiting", c.Intents, c.IntentsMoving + c.IntentsEnded + c.IntentsStopped},
		{"planned reminders = not yet due + waiting for a reconciliation + covered + suppressed + held", c.Planned,
			c.PlannedNotYetDue + c.PlannedWaiting + c.PlannedNeedless + c.PlannedCovered + c.PlannedSuppressed + c.PlannedHeld},
		{"places taken in the lanes = letters that wait", c.LanesUsed, c.LettersOpen},
	} {
		if e.whole != e.sum {
			all = append(all, fmt.Sprintf("%s: %d is not %d", e.what, e.whole, e.sum))
		}
	}
	return all
}
