package ledger

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/recondrill/recondrill/engine"
)

// Book is an account of the ledger.
type Book string

// The books. An amount above zero is a debit: receivable + means a customer owes us more.
const (
	Receivable   Book = "receivable"
	Revenue      Book = "revenue"
	Tax          Book = "tax"
	Clearing     Book = "clearing" // what the provider holds for us
	Fees         Book = "fees"
	Disputed     Book = "disputed"
	Losses       Book = "losses"
	InTransit    Book = "in_transit"
	Bank         Book = "bank"
	FX           Book = "fx"
	Suspense     Book = "suspense"
	RoundingBook Book = "rounding"
)

// Books is the list of them.
func Books() []Book {
	return []Book{Receivable, Revenue, Tax, Clearing, Fees, Disputed, Losses, InTransit, Bank, FX, Suspense, RoundingBook}
}

// Posting is one line of a transaction. Customer and Invoice are empty where it has none.
type Posting struct {
	Book     Book
	Account  engine.AccountID
	Customer engine.CustomerID
	Invoice  engine.InvoiceID
	Currency engine.Currency
	Amount   int64 // minor units, never zero
}

// Transaction is one business fact in the ledger, found again by its key.
type Transaction struct {
	Key         engine.Key
	Kind        Kind
	Account     engine.AccountID
	OccurredAt  time.Time
	ProviderRef string
	BusinessRef string
	PayoutRef   string
	BreakKey    engine.Key // the break that asked for it; empty = no break did
	Postings    []Posting
}

// Fact is something that happened. Post's errors are defects or bad input: nothing of the fact may be booked.
type Fact interface {
	Post() (Transaction, error)
}

// Head is what every fact has.
type Head struct {
	Account    engine.AccountID
	OccurredAt time.Time
	BreakKey   engine.Key // set where a local posting closes a break
}

// Kind names a fact, as the database stores it.
type Kind string

// The kinds.
const (
	KindInvoice           Kind = "invoice"
	KindCreditNote        Kind = "credit_note"
	KindPayment           Kind = "payment"
	KindFee               Kind = "fee"
	KindRefund            Kind = "refund"
	KindRefundOverpayment Kind = "refund_overpayment"
	KindDisputeOpened     Kind = "dispute_opened"
	KindDisputeWon        Kind = "dispute_won"
	KindDisputeLost       Kind = "dispute_lost"
	KindPayout            Kind = "payout"
	KindPayoutBank        Kind = "payout_bank"
	KindPayoutFailed      Kind = "payout_failed"
	KindConversion        Kind = "conversion"
	KindLocal             Kind = "local"
	KindRounding          Kind = "rounding"
)

// ClearingKind says as what a transaction of the kind stands in a provider's statement; false: it never does. A fee
// of a payment is not an item of its own but the fee of the payment's item.
func (k Kind) ClearingKind() (engine.RowKind, bool) {
	switch k {
	case KindPayment:
		return engine.Charge, true
	case KindFee:
		return engine.Fee, true
	case KindRefund, KindRefundOverpayment:
		return engine.RefundRow, true
	case KindDisputeOpened:
		return engine.Dispute, true
	case KindDisputeWon:
		return engine.DisputeReversal, true
	case KindPayout:
		return engine.Payout, true
	case KindPayoutFailed:
		return engine.PayoutReversal, true
	case KindConversion, KindLocal, KindRounding:
		return engine.Adjustment, true
	default:
		return "", false
	}
}

// Check is what holds for every transaction: a key, a time, an account, no empty line, and zero per currency.
func Check(t Transaction) error {
	switch {
	case t.Key == "" || t.Kind == "":
		return fmt.Errorf("ledger: a transaction without key or kind: %+v", t)
	case t.Account == "":
		return fmt.Errorf("ledger: %s: no account", t.Key)
	case t.OccurredAt.IsZero():
		return fmt.Errorf("ledger: %s: no time at which it occurred", t.Key)
	case len(t.Postings) < 2:
		return fmt.Errorf("ledger: %s: %d postings; accepted: two or more", t.Key, len(t.Postings))
	}
	sums := engine.Totals{}
	for i, p := range t.Postings {
		if p.Amount == 0 || p.Amount == math.MinInt64 || p.Account != t.Account || !slices.Contains(Books(), p.Book) {
			return fmt.Errorf("ledger: %s: posting %d: %+v; accepted: an amount that is not zero, the transaction's account, a book of %v",
				t.Key, i, p, Books())
		}
		if _, err := engine.ISO4217(p.Currency); err != nil {
			return fmt.Errorf("ledger: %s: posting %d: %w", t.Key, i, err)
		}
		if sum := sums[p.Currency]; sum > 0 && p.Amount > math.MaxInt64-sum || sum < 0 && p.Amount < math.MinInt64-sum {
			return fmt.Errorf("ledger: %s: posting %d: the sum of %s does not fit an int64", t.Key, i, p.Currency)
		}
		sums.Add(p.Currency, p.Amount)
	}
	for _, c := range sums.Currencies() {
		if sums[c] != 0 {
			return fmt.Errorf("ledger: %s: its postings sum to %d %s; accepted: zero", t.Key, sums[c], c)
		}
	}
	return nil
}
