package ops

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/recondrill/recondrill/engine/postgres"
)

// Existence is which existence of the database the server is, and why nothing may act outside now.
type Existence = postgres.Existence

// Standing reads it.
func Standing(ctx context.Context, db *postgres.DB) (Existence, error) { return db.Existence(ctx) }

// ErrNothingToRecover: the server acts outside already. Duty: nothing; or say RolledBack.
var ErrNothingToRecover = postgres.ErrNothingToRecover

// Recovery is a person's word on a failover or a restore.
type Recovery struct {
	Since      time.Time // acts from here on may be lost: not later than the last commit that the server surely has; at most when it began
	By         string    // person:ann
	Why        string
	RolledBack bool // the server was set back and kept its identity, as from a snapshot of its disk
	DryRun     bool // say what would be done
}

// Recovered is what a recovery did, or would do.
type Recovered struct {
	Incarnation int32 // the one that acts now; with DryRun the one that is recovered from
	InDoubt     []Count
}

// Recover lets a server that took over, or was restored, act outside again. Before: the old server must be off for good,
// because what it still does is asked about only up to now.
//
// From then on every record whose window was due before now is asked about before it acts, whether it survived or is made
// again: its next claim makes it unknown, and it is looked up under every key that the lost seconds may have used. "Absent"
// counts when the last call of a process that was cut off must have ended and settled, and while what was done since Since
// is surely remembered. Where the outside cannot be asked, or not any more, the record stays unknown until a person says
// what became of it (ConfirmDone, ConfirmAbsent).
func Recover(ctx context.Context, db *postgres.DB, r Recovery) (Recovered, error) {
	e, err := db.Existence(ctx)
	if err != nil {
		return Recovered{}, err
	}
	if err := r.check(e); err != nil {
		return Recovered{}, err
	}
	if r.DryRun {
		doubts, err := db.InDoubt(ctx, true)
		return Recovered{Incarnation: e.Incarnation, InDoubt: doubts}, err
	}
	incarnation, err := db.Recover(ctx, postgres.Recovery{Since: r.Since, By: r.By, Why: r.Why, RolledBack: r.RolledBack})
	if err != nil {
		return Recovered{}, err
	}
	doubts, err := db.InDoubt(ctx, false)
	return Recovered{Incarnation: incarnation, InDoubt: doubts}, err
}

// ErrRecovery refuses a recovery that cannot be true. Duty: say it right.
var ErrRecovery = errors.New("recover")

func (r Recovery) check(e Existence) error {
	switch {
	case e.SameServer && e.Stopped == "" && !r.RolledBack:
		return fmt.Errorf("%w: incarnation %d is this server's and acts since %s, opened by %s", ErrNothingToRecover, e.Incarnation,
			stamp(e.OpenedAt), e.OpenedBy)
	case r.By == "" || r.Why == "":
		return fmt.Errorf("%w: by %q because %q; accepted is who does it, and why", ErrRecovery, r.By, r.Why)
	case r.Since.IsZero() || r.Since.After(e.Now):
		return fmt.Errorf("%w: acts lost since %s; accepted is an instant before now, %s", ErrRecovery, stamp(r.Since), stamp(e.Now))
	}
	return nil
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
