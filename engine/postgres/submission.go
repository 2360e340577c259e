package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres/queries"
)

// IntentFacts is what a submission is decided on, read under the locks of the intent and of its invoices.
type IntentFacts struct {
	Intent           engine.Key
	From             engine.IntentState // leased, or unknown for the same key again
	Account          engine.AccountID
	Customer         engine.CustomerID
	Contact          engine.ContactID
	Kind             string // invoice, reminder, confirmation
	Channel          engine.ChannelName
	Act              int
	Key              engine.Key
	Fixed            Content   // what the first submission under Key fixed; empty Hash = nothing yet
	FirstSubmittedAt time.Time // under Key; zero = never
	Now              time.Time // the database's
	Pairs            []Pair    // by invoice, and within it by the step's due time
	Address          string    // as it is now; empty = erased
	Template         Template
	Against
}

// Against is what speaks against a submission and is covered by no lock: the database judges it in the statement that
// would write `submitting`. Zero = nothing, or not asked yet.
type Against struct {
	OptedOut bool
	Paused   string // why an operator stopped it
	Doubt    string // why reminding now would be dunning on doubt
}

// Pair is an (invoice, step) that an intent covers.
type Pair struct {
	Invoice     engine.InvoiceID
	Step        engine.StepName
	Currency    engine.Currency
	AmountMinor int64
	PaidMinor   int64
	DueOn       string // local date, 2026-03-09
	Ended       string // why it has nothing to say any more; empty = it has
	DroppedWhy  string // stored: dropped before
}

// Content is what is submitted. Once fixed under a key it never changes.
type Content struct {
	Address, Subject, Body string
	Hash                   string
}

// Decision is what becomes of a claimed intent: submitting with Content, or one of the states that submit nothing.
type Decision struct {
	To      engine.IntentState
	Why     string
	Dropped []Pair // newly, with Ended
	NewAct  bool   // the next act number: the text changed after a submission that surely sent nothing
	Content Content
	Delay   time.Duration
	Burns   bool
}

// Submitted is the committed decision. With submitting, Message may be sent while Claim.StopAt is not reached.
type Submitted struct {
	Decision Decision
	Claim    engine.Claim // its lease began anew
	Message  engine.Message
}

// SubmitIntent is the transaction before a call: it locks the intent under its claim and its invoices in key order
// (payments take the same locks), asks decide, and commits what that says. decide is pure and may run twice. Only after
// nil may anything be sent. ErrLeaseLost: another claim has it, or others wrote it since. ErrNotCommitted and
// ErrCommitUnknown: send nothing, write nothing; the claim takes care of itself.
func (d *DB) SubmitIntent(ctx context.Context, c engine.Claim, from engine.IntentState, decide func(IntentFacts) Decision) (Submitted, error) {
	var done Submitted
	o := txOptions{Name: "SubmitIntent", ReadBack: func(ctx context.Context, q *queries.Queries) (bool, error) {
		if done.Decision.To != engine.IntentSubmitting {
			return d.intentFinished(c, done.Decision.To)(ctx, q)
		}
		row, err := q.ReadBackIntent(ctx, string(c.Record))
		if err != nil {
			return false, err
		}
		return record(row).submitting(c, string(engine.IntentSubmitting))
	}}
	err := d.inTx(ctx, o, func(ctx context.Context, q *queries.Queries) error {
		f, err := lockIntent(ctx, q, c, from)
		if err != nil {
			return err
		}
		done = Submitted{Decision: decide(f), Claim: c}
		if done.Decision.To == engine.IntentSubmitting {
			against, err := d.fixIntent(ctx, q, f, &done)
			if err != nil {
				return err
			}
			if against != (Against{}) {
				f.Against = against
				done.Decision = decide(f)
				if done.Decision.To == engine.IntentSubmitting {
					return fmt.Errorf("%s: decided to submit against %+v: %w", c.Record, against, ErrInconsistent)
				}
			}
		}
		if err := dropPairs(ctx, q, c.Record, done.Decision.Dropped); err != nil {
			return err
		}
		if done.Decision.To != engine.IntentSubmitting {
			return leaveIntent(ctx, q, c, from, done.Decision)
		}
		return nil
	})
	return done, err
}

// lockIntent takes the locks. What no lock of ours covers is not read here: see fixIntent.
func lockIntent(ctx context.Context, q *queries.Queries, c engine.Claim, from engine.IntentState) (IntentFacts, error) {
	rows, err := q.LockIntent(ctx, queries.LockIntentParams{IntentID: string(c.Record), Incarnation: c.Fence.Incarnation,
		FenceNumber: c.Fence.Number, State: string(from)})
	if err != nil {
		return IntentFacts{}, err
	}
	if len(rows) == 0 {
		return IntentFacts{}, engine.ErrLeaseLost
	}
	i := rows[0]
	f := IntentFacts{
		Intent: c.Record, From: from, Account: engine.AccountID(i.AccountID), Customer: engine.CustomerID(i.CustomerID),
		Contact: engine.ContactID(i.ContactID), Kind: i.Kind, Channel: engine.ChannelName(i.Channel),
		Act: int(i.ActNumber), Key: engine.Key(i.IdempotencyKey),
		Fixed:            Content{Address: i.Address, Subject: i.Subject, Body: i.Body, Hash: i.BodyHash},
		FirstSubmittedAt: timeOrZero(i.FirstSubmittedAt), Now: i.Now, Address: i.AddressNow,
		Template: Template{Version: i.TemplateVersion, Channel: engine.ChannelName(i.Channel), Kind: i.Kind,
			Subject: i.TemplateSubject, Body: i.TemplateBody},
	}
	for _, r := range rows {
		if r.InvoiceID == "" {
			continue
		}
		f.Pairs = append(f.Pairs, Pair{Invoice: engine.InvoiceID(r.InvoiceID), Step: engine.StepName(r.Step),
			Currency: engine.Currency(r.Currency), AmountMinor: r.AmountMinor, PaidMinor: r.PaidMinor, DueOn: r.DueOn,
			Ended: r.Ended, DroppedWhy: r.DroppedWhy})
	}
	return f, nil
}

func dropPairs(ctx context.Context, q *queries.Queries, intent engine.Key, dropped []Pair) error {
	if len(dropped) == 0 {
		return nil
	}
	p := queries.DropPairsParams{IntentID: string(intent)}
	for _, pair := range dropped {
		p.InvoiceIds = append(p.InvoiceIds, string(pair.Invoice))
		p.Steps = append(p.Steps, string(pair.Step))
		p.Whys = append(p.Whys, pair.Ended)
	}
	n, err := q.DropPairs(ctx, p)
	if err == nil && n != int64(len(dropped)) {
		err = fmt.Errorf("%s: dropped %d pairs, wanted %d: %w", intent, n, len(dropped), ErrInconsistent)
	}
	return err
}

// leaveIntent writes a decision that submits nothing.
func leaveIntent(ctx context.Context, q *queries.Queries, c engine.Claim, from engine.IntentState, to Decision) error {
	held := ""
	if to.To == engine.IntentHeld || to.To == engine.IntentSuppressed {
		held = to.Why
	}
	_, err := q.FinishIntent(ctx, queries.FinishIntentParams{
		State: string(to.To), OutcomeCode: to.Why, HeldWhy: held, Burnt: burnt(to.Burns), Delay: to.Delay,
		IntentID: string(c.Record), Incarnation: c.Fence.Incarnation, FenceNumber: c.Fence.Number, FromState: string(from),
	})
	return lostOr(err)
}

// fixIntent writes `submitting` with the bytes, unless something speaks against it, and makes the message of exactly
// what was stored.
func (d *DB) fixIntent(ctx context.Context, q *queries.Queries, f IntentFacts, done *Submitted) (Against, error) {
	act, key := f.Act, f.Key
	if done.Decision.NewAct {
		act++
		key = engine.Key(fmt.Sprintf("%s/%d", f.Intent, act))
	}
	content, c := done.Decision.Content, done.Claim
	before := d.rt.Mono()
	row, err := q.SubmitIntent(ctx, queries.SubmitIntentParams{
		ActNumber: int32(act), IdempotencyKey: string(key), Address: content.Address, Subject: content.Subject,
		Body: content.Body, BodyHash: content.Hash, Lease: d.options.Lease, IntentID: string(c.Record),
		Incarnation: c.Fence.Incarnation, FenceNumber: c.Fence.Number, State: string(f.From),
	})
	if err != nil || !row.Submitted {
		return Against{row.OptedOut, row.Paused, row.Doubt}, lostOr(err)
	}
	done.Claim = d.claimed(c.Record, c.Fence, row.LeaseUntil, before)
	done.Message = engine.Message{Account: f.Account, Channel: f.Channel, Contact: f.Contact, Address: content.Address,
		Subject: content.Subject, Body: content.Body, Key: key}
	return Against{}, nil
}
