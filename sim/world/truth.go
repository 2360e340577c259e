package world

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/recondrill/recondrill/sim"
)

// Truth is what really happened outside, as the outside itself knows it. Oracles judge the engine by it; nothing of
// it is ever told to the engine. All lists are in the order in which things happened; amounts are minor units.
type Truth struct {
	Payments  []Payment
	Refunds   []Refund
	Messages  []Delivered
	Receipts  []Brought
	Planted   []Planted
	Calls     []Call
	Statement []StatementTotal // one per account, window and currency that has rows by now
	Cash      []CashTotal      // one per account and currency
}

// Brought is a receipt as its channel brought it for the first time, with all that belongs to it.
type Brought struct {
	Receipt
	BroughtAt time.Time
}

// Payment is money a payer really paid at the provider.
type Payment struct {
	Ref         string // the provider's object, ch_…
	Account     string
	Customer    string // empty: the provider does not know whose it is
	Invoice     string // the reference the payer gave; empty: none
	Currency    string
	AmountMinor int64
	FeeMinor    int64
	At          time.Time
	SettledAt   time.Time // end of the window in whose statement it shows
	Window      string
}

// Refund is one real effect at the provider: money that went back. Two of one PaymentRef are a double, whatever
// their keys.
type Refund struct {
	Ref         string // re_…
	PaymentRef  string
	Account     string
	Currency    string
	AmountMinor int64 // > 0
	Key         string
	At          time.Time
	Late        bool // landed after its caller had given up
	Before      bool // was there before the run began: not an act of the engine
}

// Delivered is one message that really reached a contact.
type Delivered struct {
	MessageID string
	Channel   string
	Contact   string
	Address   string
	Account   string
	Key       string
	Subject   string
	Body      string
	BodyHash  string // sha256 of Body, hex
	At        time.Time
	Late      bool
}

// Identity names what the contact was told, whatever key, act number or attempt carried it: two messages of one
// identity are a double.
func (d Delivered) Identity() string {
	return d.Channel + " " + d.Contact + " " + d.Subject + " " + d.BodyHash
}

// Planted is a difference between the provider's truth and the books that was put there on purpose. The statement
// of its window must lead to a break of this Kind and Residual.
type Planted struct {
	Account     string
	Window      string
	Kind        string // the break: missing_in_ledger, fee_differs…
	RowKind     string // charge, refund, dispute…
	Currency    string
	Residual    int64  // provider − ledger, net minor units
	ProviderRef string // the provider's object; empty where neither side has one
	RowID       string // the statement row; empty where the provider has none
	Key         string // the business key of the ledger's fact; empty where the ledger has none
	BusinessRef string
	At          time.Time // when what the other side lacks occurred: its grace counts from here
	Timing      bool      // planted young, 90 minutes before its window ended: whether its grace lasts, At and the rules say
	Passing     bool      // our ledger learns of it while the run goes on: who looks later finds no difference
	Asks        string    // what it must lead to once open: refund, local or task
}

// Call is one call to the outside as the outside saw it.
type Call struct {
	At      time.Time
	Caller  sim.Actor
	Service string // provider, email, sms, push
	What    string // refund, look-up, statement, send
	Label   string // with its business key: refund(ch_1,2100,k1)
	Key     string // the idempotency key, where it has one
	Asked   string // all that an act asks for, as text to compare
	Outcome string // what was decided; empty = the plain one
	Answer  string // kind and code the outside gave, whether or not it arrived
	Effect  bool   // this call (at once or later) caused a new effect
}

// StatementTotal is what the statement of one account, window and currency comes to.
type StatementTotal struct {
	Account, Window, Currency string
	Rows                      int   // with the payout's row
	NetMinor                  int64 // Σ net of all rows, with the payout's: 0 where the payout ties
	PayoutMinor               int64 // what the payout pays out: Σ net of all other rows
}

// CashTotal is what the provider holds and has moved for one account and currency over all time.
type CashTotal struct {
	Account, Currency                       string
	PaidMinor, FeeMinor, RefundedMinor      int64
	DisputedMinor, PaidOutMinor, OtherMinor int64
}

// Net is what lies at the provider and is not paid out yet.
func (c CashTotal) Net() int64 {
	return c.PaidMinor - c.FeeMinor - c.RefundedMinor - c.DisputedMinor + c.OtherMinor - c.PaidOutMinor
}

// RefundsOf are the refunds of one payment in their order.
func (t *Truth) RefundsOf(paymentRef string) []Refund {
	var of []Refund
	for _, r := range t.Refunds {
		if r.PaymentRef == paymentRef {
			of = append(of, r)
		}
	}
	return of
}

// DoubledRefunds are the refunds the engine caused beyond the first of their payment.
func (t *Truth) DoubledRefunds() []Refund {
	seen := map[string]bool{}
	var doubled []Refund
	for _, r := range t.Refunds {
		if seen[r.PaymentRef] && !r.Before {
			doubled = append(doubled, r)
		}
		seen[r.PaymentRef] = true
	}
	return doubled
}

// DoubledMessages are the messages beyond the first of their identity.
func (t *Truth) DoubledMessages() []Delivered {
	seen := map[string]bool{}
	var doubled []Delivered
	for _, m := range t.Messages {
		if seen[m.Identity()] {
			doubled = append(doubled, m)
		}
		seen[m.Identity()] = true
	}
	return doubled
}

// PaidAt says when an invoice was paid in full by the provider's truth, refunds given back not counted; ok is false
// while it is not.
func (t *Truth) PaidAt(invoice string, amountMinor int64) (at time.Time, ok bool) {
	var of []Payment
	for _, p := range t.Payments {
		if p.Invoice == invoice {
			of = append(of, p)
		}
	}
	slices.SortStableFunc(of, func(a, b Payment) int { return a.At.Compare(b.At) })
	paid := int64(0)
	for _, p := range of {
		if paid += p.AmountMinor; paid >= amountMinor {
			return p.At, true
		}
	}
	return time.Time{}, false
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
