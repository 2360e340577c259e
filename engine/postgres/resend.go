package postgres

import (
	"time"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/advice"
)

// ResendWithin is how long after its first submission a key may be submitted again, counted when that is committed: the
// call begins within the lease after it. Zero: never.
func (d *DB) ResendWithin(terms engine.Terms) time.Duration {
	first := time.Unix(0, 0)
	until := advice.ResendUntil(first, terms)
	if until.IsZero() {
		return 0
	}
	return max(0, until.Sub(first)-d.options.Lease)
}
