package reconcile

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/ledger"
	"github.com/recondrill/recondrill/engine/postgres"
)

var day = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

func window() engine.Window {
	return engine.Window{ID: "2026-03-01", Start: day, End: day.AddDate(0, 0, 1), DueAt: day.Add(28 * time.Hour)}
}

// drawn is a statement and books in which everything collides: few objects, few references, few amounts.
type drawn struct {
	st    engine.Statement
	books postgres.Books
}

func draw(t *rapid.T) drawn {
	pick := func(name string, from ...string) string { return rapid.SampledFrom(from).Draw(t, name) }
	row := func(id string) engine.Row {
		r := engine.Row{
			ID: id, OccurredAt: day.Add(time.Duration(rapid.IntRange(0, 3).Draw(t, "hour")) * time.Hour),
			Kind:        engine.RowKind(pick("kind", "charge", "charge", "charge", "refund", "fee", "payout", "adjustment", "dispute")),
			ProviderRef: pick("object", "", "o1", "o2", "o3", "o4"), BusinessRef: pick("reference", "", "inv_1", "inv_2", "stranger"),
			PayoutRef: pick("payout", "", "po_1"), Currency: engine.Currency(pick("currency", "USD", "USD", "EUR")),
			Amount: int64(rapid.IntRange(-2, 3).Draw(t, "amount")) * 100,
		}
		if r.Kind == engine.Charge {
			r.Fee = int64(rapid.IntRange(0, 2).Draw(t, "fee"))
		}
		return r
	}
	d := drawn{books: postgres.Books{Now: day.Add(30 * time.Hour), Reconciled: 1, Booked: map[engine.Key]bool{}}}
	for i := range rapid.IntRange(0, 7).Draw(t, "rows") {
		d.st.Rows = append(d.st.Rows, row(fmt.Sprintf("txn_%d", i)))
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "open rows") {
		r := row(fmt.Sprintf("old_%d", i))
		r.Window = "2026-02-28"
		d.books.Rows = append(d.books.Rows, postgres.KnownRow{Row: r})
	}
	for i := range rapid.IntRange(0, 5).Draw(t, "items") {
		r := row("")
		item := engine.Item{Key: engine.Key(fmt.Sprintf("fact/%d", i)), Kind: r.Kind, OccurredAt: r.OccurredAt, ProviderRef: r.ProviderRef,
			BusinessRef: r.BusinessRef, PayoutRef: r.PayoutRef, Currency: r.Currency, Amount: r.Amount}
		if r.Kind == engine.Charge && r.ProviderRef != "" && !slices.ContainsFunc(d.books.Items, func(o postgres.OpenItem) bool { return o.Key == "payment/"+engine.Key(r.ProviderRef) }) {
			item.Key = engine.Key("payment/" + r.ProviderRef)
			d.books.Booked[item.Key] = true
		}
		if rapid.Bool().Draw(t, "fee known") {
			item.Fee = &r.Fee
		}
		d.books.Items = append(d.books.Items, postgres.OpenItem{Item: item})
	}
	for i, id := range []engine.InvoiceID{"inv_1", "inv_2"} {
		d.books.Invoices = append(d.books.Invoices, postgres.OurInvoice{ID: id, Customer: "c", Currency: "USD", Amount: 200, State: "open",
			Paid: int64(rapid.IntRange(0, 1).Draw(t, "paid") * 200)})
		d.books.Due = append(d.books.Due, postgres.DuePair{Pair: postgres.Pair{Invoice: id, Step: "due-0"}, Customer: "c",
			Contact: engine.ContactID(fmt.Sprint("m", i)), Channel: "email", Template: "t"})
	}
	return d
}

func reconcile(t require.TestingT, d drawn, policy Policy) postgres.Finished {
	j := postgres.Job{Claim: engine.Claim{Record: "a/2026-03-01"}, Account: "a", Window: window(), Generation: 1}
	c := Config{Policy: policy}.withDefaults()
	p, err := newPlan(j, d.st, d.books, c)
	require.NoError(t, err)
	f, err := p.finish(engine.RawStatement{Name: "s"}, c.Policy, nil)
	require.NoError(t, err)
	return f
}

func TestPlan_WhateverTheBooksItsEquationsHoldAndNothingIsWrittenTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { holds(t, draw(t)) })
	rapid.Check(t, func(t *rapid.T) { holds(t, charged(t)) })
}

// charged is nothing but charges of two objects: what is most easily booked twice.
func charged(t *rapid.T) drawn {
	d := draw(t)
	for i := range d.st.Rows {
		d.st.Rows[i].Kind, d.st.Rows[i].Currency = engine.Charge, "USD"
		d.st.Rows[i].ProviderRef = rapid.SampledFrom([]string{"o1", "o2"}).Draw(t, "one of two")
		d.st.Rows[i].Amount = int64(rapid.IntRange(1, 3).Draw(t, "paid so much")) * 100
	}
	d.books.Items, d.books.Booked = nil, nil
	return d
}

func holds(t require.TestingT, d drawn) {
	f := reconcile(t, d, Policy{})
	residual := engine.Totals{}
	for _, b := range f.Breaks {
		residual.Add(b.Currency, b.Residual)
	}
	for _, total := range f.Totals {
		require.Equal(t, total.Provider-total.Ledger, total.Residual)
		require.Equal(t, residual[total.Currency], total.Residual)
		require.Equal(t, total.Provider, total.ProviderMove.Opening+total.ProviderMove.New)
		require.Equal(t, total.Ledger, total.LedgerMove.Opening+total.LedgerMove.New)
	}
	unique(t, "break", f.Breaks, func(b postgres.FoundBreak) engine.Key { return b.Key })
	unique(t, "booking", f.Bookings, func(b ledger.Transaction) engine.Key { return b.Key })
	unique(t, "correction", f.Corrections, func(c postgres.Proposal) engine.Key { return c.Key })
	unique(t, "correction of", f.Corrections, func(c postgres.Proposal) engine.Key { return c.Break })
	unique(t, "closed item", f.ItemsClosed, func(k engine.Key) engine.Key { return k })
	for _, b := range f.Bookings {
		require.False(t, d.books.Booked[b.Key], "booked before")
		require.NoError(t, ledger.Check(b))
	}
	closingIsWhatIsOpen(t, d, f)
}

func unique[T any](t require.TestingT, what string, all []T, key func(T) engine.Key) {
	seen := map[engine.Key]bool{}
	for _, v := range all {
		require.False(t, seen[key(v)], "%s %s twice", what, key(v))
		seen[key(v)] = true
	}
}

// closingIsWhatIsOpen counts the two sides again, from what FinishJob would leave in the tables.
func closingIsWhatIsOpen(t require.TestingT, d drawn, f postgres.Finished) {
	provider, books := engine.Totals{}, engine.Totals{}
	for _, r := range f.Rows {
		if !r.Closed {
			provider.Add(r.Currency, r.Net())
		}
	}
	for _, r := range d.books.Rows {
		if !slices.Contains(f.CarriedClosed, r.ID) {
			provider.Add(r.Currency, r.Net())
		}
	}
	for _, i := range d.books.Items {
		if !slices.Contains(f.ItemsClosed, i.Key) {
			books.Add(i.Currency, i.Net())
		}
	}
	for _, b := range f.Bookings {
		for _, line := range b.Postings {
			if line.Book == ledger.Clearing && !slices.Contains(f.ItemsClosed, b.Key) {
				books.Add(line.Currency, line.Amount)
			}
		}
	}
	for _, total := range f.Totals {
		require.Equal(t, provider[total.Currency], total.ProviderMove.Closing, "provider %s", total.Currency)
		require.Equal(t, books[total.Currency], total.LedgerMove.Closing, "ledger %s", total.Currency)
	}
}

func TestPlan_TheOrderOfTheInputNeverMatters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := draw(t)
		want := reconcile(t, d, Policy{})
		d.st.Rows = rapid.Permutation(d.st.Rows).Draw(t, "rows' order")
		d.books.Items = rapid.Permutation(d.books.Items).Draw(t, "items' order")
		require.Equal(t, sortedBookings(want), sortedBookings(reconcile(t, d, Policy{})))
	})
}

// sortedBookings: bookAll sorts them by key.
func sortedBookings(f postgres.Finished) postgres.Finished {
	f.Bookings = slices.Clone(f.Bookings)
	slices.SortFunc(f.Bookings, func(a, b ledger.Transaction) int { return strings.Compare(string(a.Key), string(b.Key)) })
	return f
}

func TestPlan_WithoutAPolicyNothingIsBookedButWhatTheStatementProves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, c := range reconcile(t, draw(t), Policy{Nothing: true}).Corrections {
			require.Equal(t, engine.CorrectionProposed, c.State)
			require.Empty(t, c.ApprovedBy)
		}
	})
}
