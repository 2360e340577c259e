package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/ledger"
	"github.com/recondrill/recondrill/engine/postgres/queries"
)

// CorrectionFacts is what a submission is decided on, read under the locks of the account's books and of the
// correction.
type CorrectionFacts struct {
	Correction       engine.Key
	From             engine.CorrectionState // approved, or unknown for the same key again
	Act              string
	Refund           engine.Refund
	ApprovedBy       string // policy:… or person:…
	BreakState       engine.BreakState
	Paused           string // why an operator stopped it; empty = nobody did
	OtherInDoubt     bool   // another correction of the same payment is submitting or unknown
	DayNumber        int    // refunds that policy approved and that were submitted in the last 24 h, this one not counted
	DayMinor         int64  // their money in this currency
	FirstSubmittedAt time.Time
	Now              time.Time
}

// CorrectionDecision is what becomes of a claimed correction: submitting, applied (a local posting, booked here), or
// one of the states that do nothing.
type CorrectionDecision struct {
	To    engine.CorrectionState
	Why   string
	Delay time.Duration
	Burns bool
}

// SubmittedCorrection is the committed decision. With submitting, Refund may be called while Claim.StopAt is not
// reached.
type SubmittedCorrection struct {
	Decision CorrectionDecision
	Claim    engine.Claim // its lease began anew
	Refund   engine.Refund
}

// SubmitCorrection is the transaction before a call; duties as with SubmitIntent. The account's books stand still
// during it: breaks, caps and other refunds of the account cannot move.
func (d *DB) SubmitCorrection(ctx context.Context, c engine.Claim, from engine.CorrectionState,
	decide func(CorrectionFacts) CorrectionDecision) (SubmittedCorrection, error) {
	var done SubmittedCorrection
	ask := func(ctx context.Context, q *queries.Queries) (bool, error) {
		if done.Decision.To != engine.CorrectionSubmitting {
			return d.correctionFinished(c, done.Decision.To)(ctx, q)
		}
		row, err := q.ReadBackCorrection(ctx, string(c.Record))
		if err != nil {
			return false, err
		}
		return record(row).submitting(c, string(engine.CorrectionSubmitting))
	}
	err := d.inTx(ctx, txOptions{Name: "SubmitCorrection", ReadBack: ask}, func(ctx context.Context, q *queries.Queries) error {
		f, err := d.lockCorrection(ctx, q, c, from)
		if err != nil {
			return err
		}
		done = SubmittedCorrection{Decision: decide(f), Claim: c, Refund: f.Refund}
		switch done.Decision.To {
		case engine.CorrectionSubmitting:
			return d.beginCorrection(ctx, q, from, &done)
		case engine.CorrectionApplied:
			if err := d.beginCorrection(ctx, q, from, &done); err != nil {
				return err
			}
			return applyCorrection(ctx, q, c, CorrectionFinish{From: engine.CorrectionSubmitting, To: engine.CorrectionApplied,
				Outcome: engine.Accepted, Code: done.Decision.Why})
		default:
			return finishCorrection(ctx, q, c, CorrectionFinish{From: from, To: done.Decision.To, Code: done.Decision.Why,
				Delay: done.Decision.Delay, Burns: done.Decision.Burns})
		}
	})
	return done, err
}

func (d *DB) lockCorrection(ctx context.Context, q *queries.Queries, c engine.Claim, from engine.CorrectionState) (CorrectionFacts, error) {
	if _, err := q.LockBooks(ctx, string(c.Record)); err != nil {
		return CorrectionFacts{}, err
	}
	r, err := q.LockCorrection(ctx, queries.LockCorrectionParams{CorrectionID: string(c.Record),
		Incarnation: c.Fence.Incarnation, FenceNumber: c.Fence.Number, State: string(from)})
	if err != nil {
		return CorrectionFacts{}, lostOr(err)
	}
	if !r.SameIncarnation {
		return CorrectionFacts{}, fmt.Errorf("the server is not that of fence %v any more: %w", c.Fence, engine.ErrLeaseLost)
	}
	return CorrectionFacts{
		Correction: c.Record, From: from, Act: r.Act,
		Refund: engine.Refund{Account: engine.AccountID(r.AccountID), PaymentRef: r.PaymentRef,
			Currency: engine.Currency(r.Currency), Amount: r.AmountMinor, Key: engine.Key(r.IdempotencyKey)},
		ApprovedBy: r.ApprovedBy, BreakState: engine.BreakState(r.BreakState), Paused: r.Paused, OtherInDoubt: r.OtherInDoubt,
		DayNumber: int(r.DayNumber), DayMinor: r.DayMinor, FirstSubmittedAt: timeOrZero(r.FirstSubmittedAt), Now: r.Now,
	}, nil
}

// beginCorrection writes `submitting`; the lease begins anew.
func (d *DB) beginCorrection(ctx context.Context, q *queries.Queries, from engine.CorrectionState, done *SubmittedCorrection) error {
	c, before := done.Claim, d.rt.Mono()
	row, err := q.SubmitCorrection(ctx, queries.SubmitCorrectionParams{Lease: d.options.Lease, CorrectionID: string(c.Record),
		Incarnation: c.Fence.Incarnation, FenceNumber: c.Fence.Number, State: string(from)})
	if err != nil {
		return lostOr(err)
	}
	done.Claim = d.claimed(c.Record, c.Fence, row.LeaseUntil, before)
	return nil
}

// applyCorrection ends a claim with what was done: the record first (its fence decides), then the ledger, then the break.
func applyCorrection(ctx context.Context, q *queries.Queries, c engine.Claim, f CorrectionFinish) error {
	if err := finishCorrection(ctx, q, c, f); err != nil {
		return err
	}
	return bookCorrection(ctx, q, c.Record, f.Ref)
}

// bookCorrection books an applied correction and resolves its break. LockBooks was first in the transaction.
func bookCorrection(ctx context.Context, q *queries.Queries, correction engine.Key, ref string) error {
	fact, err := q.CorrectionFact(ctx, string(correction))
	if err != nil {
		return err
	}
	facts := []ledger.Fact{paymentOf(fact)}
	if fact.Act == "refund" {
		if facts[0] = refundOf(fact, ref); !fact.PaymentBooked {
			facts = append(facts, paymentOf(fact))
		}
	}
	var all []ledger.Transaction
	for _, f := range facts {
		t, err := f.Post()
		if err != nil {
			return fmt.Errorf("%s: %w: %w", correction, ErrInconsistent, err)
		}
		all = append(all, t)
	}
	if err := bookAll(ctx, q, all); err != nil {
		return fmt.Errorf("%s: %w", correction, err)
	}
	_, err = q.ResolveBreak(ctx, queries.ResolveBreakParams{CorrectionID: string(correction), BreakKey: fact.BreakKey})
	return err
}

// refundOf is the money the provider gave back: of an over-payment, since only duplicates are refunded.
func refundOf(r queries.CorrectionFactRow, ref string) ledger.Refund {
	if ref == "" {
		ref = r.IdempotencyKey
	}
	return ledger.Refund{Head: headOf(r, r.Now), Debt: debtOf(r), ProviderRef: ref, BusinessRef: r.BusinessRef, Overpaid: true,
		Amount: ledger.Money{Currency: engine.Currency(r.Currency), Minor: r.AmountMinor}}
}

// paymentOf is the payment that the break's statement row shows and our ledger lacks.
func paymentOf(r queries.CorrectionFactRow) ledger.Payment {
	return ledger.Payment{Head: headOf(r, r.RowOccurredAt), Debt: debtOf(r), ProviderRef: r.RowProviderRef, BusinessRef: r.BusinessRef,
		PayoutRef: r.RowPayoutRef, Gross: ledger.Money{Currency: engine.Currency(r.Currency), Minor: r.RowAmountMinor}}
}

func headOf(r queries.CorrectionFactRow, at time.Time) ledger.Head {
	return ledger.Head{Account: engine.AccountID(r.AccountID), OccurredAt: at, BreakKey: engine.Key(r.BreakKey)}
}

func debtOf(r queries.CorrectionFactRow) ledger.Debt {
	return ledger.Debt{Customer: engine.CustomerID(r.CustomerID), Invoice: engine.InvoiceID(r.InvoiceID)}
}
