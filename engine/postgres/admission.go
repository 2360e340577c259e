package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres/queries"
)

// Why a slot was not admitted.
var (
	// ErrEarly: the slot's instant has not come by the database's clock. Duty: ask again then, for the same slot.
	ErrEarly = errors.New("the slot has not come yet")
	// ErrPaused: an operator stopped the schedule. Duty: ask again later; the slot will be late, not lost.
	ErrPaused = errors.New("the schedule is paused")
)

// EarlyError says by how much a slot has not come. It is ErrEarly.
type EarlyError struct {
	Slot time.Time
	By   time.Duration // by the database's clock
}

func (e *EarlyError) Error() string {
	return fmt.Sprintf("slot %s: %v, by %v", e.Slot.UTC().Format(time.RFC3339), ErrEarly, e.By)
}

func (e *EarlyError) Unwrap() error { return ErrEarly }

// Slot is one instant of a schedule and what to release for it.
type Slot struct {
	At            time.Time // the instant the schedule says: the identity of the tick
	Night         string    // the date the schedule gives, 2026-03-02
	Token         string    // the schedule's name
	RequestID     string    // unique to this try: it tells whose admission was stored
	CorrelationID string
	Bound         int           // how many windows at most
	LateAfter     time.Duration // an admission later than this is marked late
}

// Picked is one window that a slot released.
type Picked struct {
	Account     engine.AccountID
	Window      string
	DueAt, End  time.Time
	Zone        string
	ProviderLag time.Duration
}

// Admission is the durable record that a slot released a bounded batch.
type Admission struct {
	Slot               time.Time
	Night              string
	RequestID          string // of whoever admitted it first
	Selected, Inserted int
	Late               bool
	FirstKey, LastKey  string // account/window
	Duplicate          bool   // the slot had been admitted before; nothing was done
	NightClosed        bool   // no due window is left without a job
	Due                int    // windows that are due and still wait for a slot
}

// Watermark registers the schedule at its first start and tells the database's time and the schedule's last slot, or
// when it began: the next slot is the first after that.
func (d *DB) Watermark(ctx context.Context, token string) (now, mark time.Time, err error) {
	err = d.one(ctx, "Watermark", func(ctx context.Context, q *queries.Queries) error {
		row, err := q.Watermark(ctx, token)
		now, mark = row.Now.UTC(), row.Mark.UTC()
		return err
	})
	return now, mark, err
}

// Admit releases one slot's batch of the oldest open night, in one transaction under the night's lock: jobs, the
// admission record, the next windows (made by next for what was picked and for whom it could not make one before, with alarms
// for what it cannot make) and the cursor. A slot that was admitted before is no error: Duplicate says so, whoever asked first. ErrEarly and ErrPaused
// change nothing. ErrCommitUnknown: ask again for the same slot.
func (d *DB) Admit(ctx context.Context, s Slot, next func([]Picked) ([]Window, []Alarm)) (Admission, error) {
	var a Admission
	for range admitTries {
		err := d.inTx(ctx, txOptions{Name: "Admit"}, func(ctx context.Context, q *queries.Queries) (err error) {
			a, err = d.admit(ctx, q, s, next)
			return err
		})
		switch {
		case errors.Is(err, errSlotTaken):
			return d.admitted(ctx, s)
		case !errors.Is(err, ErrCommitUnknown):
			return a, err
		}
		// The whole admission again, under its own key: the slot's row is ours, somebody else's, or not there, and a
		// COMMIT that is still to land is waited for at the night's row or the slot's.
	}
	return d.admitted(ctx, s)
}

// admitTries bounds how often an admission whose COMMIT has no answer is done again.
const admitTries = 3

// errSlotTaken rolls back a slot that the returned rows say is somebody else's.
var errSlotTaken = errors.New("the slot is admitted already")

func (d *DB) admit(ctx context.Context, q *queries.Queries, s Slot, next func([]Picked) ([]Window, []Alarm)) (Admission, error) {
	night, err := q.OpenNight(ctx, queries.OpenNightParams{NightID: s.Night, Token: s.Token})
	switch {
	case err != nil:
		return Admission{}, err
	case night.Now.Before(s.At):
		return Admission{}, &EarlyError{Slot: s.At, By: s.At.Sub(night.Now)}
	case night.Paused:
		return Admission{}, ErrPaused
	}
	rows, err := q.AdmitBatch(ctx, queries.AdmitBatchParams{
		NightID: night.NightID, Bound: int32(s.Bound), Slot: s.At, Token: s.Token, RequestID: s.RequestID,
		CorrelationID: s.CorrelationID, LateAfter: s.LateAfter, Member: d.member,
	})
	if err != nil {
		return Admission{}, err
	}
	// What decides is the row that came back, not a count of rows.
	if len(rows) == 0 || rows[0].RequestID != s.RequestID {
		return Admission{}, errSlotTaken
	}
	a := Admission{
		Slot: s.At, Night: night.NightID, RequestID: rows[0].RequestID,
		Selected: int(rows[0].Selected), Inserted: int(rows[0].Inserted), Late: rows[0].Late,
	}
	picked, again := pickedOf(rows)
	turn := queries.TurnNightParams{NightID: night.NightID, Exhausted: len(picked) < s.Bound}
	if n := len(picked); n > 0 {
		last := picked[n-1]
		account := string(last.Account)
		turn.CursorDueAt, turn.CursorAccount, turn.CursorWindow = &last.DueAt, &account, &last.Window
		a.FirstKey, a.LastKey = string(picked[0].Account)+"/"+picked[0].Window, account+"/"+last.Window
	}
	windows, alarms := next(append(picked, again...))
	for _, w := range windows {
		turn.AccountIds = append(turn.AccountIds, string(w.Account))
		turn.WindowIds = append(turn.WindowIds, w.ID)
		turn.Starts = append(turn.Starts, w.Start)
		turn.Ends = append(turn.Ends, w.End)
		turn.Dues = append(turn.Dues, w.DueAt)
	}
	turned, err := q.TurnNight(ctx, turn)
	if err != nil {
		return Admission{}, err
	}
	a.NightClosed, a.Due = turned.State == "closed", int(turned.Due)
	return a, raiseAlarms(ctx, q, alarms)
}

// pickedOf are the released windows, and the last ones of accounts whose next window could not be written before.
func pickedOf(rows []queries.AdmitBatchRow) (picked, again []Picked) {
	for _, r := range rows {
		p := Picked{Account: engine.AccountID(r.AccountID), Window: r.WindowID, DueAt: r.DueAt, End: r.EndsAt, Zone: r.Zone, ProviderLag: r.ProviderLag}
		switch {
		case r.Picked:
			picked = append(picked, p)
		case r.AccountID != "":
			again = append(again, p)
		}
	}
	return picked, again
}

// admitted reads the stored answer of a slot: it is a duplicate unless the stored request is ours, whose answer was
// lost.
func (d *DB) admitted(ctx context.Context, s Slot) (a Admission, err error) {
	err = d.one(ctx, "ReadAdmission", func(ctx context.Context, q *queries.Queries) error {
		r, err := q.ReadAdmission(ctx, s.At)
		if errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("slot %s of %s is not there, and may still come to be: %w", s.At.UTC().Format(time.RFC3339), s.Token, ErrCommitUnknown)
		}
		a = Admission{
			Slot: r.Slot.UTC(), Night: r.NightID, RequestID: r.RequestID, Selected: int(r.Selected), Inserted: int(r.Inserted),
			Late: r.Late, FirstKey: r.FirstKey, LastKey: r.LastKey, Duplicate: r.RequestID != s.RequestID,
		}
		return err
	})
	return a, err
}
