package admission

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres"
)

// Admit lets one tick in: it admits the slot at exactly this instant of the schedule, however early or late the tick
// is, and whoever else ticks. A tick at most EarlyMax early waits for its slot by the database's clock. Errors:
// postgres.ErrEarly for an earlier one, postgres.ErrPaused under a pause; both change nothing.
func Admit(ctx context.Context, rt engine.Runtime, db *postgres.DB, c Config, slot time.Time) (postgres.Admission, error) {
	c, err := c.Checked()
	if err != nil {
		return postgres.Admission{}, err
	}
	return admit(ctx, rt, db, c, slot)
}

func admit(ctx context.Context, rt engine.Runtime, db *postgres.DB, c Config, slot time.Time) (postgres.Admission, error) {
	slot = slot.UTC()
	night, ok := c.Schedule.NightOf(slot)
	if !ok {
		return postgres.Admission{}, fmt.Errorf("admission: %s is no slot of %s; accepted is an instant of the schedule, the last one before it is %s",
			slot.Format(time.RFC3339), c.Token, c.Schedule.AtOrBefore(slot).At.UTC().Format(time.RFC3339))
	}
	id := rt.ID()
	s := postgres.Slot{
		At: slot, Night: night.String(), Token: c.Token, RequestID: hex.EncodeToString(id[:]),
		CorrelationID: c.Token + "/" + slot.Format(time.RFC3339), Bound: c.Bound, LateAfter: c.LateAfter,
	}
	a, err := db.Admit(ctx, s, next)
	var early *postgres.EarlyError
	if !errors.As(err, &early) || early.By > c.EarlyMax {
		return a, err
	}
	if err := rt.Sleep(ctx, early.By); err != nil {
		return postgres.Admission{}, err
	}
	// Once: hosts sleep on another clock than the database's, and what is early still is the caller's to repeat.
	return db.Admit(ctx, s, next)
}
