package world

import "time"

// Account is a merchant for whom the provider gives statements.
type Account struct {
	ID          string
	Zone        string        // IANA name; windows are its local days
	ProviderLag time.Duration // from a window's end until its statement is there
	Windows     []Window      // the settled ones the books are to be reconciled for, oldest first
}

// Window is one local day of an account.
type Window struct {
	ID         string // the local date, 2026-03-01
	Start, End time.Time
	DueAt      time.Time // End + the account's lag
}

// Customer owes invoices.
type Customer struct{ ID, Account string }

// Contact is a customer's address on one channel.
type Contact struct {
	ID, Customer, Channel, Address string
	OptedOut                       bool
}

// Invoice is what a customer owes.
type Invoice struct {
	ID, Account, Customer, Currency string
	AmountMinor                     int64
	IssuedAt, DueAt                 time.Time
	Steps                           []Step
}

// Step is one planned reminder of an invoice.
type Step struct {
	Name  string // due-7, due-3, due-0
	DueAt time.Time
}

// Fact is one thing our ledger is told before the run: the provider's truth with the planted differences. Invoices
// are not among them: they are World.Invoices.
type Fact struct {
	Key         string // business key: payment/ch_1, refund/re_1, payout/po_1
	Kind        string // what our ledger calls it: payment refund dispute payout fee…
	RowKind     string // what a statement calls it: charge refund dispute payout fee…
	Account     string
	Customer    string // empty: unknown
	Invoice     string // empty: unknown
	Currency    string
	ProviderRef string // the provider's object
	BusinessRef string
	PayoutRef   string
	RowID       string // what the fee is booked under: the provider's transaction id where we know it; unique among facts
	AmountMinor int64  // gross, signed as a statement signs it
	FeeMinor    int64
	HasFee      bool // false: no fee is booked yet
	OccurredAt  time.Time
}

// Late is a fact that our ledger is told only while the run goes on, so long after its beginning.
type Late struct {
	Fact
	After time.Duration
}

// Net is what the fact holds in the clearing book.
func (f Fact) Net() int64 {
	if !f.HasFee {
		return f.AmountMinor
	}
	return f.AmountMinor - f.FeeMinor
}

// Message is what a channel is asked to deliver.
type Message struct{ Account, Channel, Contact, Address, Subject, Body, Key string }

// Receipt is a channel's own evidence about a message. The same ID may come more than once.
type Receipt struct {
	Channel   string
	ID        string
	MessageID string
	Key       string
	Contact   string
	Kind      string // delivered, bounced, complained, opted_out
	At        time.Time
}

// Answer is what the caller of the outside learns.
type Answer struct {
	Kind       string // accepted rejected throttled failed pending unknown; of a read, failed: ask again
	Ref        string // the outside's reference: refund id, message id
	Code       string // for people: timeout, charge_not_found
	RetryAfter time.Duration
	Found      bool  // of a look-up: the key is known
	Completed  bool  // of a statement: the provider says it is whole; also an empty one
	Err        error // sim.ErrKilled: the caller's process died; else its context's error: its deadline passed
}
