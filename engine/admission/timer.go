package admission

import (
	"context"
	"errors"
	"time"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres"
)

// Timer ticks by itself: it sleeps to the next slot after the watermark and admits it. Any number of processes may run
// one for the same schedule.
type Timer struct {
	rt       engine.Runtime
	db       *postgres.DB
	config   Config
	note     func(error)
	admitted func(postgres.Admission)
}

// NewTimer checks the configuration and makes the timer.
func NewTimer(rt engine.Runtime, db *postgres.DB, c Config) (*Timer, error) {
	c, err := c.Checked()
	if err != nil {
		return nil, err
	}
	return &Timer{rt: rt, db: db, config: c, note: func(error) {}, admitted: func(postgres.Admission) {}}, nil
}

// Note sets who hears of slots that could not be admitted now; they are tried again.
func (t *Timer) Note(hear func(error)) { t.note = hear }

// Admitted sets who is told of an admission by this process: jobs may be waiting now.
func (t *Timer) Admitted(hear func(postgres.Admission)) { t.admitted = hear }

// Run ticks until drain is set, or ctx is over and then returns its error.
func (t *Timer) Run(ctx context.Context, drain engine.Event) error {
	ticking, cancel := t.rt.WithCancel(ctx)
	defer cancel()
	watch := t.rt.Spawn(ticking, "admission/drain", func(ticking context.Context) error {
		if drain.Wait(ticking) == nil {
			cancel()
		}
		return nil
	})
	for ticking.Err() == nil {
		wait, err := t.Tick(ctx)
		if err != nil {
			t.note(err)
		}
		if wait > 0 {
			_ = t.rt.Sleep(ticking, wait)
		}
	}
	cancel()
	_ = watch.Wait(context.WithoutCancel(ctx))
	return ctx.Err()
}

// Tick admits every slot since the watermark that has come by the database's clock, and says how long it is until the
// next one. What went wrong is tried again after Retry; a slot is never left behind for a later one.
func (t *Timer) Tick(ctx context.Context) (wait time.Duration, err error) {
	now, mark, err := t.db.Watermark(ctx, t.config.Token)
	if err != nil {
		return t.config.Retry, err
	}
	for _, slot := range t.missed(mark, now) {
		a, err := admit(ctx, t.rt, t.db, t.config, slot)
		switch {
		case err == nil:
			t.admitted(a)
			mark = slot
		case errors.Is(err, postgres.ErrPaused):
			return t.config.Retry, nil
		default:
			return t.config.Retry, err
		}
	}
	// From the slot and not from the clock: a timer that wakes a moment early is early for the same slot.
	return max(t.config.Schedule.Next(later(mark, now)).At.Sub(now), 0), nil
}

// missed are the slots in (mark, now]. After a long absence only the newest CatchUpMax: ticks are dropped, windows are
// not.
func (t *Timer) missed(mark, now time.Time) []time.Time {
	var slots []time.Time
	for mark.Before(now) {
		piece := t.config.Schedule.Between(mark, now, t.config.CatchUpMax)
		if len(piece) == 0 {
			break
		}
		for _, slot := range piece {
			slots = append(slots, slot.At.UTC())
		}
		mark = piece[len(piece)-1].At
		slots = slots[max(0, len(slots)-t.config.CatchUpMax):]
	}
	return slots
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
