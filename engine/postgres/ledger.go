package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/ledger"
	"github.com/recondrill/recondrill/engine/postgres/queries"
)

// ErrBookedOtherwise: the key is in the ledger with other postings. Duty: book nothing of the batch; a person must see
// why one fact has two contents.
var ErrBookedOtherwise = errors.New("booked before, with other postings")

// BookFacts books transactions, each key once: what is there already with the same postings is no error. Payments,
// refunds and credit notes lock their invoices in key order and move them in the same transaction.
func (d *DB) BookFacts(ctx context.Context, all []ledger.Transaction) error {
	if len(all) == 0 {
		return nil
	}
	book := func(ctx context.Context, q *queries.Queries) error {
		return bookAll(ctx, q, all)
	}
	err := d.inTx(ctx, txOptions{Name: "BookFacts"}, book)
	if errors.Is(err, ErrCommitUnknown) {
		// The whole once more, under its own keys: what is there already is no error.
		err = d.inTx(ctx, txOptions{Name: "BookFacts"}, book)
	}
	return err
}

// bookAll is BookFacts inside a caller's transaction: the claim's row must be locked before, nothing of invoices after.
func bookAll(ctx context.Context, q *queries.Queries, all []ledger.Transaction) error {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b ledger.Transaction) int { return strings.Compare(string(a.Key), string(b.Key)) })
	invoices, err := lockInvoices(ctx, q, all)
	if err != nil {
		return err
	}
	booked, err := q.BookTransactions(ctx, bookParams(all))
	if err != nil {
		return err
	}
	fresh := keySet(booked)
	var news, olds []ledger.Transaction
	for _, t := range all {
		if fresh[t.Key] {
			news = append(news, t)
		} else {
			olds = append(olds, t)
		}
	}
	if err := sameAsBooked(ctx, q, olds); err != nil {
		return err
	}
	if p := invoiceMoves(news, invoices); len(p.InvoiceIds) > 0 {
		_, err = q.UpdateInvoices(ctx, p)
	}
	return err
}

// keySet is for looking keys up that a query answered. Their order is the server's collation, which is not ours.
func keySet(keys []string) map[engine.Key]bool {
	set := make(map[engine.Key]bool, len(keys))
	for _, key := range keys {
		set[engine.Key(key)] = true
	}
	return set
}

// lockInvoices locks every invoice whose receivable the transactions move; the invoice's own fact moves none.
func lockInvoices(ctx context.Context, q *queries.Queries, all []ledger.Transaction) ([]queries.LockInvoicesRow, error) {
	var ids []string
	for _, t := range all {
		for _, p := range t.Postings {
			if p.Invoice != "" && t.Kind != ledger.KindInvoice {
				ids = append(ids, string(p.Invoice))
			}
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	slices.Sort(ids)
	return q.LockInvoices(ctx, slices.Compact(ids))
}

func bookParams(all []ledger.Transaction) queries.BookTransactionsParams {
	var b queries.BookTransactionsParams
	for _, t := range all {
		b.BusinessKeys = append(b.BusinessKeys, string(t.Key))
		b.Kinds = append(b.Kinds, string(t.Kind))
		b.AccountIds = append(b.AccountIds, string(t.Account))
		b.Occurred = append(b.Occurred, t.OccurredAt.Truncate(time.Microsecond))
		b.ProviderRefs = append(b.ProviderRefs, t.ProviderRef)
		b.BusinessRefs = append(b.BusinessRefs, t.BusinessRef)
		b.PayoutRefs = append(b.PayoutRefs, t.PayoutRef)
		b.BreakKeys = append(b.BreakKeys, string(t.BreakKey))
		for i, p := range t.Postings {
			b.LineKeys = append(b.LineKeys, string(t.Key))
			b.Lines = append(b.Lines, int16(i+1))
			b.Books = append(b.Books, string(p.Book))
			b.LineAccounts = append(b.LineAccounts, string(p.Account))
			b.CustomerIds = append(b.CustomerIds, string(p.Customer))
			b.InvoiceIds = append(b.InvoiceIds, string(p.Invoice))
			b.Currencies = append(b.Currencies, string(p.Currency))
			b.Amounts = append(b.Amounts, p.Amount)
		}
	}
	return b
}

// sameAsBooked compares facts whose key was there before with what is booked. A silent "already there" with another
// amount would be lost money.
func sameAsBooked(ctx context.Context, q *queries.Queries, olds []ledger.Transaction) error {
	if len(olds) == 0 {
		return nil
	}
	var keys []string
	want := map[string][]string{}
	for _, t := range olds {
		keys = append(keys, string(t.Key))
		for _, p := range t.Postings {
			want[string(t.Key)] = append(want[string(t.Key)], fmt.Sprintf("%s %s %d %s", p.Book, p.Currency, p.Amount, p.Invoice))
		}
	}
	rows, err := q.BookedPostings(ctx, keys)
	if err != nil {
		return err
	}
	have := map[string][]string{}
	for _, r := range rows {
		have[r.BusinessKey] = append(have[r.BusinessKey], fmt.Sprintf("%s %s %d %s", r.Book, r.Currency, r.AmountMinor, r.InvoiceID))
	}
	for _, key := range keys {
		if !slices.Equal(want[key], have[key]) {
			return fmt.Errorf("%s: %w: there %v, now %v", key, ErrBookedOtherwise, have[key], want[key])
		}
	}
	return nil
}

// invoiceMoves is what newly booked facts do to their invoices: paid moves by what left the receivable, and refunds of a
// sale, credit notes and disputes set a state.
func invoiceMoves(news []ledger.Transaction, locked []queries.LockInvoicesRow) queries.UpdateInvoicesParams {
	var moves queries.UpdateInvoicesParams
	for _, invoice := range locked {
		paid, becomes, disputes, touched := int64(0), "", false, false
		for _, t := range news {
			settled, of := settledBy(t, invoice.InvoiceID)
			if !of {
				continue
			}
			touched = true
			paid += settled
			disputes = disputes || isDispute(t.Kind)
			if state := stateAfter(t.Kind, settled, invoice); state != "" {
				becomes = state
			}
		}
		if touched {
			moves.InvoiceIds = append(moves.InvoiceIds, invoice.InvoiceID)
			moves.Paid = append(moves.Paid, paid)
			moves.Becomes = append(moves.Becomes, becomes)
			moves.Disputes = append(moves.Disputes, disputes)
		}
	}
	return moves
}

// settledBy is by how much a fact settled an invoice, below zero for what was given back; false: it is not about it.
func settledBy(t ledger.Transaction, invoice string) (settled int64, of bool) {
	for _, p := range t.Postings {
		if string(p.Invoice) != invoice {
			continue
		}
		of = true
		if p.Book == ledger.Receivable {
			settled -= p.Amount
		}
	}
	return settled, of
}

func isDispute(kind ledger.Kind) bool {
	return kind == ledger.KindDisputeOpened || kind == ledger.KindDisputeWon || kind == ledger.KindDisputeLost
}

// stateAfter is the state that a fact sets by itself; empty: the paid sum decides.
func stateAfter(kind ledger.Kind, settled int64, invoice queries.LockInvoicesRow) string {
	switch kind {
	case ledger.KindRefund:
		if -settled >= invoice.AmountMinor {
			return "refunded"
		}
	case ledger.KindCreditNote:
		if settled >= invoice.AmountMinor && invoice.PaidMinor == 0 {
			return "cancelled"
		}
	}
	return ""
}
