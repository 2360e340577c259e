package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/ledger"
	"github.com/recondrill/recondrill/engine/postgres/queries"
)

// ErrStale: another reconciliation of the account ended since the books were loaded. Nothing was written. Duty: give
// the job back without burning an attempt; it is computed again from what is there now.
var ErrStale = errors.New("the account's books moved since they were loaded")

// Finished is everything one reconciliation writes, in one transaction. Lists are sorted by their keys.
type Finished struct {
	Reconciled                   int64 // Books.Reconciled as loaded
	StatementHash, StatementName string
	RowsSeen, Matched            int
	Totals                       []Total
	Rows                         []SeenRow    // rows that are new to the account
	CarriedClosed                []string     // ids of rows of earlier statements that are closed now
	ItemsClosed                  []engine.Key // business keys of ledger items that are closed now, fee and local ones included
	Bookings                     []ledger.Transaction
	Breaks                       []FoundBreak
	BreaksCarried                []engine.Key // earlier breaks that stand again among Breaks
	BreaksGone                   []engine.Key // earlier breaks whose difference is gone
	Corrections                  []Proposal
	Intents                      []PlannedIntent
	Alarms                       []Alarm
	Cleared                      []Alarm // that are over; their Detail is not asked
}

// Total is one currency's equation.
type Total struct {
	Currency                   engine.Currency
	Provider, Ledger, Residual int64
	ProviderMove, LedgerMove   Move
}

// Move is how one side moved: Opening + New − Matched = Closing.
type Move struct{ Opening, New, Matched, Closing int64 }

// SeenRow is a statement row and whether this reconciliation closed it.
type SeenRow struct {
	engine.Row
	Closed bool
}

// FoundBreak is a break with its identity. ClosedBy is set with resolved and accepted.
type FoundBreak struct {
	Key engine.Key
	engine.Break
	ClosedBy string
}

// Proposal is a correction at its birth: proposed, or approved (a refund) or applied (a local posting) by policy.
type Proposal struct {
	Break       engine.Key
	Act         string // refund local task
	Key         engine.Key
	PaymentRef  string
	BusinessRef string
	Currency    engine.Currency
	Amount      int64
	State       engine.CorrectionState
	ApprovedBy  string // policy:…
	Ref         string // the ledger key of an applied posting
}

// PlannedIntent is a reminder of due steps to one contact. Whether it is born ready or held, the database decides.
type PlannedIntent struct {
	ID       engine.Key
	Customer engine.CustomerID
	Contact  engine.ContactID
	Channel  engine.ChannelName
	Template string
	Covers   []Pair
}

// Alarm asks for a person.
type Alarm struct{ Kind, Subject, Detail string }

// FinishJob ends a claim with its reconciliation: envelope, rows, breaks, bookings, corrections, intents and done in
// one transaction, fenced. A COMMIT without an answer is read back under the job's lock. ErrLeaseLost: touch nothing
// more. ErrStale, ErrNotCommitted: nothing was written. ErrCommitUnknown: stop.
func (d *DB) FinishJob(ctx context.Context, j Job, f Finished) error {
	return d.inTx(ctx, txOptions{Name: "FinishJob", ReadBack: d.jobFinished(j)}, func(ctx context.Context, q *queries.Queries) error {
		done, err := q.FinishJob(ctx, finishParams(j, f))
		switch {
		case err != nil:
			return lostOr(err)
		case !done.Counted:
			return ErrStale
		}
		if len(f.Bookings) > 0 {
			if err := bookAll(ctx, q, f.Bookings); err != nil {
				return err
			}
		}
		if len(f.Rows)+len(f.CarriedClosed)+len(f.ItemsClosed) > 0 {
			if err := q.RecordRows(ctx, rowParams(j, f)); err != nil {
				return err
			}
		}
		if len(f.Breaks)+len(f.BreaksCarried)+len(f.BreaksGone) > 0 {
			if err := q.RecordBreaks(ctx, breakParams(j, f)); err != nil {
				return err
			}
		}
		if len(f.Corrections) > 0 {
			if _, err := q.ProposeCorrections(ctx, correctionParams(j, f)); err != nil {
				return err
			}
		}
		if len(f.Intents) > 0 {
			if err := q.CreateIntents(ctx, intentParams(j, f)); err != nil {
				return err
			}
		}
		for _, a := range f.Cleared {
			if _, err := q.ClearAlarm(ctx, queries.ClearAlarmParams{Kind: a.Kind, Subject: a.Subject}); err != nil {
				return err
			}
		}
		return raiseAlarms(ctx, q, f.Alarms)
	})
}

func raiseAlarms(ctx context.Context, q *queries.Queries, all []Alarm) error {
	if len(all) == 0 {
		return nil
	}
	var p queries.RaiseAlarmsParams
	for _, a := range all {
		p.Kinds = append(p.Kinds, a.Kind)
		p.Subjects = append(p.Subjects, a.Subject)
		p.Details = append(p.Details, a.Detail)
	}
	return q.RaiseAlarms(ctx, p)
}

func finishParams(j Job, f Finished) queries.FinishJobParams {
	p := queries.FinishJobParams{
		JobID: string(j.Claim.Record), FenceIncarnation: j.Claim.Fence.Incarnation, FenceNumber: j.Claim.Fence.Number,
		Reconciled: f.Reconciled, StatementHash: f.StatementHash, StatementName: f.StatementName,
		RowsSeen: int32(f.RowsSeen), Matched: int32(f.Matched), Breaks: int32(len(f.Breaks)), CorrelationID: j.CorrelationID,
	}
	for _, t := range f.Totals {
		p.Currencies = append(p.Currencies, string(t.Currency))
		p.Provider = append(p.Provider, t.Provider)
		p.Ledger = append(p.Ledger, t.Ledger)
		p.Residual = append(p.Residual, t.Residual)
		p.ProviderOpening = append(p.ProviderOpening, t.ProviderMove.Opening)
		p.ProviderNew = append(p.ProviderNew, t.ProviderMove.New)
		p.ProviderMatched = append(p.ProviderMatched, t.ProviderMove.Matched)
		p.ProviderClosing = append(p.ProviderClosing, t.ProviderMove.Closing)
		p.LedgerOpening = append(p.LedgerOpening, t.LedgerMove.Opening)
		p.LedgerNew = append(p.LedgerNew, t.LedgerMove.New)
		p.LedgerMatched = append(p.LedgerMatched, t.LedgerMove.Matched)
		p.LedgerClosing = append(p.LedgerClosing, t.LedgerMove.Closing)
	}
	return p
}

func rowParams(j Job, f Finished) queries.RecordRowsParams {
	p := queries.RecordRowsParams{
		AccountID: string(j.Account), WindowID: j.Window.ID, JobID: string(j.Claim.Record), Generation: int32(j.Generation),
		CarriedClosed: f.CarriedClosed,
	}
	for _, r := range f.Rows {
		p.RowIds = append(p.RowIds, r.ID)
		p.Kinds = append(p.Kinds, string(r.Kind))
		p.Occurred = append(p.Occurred, r.OccurredAt.Truncate(time.Microsecond))
		p.ProviderRefs = append(p.ProviderRefs, r.ProviderRef)
		p.BusinessRefs = append(p.BusinessRefs, r.BusinessRef)
		p.PayoutRefs = append(p.PayoutRefs, r.PayoutRef)
		p.Currencies = append(p.Currencies, string(r.Currency))
		p.Amounts = append(p.Amounts, r.Amount)
		p.Fees = append(p.Fees, r.Fee)
		p.Closed = append(p.Closed, r.Closed)
	}
	for _, key := range f.ItemsClosed {
		p.ItemKeys = append(p.ItemKeys, string(key))
	}
	return p
}

func breakParams(j Job, f Finished) queries.RecordBreaksParams {
	p := queries.RecordBreaksParams{
		JobID: string(j.Claim.Record), Generation: int32(j.Generation), AccountID: string(j.Account), WindowID: j.Window.ID,
	}
	for _, key := range f.BreaksCarried {
		p.CarriedKeys = append(p.CarriedKeys, string(key))
	}
	for _, key := range f.BreaksGone {
		p.GoneKeys = append(p.GoneKeys, string(key))
	}
	for _, b := range f.Breaks {
		p.BreakKeys = append(p.BreakKeys, string(b.Key))
		p.Kinds = append(p.Kinds, string(b.Kind))
		p.States = append(p.States, string(b.State))
		p.RowKinds = append(p.RowKinds, string(b.RowKind))
		p.Currencies = append(p.Currencies, string(b.Currency))
		p.Residuals = append(p.Residuals, b.Residual)
		p.RowIds = append(p.RowIds, b.RowID)
		p.ItemKeys = append(p.ItemKeys, string(b.ItemKey))
		p.ProviderRefs = append(p.ProviderRefs, b.ProviderRef)
		p.BusinessRefs = append(p.BusinessRefs, b.BusinessRef)
		p.Graces = append(p.Graces, b.GraceUntil.Truncate(time.Microsecond))
		p.ClosedBys = append(p.ClosedBys, b.ClosedBy)
	}
	return p
}

func correctionParams(j Job, f Finished) queries.ProposeCorrectionsParams {
	p := queries.ProposeCorrectionsParams{JobID: string(j.Claim.Record), AccountID: string(j.Account)}
	for _, c := range f.Corrections {
		p.BreakKeys = append(p.BreakKeys, string(c.Break))
		p.Acts = append(p.Acts, c.Act)
		p.IdempotencyKeys = append(p.IdempotencyKeys, string(c.Key))
		p.PaymentRefs = append(p.PaymentRefs, c.PaymentRef)
		p.BusinessRefs = append(p.BusinessRefs, c.BusinessRef)
		p.Currencies = append(p.Currencies, string(c.Currency))
		p.Amounts = append(p.Amounts, c.Amount)
		p.States = append(p.States, string(c.State))
		p.ApprovedBys = append(p.ApprovedBys, c.ApprovedBy)
		p.Refs = append(p.Refs, c.Ref)
	}
	return p
}

func intentParams(j Job, f Finished) queries.CreateIntentsParams {
	p := queries.CreateIntentsParams{JobID: string(j.Claim.Record), Generation: int32(j.Generation), AccountID: string(j.Account)}
	for _, i := range f.Intents {
		p.IntentIds = append(p.IntentIds, string(i.ID))
		p.CustomerIds = append(p.CustomerIds, string(i.Customer))
		p.ContactIds = append(p.ContactIds, string(i.Contact))
		p.Channels = append(p.Channels, string(i.Channel))
		p.TemplateVersions = append(p.TemplateVersions, i.Template)
		for _, pair := range i.Covers {
			p.StepInvoices = append(p.StepInvoices, string(pair.Invoice))
			p.StepNames = append(p.StepNames, string(pair.Step))
			p.StepChannels = append(p.StepChannels, string(i.Channel))
			p.StepContacts = append(p.StepContacts, string(i.Contact))
			p.StepIntents = append(p.StepIntents, string(i.ID))
		}
	}
	return p
}
