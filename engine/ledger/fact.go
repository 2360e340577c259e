package ledger

import (
	"fmt"
	"strings"

	"github.com/recondrill/recondrill/engine"
)

// Money is an amount that is not said without its currency.
type Money struct {
	Currency engine.Currency
	Minor    int64
}

// Debt says whose invoice a line belongs to; both are empty where nobody knows yet.
type Debt struct {
	Customer engine.CustomerID
	Invoice  engine.InvoiceID
}

// draft is a transaction being made; the first error stays.
type draft struct {
	t   Transaction
	err error
}

// begin starts a transaction whose key is the kind (or another word) and what names the fact.
func begin(h Head, kind Kind, word, name string) *draft {
	d := &draft{t: Transaction{Kind: kind, Account: h.Account, OccurredAt: h.OccurredAt, BreakKey: h.BreakKey,
		Key: engine.Key(word + "/" + name)}}
	if strings.TrimSpace(name) == "" {
		d.fail("no name; accepted: the provider's id, or our own, of what happened")
	}
	return d
}

func (d *draft) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("ledger: %s: "+format, append([]any{d.t.Key}, args...)...)
	}
}

// positive refuses what is not above zero: a fact's direction is in its type, never in a sign.
func (d *draft) positive(what string, minor int64) {
	if minor <= 0 {
		d.fail("%s is %d; accepted: minor units above zero", what, minor)
	}
}

// post adds a line; a line of zero says nothing and is left out.
func (d *draft) post(book Book, debt Debt, c engine.Currency, minor int64) {
	if minor != 0 {
		d.t.Postings = append(d.t.Postings, Posting{Book: book, Account: d.t.Account, Customer: debt.Customer,
			Invoice: debt.Invoice, Currency: c, Amount: minor})
	}
}

// move posts amount to one book and takes it from another.
func (d *draft) move(to, from Book, debt Debt, m Money) {
	d.post(to, debt, m.Currency, m.Minor)
	d.post(from, debt, m.Currency, -m.Minor)
}

func (d *draft) done() (Transaction, error) {
	if d.err != nil {
		return Transaction{}, d.err
	}
	if err := Check(d.t); err != nil {
		return Transaction{}, err
	}
	return d.t, nil
}
