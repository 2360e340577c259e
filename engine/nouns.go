package engine

import "time"

// Names of things, each its own type so that they cannot be mixed up. All are business identities.
type (
	AccountID   string // the unit for which the provider gives a statement
	CustomerID  string // owes invoices, belongs to one account
	ContactID   string // a customer's address on one channel; the address itself is erasable
	InvoiceID   string // what a customer owes
	StepName    string // one planned reminder of an invoice, e.g. "due-3"
	ChannelName string // email, sms, push
	Key         string // identity or idempotency key made from business names
	Currency    string // ISO 4217 code, upper case
)

// Window is the billing period or settlement date a reconciliation is for: stored, never recomputed.
type Window struct {
	ID    string    // the local date, 2026-03-01
	Start time.Time // inclusive
	End   time.Time // exclusive; the window's local end
	DueAt time.Time // End + the provider's lag
}

// RowKind says what a statement row or a clearing item is, in our words.
type RowKind string

// The kinds; what a provider calls otherwise is an adjustment.
const (
	Charge          RowKind = "charge"
	RefundRow       RowKind = "refund"
	Fee             RowKind = "fee"
	Dispute         RowKind = "dispute"
	DisputeReversal RowKind = "dispute_reversal"
	Payout          RowKind = "payout"
	PayoutReversal  RowKind = "payout_reversal"
	RefundFailure   RowKind = "refund_failure"
	Transfer        RowKind = "transfer"
	Reserve         RowKind = "reserve"
	Adjustment      RowKind = "adjustment"
)

// Row is one line of a provider's statement. Its identity is ID, the provider's transaction id.
type Row struct {
	ID          string
	Kind        RowKind
	OccurredAt  time.Time // UTC
	ProviderRef string    // the provider's object (Stripe: source_id); may be empty
	BusinessRef string    // our reference as the provider carries it, usually an invoice; may be empty
	PayoutRef   string    // the payout it belongs to; may be empty
	Currency    Currency
	Amount      int64  // gross, signed minor units
	Fee         int64  // minor units, positive = taken from us
	Window      string // the window it was carried from because nothing in the ledger matched it; empty = this one
}

// Net is what the row changes in the provider's balance.
func (r Row) Net() int64 { return r.Amount - r.Fee }

// Item is one open entry of our clearing book.
type Item struct {
	Key         Key // the ledger transaction's business key
	Kind        RowKind
	OccurredAt  time.Time
	ProviderRef string
	BusinessRef string
	PayoutRef   string
	Currency    Currency
	Amount      int64  // gross, signed minor units
	Fee         *int64 // nil: no fee booked yet, taken from the statement
	Window      string // the window it was carried from; empty = this one
}

// Totals are minor units per currency. Range it only over sorted keys.
type Totals map[Currency]int64

// BreakKind names a difference between the provider's statement and our ledger.
type BreakKind string

// The kinds of ENGINE.md section 3.
const (
	MissingInLedger     BreakKind = "missing_in_ledger"
	MissingAtProvider   BreakKind = "missing_at_provider"
	AmountDiffers       BreakKind = "amount_differs"
	FeeDiffers          BreakKind = "fee_differs"
	DuplicateAtProvider BreakKind = "duplicate_at_provider"
	DuplicateInLedger   BreakKind = "duplicate_in_ledger"
	OtherWindow         BreakKind = "other_window"
	StateDiffers        BreakKind = "state_differs"
	Ambiguous           BreakKind = "ambiguous"
	Tolerated           BreakKind = "tolerated"
)

// BreakState is where a break stands.
type BreakState string

// The states: timing → open → resolved | accepted.
const (
	BreakTiming   BreakState = "timing"
	BreakOpen     BreakState = "open"
	BreakResolved BreakState = "resolved"
	BreakAccepted BreakState = "accepted"
)

// Break is a difference, per currency in minor units: Residual = provider − ledger.
type Break struct {
	Kind        BreakKind
	State       BreakState
	Currency    Currency
	Residual    int64
	RowKind     RowKind
	RowID       string // the statement row; empty where the provider has none
	ItemKey     Key    // the ledger item; empty where the ledger has none
	ProviderRef string
	BusinessRef string
	GraceUntil  time.Time // with BreakTiming: when it becomes open
}

// CorrectionKind says what a break asks for.
type CorrectionKind string

// The kinds. Only a refund acts outside.
const (
	CorrectionPosting CorrectionKind = "posting" // a local posting
	CorrectionTask    CorrectionKind = "task"    // a person's task
	CorrectionRefund  CorrectionKind = "refund"  // refund(payment, amount, key) at the provider
)
