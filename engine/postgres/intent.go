package postgres

import (
	"context"
	"time"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres/queries"
)

// ClaimedIntent is an intent under a claim: leased, or unknown and to be resolved.
type ClaimedIntent struct {
	Claim     engine.Claim
	Account   engine.AccountID
	State     engine.IntentState
	Key       engine.Key
	Attempts  int
	Crashes   int
	Since     time.Time // in this state since
	LastCode  string    // what the record says of its last try
	ClaimedAt time.Time // the database's
	Lost      engine.Lost
}

// ClaimIntents says whose intents, how many, and for how long an unknown one can still be resolved by a machine.
type ClaimIntents struct {
	Channel      engine.ChannelName
	Batch        int
	CanLookUp    bool
	ResendWithin time.Duration // since the first submission; 0 = the channel knows no keys
}

// ClaimIntents leases one batch of a channel, in the order in which it is to be worked on. Leases that ended are taken
// over: see the query. A lost answer costs nothing: the same member takes over its own leases at its next claim.
func (d *DB) ClaimIntents(ctx context.Context, c ClaimIntents) ([]ClaimedIntent, error) {
	before := d.rt.Mono()
	var rows []queries.ClaimIntentsRow
	err := d.one(ctx, "ClaimIntents", func(ctx context.Context, q *queries.Queries) (err error) {
		rows, err = q.ClaimIntents(ctx, queries.ClaimIntentsParams{
			Member: d.member, Channel: string(c.Channel), CanLookUp: c.CanLookUp, ResendWithin: c.ResendWithin,
			DeadAfter: d.options.HeartbeatDead, Batch: int64(c.Batch), Lease: d.options.Lease,
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	claimed := make([]ClaimedIntent, 0, len(rows))
	for _, r := range rows {
		claimed = append(claimed, ClaimedIntent{
			Claim:    d.claimed(engine.Key(r.IntentID), fenceOf(r.FenceIncarnation, r.FenceNumber), r.LeaseUntil, before),
			Account:  engine.AccountID(r.AccountID),
			State:    engine.IntentState(r.State),
			Key:      engine.Key(r.IdempotencyKey),
			Attempts: int(r.Attempts), Crashes: int(r.Crashes),
			Since: r.Since, LastCode: r.OutcomeCode, ClaimedAt: r.ClaimedAt, Lost: d.lost(r.Lost, r.LostSince, r.LostUntil, r.LostThrough),
		})
	}
	return claimed, nil
}

// HandBackIntents gives back what is only claimed, in one statement; nothing is burnt. Intents that moved meanwhile
// are left alone.
func (d *DB) HandBackIntents(ctx context.Context, claims []engine.Claim) error {
	var p queries.HandBackIntentsParams
	for _, c := range claims {
		p.IntentIds = append(p.IntentIds, string(c.Record))
		p.Incarnations = append(p.Incarnations, c.Fence.Incarnation)
		p.FenceNumbers = append(p.FenceNumbers, c.Fence.Number)
	}
	return d.one(ctx, "HandBackIntents", func(ctx context.Context, q *queries.Queries) error {
		_, err := q.HandBackIntents(ctx, p)
		return err
	})
}

// IntentFinish is what a claim of an intent came to. Dead asks for a dead letter: where the lane is full the intent
// is parked.
type IntentFinish struct {
	From, To engine.IntentState
	Outcome  engine.OutcomeKind
	Code     string        // why, for people
	Ref      string        // the channel's own reference
	HeldWhy  string        // with held
	Delay    time.Duration // not claimed before
	Burns    bool          // an attempt
	Asked    int32         // the incarnation up to which the outside was asked about what may be lost; 0 = it was not
}

// FinishIntent ends a claim. A lost answer is read back under the row's lock, and done again only where it surely was
// not done. ErrLeaseLost: another claim, or a receipt, was first.
func (d *DB) FinishIntent(ctx context.Context, c engine.Claim, f IntentFinish) error {
	if f.To == engine.IntentDead {
		return d.buryIntent(ctx, c, f)
	}
	return d.guarded(ctx, "FinishIntent", d.intentFinished(c, f.To), func(ctx context.Context, q *queries.Queries) error {
		_, err := q.FinishIntent(ctx, queries.FinishIntentParams{
			State: string(f.To), Outcome: f.outcome(), OutcomeCode: f.Code, Ref: f.Ref, HeldWhy: f.HeldWhy, Asked: f.Asked,
			Burnt: burnt(f.Burns), Delay: f.Delay, IntentID: string(c.Record),
			Incarnation: c.Fence.Incarnation, FenceNumber: c.Fence.Number, FromState: string(f.From),
		})
		return lostOr(err)
	})
}

// buryIntent takes a place in the channel's lane, or parks.
func (d *DB) buryIntent(ctx context.Context, c engine.Claim, f IntentFinish) error {
	readBack := d.intentFinished(c, engine.IntentDead, engine.IntentParked)
	return d.guarded(ctx, "BuryIntent", readBack, func(ctx context.Context, q *queries.Queries) error {
		_, err := q.BuryIntent(ctx, queries.BuryIntentParams{
			Outcome: f.outcome(), OutcomeCode: f.Code, Burnt: burnt(f.Burns), IntentID: string(c.Record),
			Incarnation: c.Fence.Incarnation, FenceNumber: c.Fence.Number, FromState: string(f.From),
		})
		return lostOr(err)
	})
}

// intentFinished reads back whether a claim's last write is there.
func (d *DB) intentFinished(c engine.Claim, to ...engine.IntentState) readBack {
	return func(ctx context.Context, q *queries.Queries) (bool, error) {
		row, err := q.ReadBackIntent(ctx, string(c.Record))
		if err != nil {
			return false, err
		}
		return finished(record(row), c, to)
	}
}

func (f IntentFinish) outcome() string {
	if f.To == engine.IntentSuppressed || f.To == engine.IntentHeld {
		return ""
	}
	return f.Outcome.String()
}

// HeldMax is how long an intent may be held, by kind, before it goes to a person.
type HeldMax struct{ Invoice, Reminder, Confirmation time.Duration }

// SettledIntent is a held intent that moved.
type SettledIntent struct {
	Intent  engine.Key
	Account engine.AccountID
	Channel engine.ChannelName
	State   engine.IntentState // ready, suppressed or review
	Why     string
}

// SettleHeld moves at most batch held intents whose reason is gone, which have nothing left to say, or which were held
// too long; for the last it raises an alarm. It may be repeated freely.
func (d *DB) SettleHeld(ctx context.Context, most HeldMax, batch int) ([]SettledIntent, error) {
	var rows []queries.SettleHeldRow
	err := d.one(ctx, "SettleHeld", func(ctx context.Context, q *queries.Queries) (err error) {
		rows, err = q.SettleHeld(ctx, queries.SettleHeldParams{
			ReminderMax: most.Reminder, InvoiceMax: most.Invoice, ConfirmationMax: most.Confirmation, Batch: int64(batch),
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	var moved []SettledIntent
	for _, r := range rows {
		moved = append(moved, SettledIntent{engine.Key(r.IntentID), engine.AccountID(r.AccountID),
			engine.ChannelName(r.Channel), engine.IntentState(r.State), r.HeldWhy})
	}
	return moved, nil
}
