package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres/queries"
)

// ErrNothingToRecover: the server is that of the newest incarnation, which acts outside already. Duty: nothing; or say that
// the server was set back and kept its identity.
var ErrNothingToRecover = errors.New("nothing to recover")

// Existence is which existence of the database this server is.
type Existence struct {
	Incarnation int32     // the newest that is on record
	OpenedAt    time.Time // since when it may act outside; zero = not yet
	OpenedBy    string
	SameServer  bool      // false: the server is another one, and no process has noticed yet
	Stopped     string    // why nothing may act outside now; empty = it may
	Now         time.Time // the database's
}

// Existence reads it.
func (d *DB) Existence(ctx context.Context) (e Existence, err error) {
	err = d.one(ctx, "Existence", func(ctx context.Context, q *queries.Queries) error {
		r, err := q.Existence(ctx)
		e = Existence{Incarnation: r.Incarnation, OpenedAt: timeOrZero(r.OpenedAt), OpenedBy: r.OpenedBy,
			SameServer: r.Here == r.Incarnation, Stopped: r.Stopped, Now: r.Now}
		return err
	})
	return e, err
}

// Recovery opens this server's incarnation for acts outside.
type Recovery struct {
	Since      time.Time // acts from here on may be lost: not later than the last commit that this server surely has
	By         string    // person:ann
	Why        string
	RolledBack bool // the server was set back and kept its identity, as from a snapshot of its disk: only a person can know
}

// Recover is done once: a second call answers ErrNothingToRecover. A lost answer is an error; who asks again sees whether
// it was done.
func (d *DB) Recover(ctx context.Context, r Recovery) (incarnation int32, err error) {
	err = d.one(ctx, "Recover", func(ctx context.Context, q *queries.Queries) error {
		incarnation, err = q.Recover(ctx, queries.RecoverParams{Actor: r.By, Why: r.Why, Since: r.Since, RolledBack: r.RolledBack})
		if errors.Is(err, pgx.ErrNoRows) {
			return ErrNothingToRecover
		}
		return err
	})
	return incarnation, err
}

// Count is how many records of a kind (and channel) are in a state.
type Count struct {
	Kind    string             // correction, intent
	Channel engine.ChannelName // of intents
	State   string
	Number  int
}

// InDoubt counts the records that are asked about before they act, or, before a recovery, those that it would put in doubt.
func (d *DB) InDoubt(ctx context.Context, would bool) ([]Count, error) {
	var all []Count
	err := d.one(ctx, "InDoubt", func(ctx context.Context, q *queries.Queries) error {
		rows, err := q.InDoubt(ctx, would)
		for _, r := range rows {
			all = append(all, Count{r.Kind, engine.ChannelName(r.Channel), r.State, int(r.Number)})
		}
		return err
	})
	return all, err
}

// LostKey is another key under which the lost seconds may have sent an intent.
type LostKey struct {
	Key engine.Key
	Act int // the intent's own later act; 0 = the key of another window's intent
}

// LostIntentKeys are all of them, later acts first.
func (d *DB) LostIntentKeys(ctx context.Context, intent engine.Key) ([]LostKey, error) {
	var all []LostKey
	err := d.one(ctx, "LostIntentKeys", func(ctx context.Context, q *queries.Queries) error {
		rows, err := q.LostIntentKeys(ctx, string(intent))
		for _, r := range rows {
			all = append(all, LostKey{engine.Key(r.Key), int(r.Act)})
		}
		return err
	})
	return all, err
}

// AdoptAct makes a later act, which the outside knows, an unknown intent's own. Doing it again changes nothing.
func (d *DB) AdoptAct(ctx context.Context, c engine.Claim, act int) error {
	return d.one(ctx, "AdoptAct", func(ctx context.Context, q *queries.Queries) error {
		_, err := q.AdoptAct(ctx, queries.AdoptActParams{ActNumber: int32(act), IntentID: string(c.Record),
			Incarnation: c.Fence.Incarnation, FenceNumber: c.Fence.Number})
		return lostOr(err)
	})
}

// lost is what a row says of it. A process of the existence that is gone began its last call within a lease.
func (d *DB) lost(any bool, since, until time.Time, through int32) engine.Lost {
	if !any {
		return engine.Lost{}
	}
	return engine.Lost{Since: since, Until: until.Add(d.options.Lease), Through: through}
}
