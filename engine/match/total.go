package match

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/recondrill/recondrill/engine"
)

// Side is one of the two books.
type Side string

// The sides.
const (
	ProviderSide Side = "provider"
	LedgerSide   Side = "ledger"
)

// Balance is how one side of one currency moved: Opening + New − Matched = Closing, in number and in money (net).
type Balance struct {
	Side                           Side
	Currency                       engine.Currency
	Opening, New, Matched, Closing Tally
}

// Tally is how many, and what they sum to in minor units.
type Tally struct {
	Count int
	Net   int64
}

func (t *Tally) add(e *entry) { t.Count++; t.Net += e.net() }

// result sorts what was found, totals it and asserts the equations.
func (m *matcher) result() Result {
	r := Result{Pairs: m.pairs, FeeBookings: m.fees, Breaks: m.breaks,
		ProviderTotal: engine.Totals{}, LedgerTotal: engine.Totals{}, Residual: engine.Totals{}}
	for _, side := range [...][]*entry{m.rows, m.items} { // every currency stands in every total, also with zero
		for _, e := range side {
			for _, t := range [...]engine.Totals{r.ProviderTotal, r.LedgerTotal, r.Residual} {
				t.Add(e.currency, 0)
			}
		}
	}
	for _, e := range m.rows {
		r.ProviderTotal.Add(e.currency, e.net())
		if e.at.Before(m.in.Window.Start) {
			r.Late = append(r.Late, e.id)
		}
		if !e.paired {
			row := *e.row
			row.Window = cmp.Or(row.Window, m.in.Window.ID)
			r.CarriedRows = append(r.CarriedRows, row)
		}
	}
	for _, e := range m.items {
		r.LedgerTotal.Add(e.currency, e.net())
		if !e.paired {
			item := *e.item
			item.Window = cmp.Or(item.Window, m.in.Window.ID)
			r.Carried = append(r.Carried, item)
		}
	}
	for _, b := range r.Breaks {
		r.Residual.Add(b.Currency, b.Residual)
	}
	for _, c := range r.Residual.Currencies() {
		r.Balances = append(r.Balances, balance(ProviderSide, c, m.rows), balance(LedgerSide, c, m.items))
	}
	slices.SortFunc(r.Pairs, func(a, b Pair) int {
		return cmp.Or(strings.Compare(a.Rows[0], b.Rows[0]), cmp.Compare(a.Items[0], b.Items[0]))
	})
	slices.SortFunc(r.FeeBookings, func(a, b FeeBooking) int {
		return cmp.Or(strings.Compare(a.RowID, b.RowID), cmp.Compare(a.Item, b.Item), cmp.Compare(a.Fee, b.Fee))
	})
	slices.SortFunc(r.Breaks, func(a, b engine.Break) int {
		return cmp.Or(cmp.Compare(a.Currency, b.Currency), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.RowID, b.RowID),
			cmp.Compare(a.ItemKey, b.ItemKey), cmp.Compare(a.Residual, b.Residual))
	})
	r.assert()
	return r
}

func balance(side Side, c engine.Currency, entries []*entry) Balance {
	b := Balance{Side: side, Currency: c}
	for _, e := range entries {
		if e.currency != c {
			continue
		}
		if e.carried {
			b.Opening.add(e)
		} else {
			b.New.add(e)
		}
		if e.paired {
			b.Matched.add(e)
		} else {
			b.Closing.add(e)
		}
	}
	return b
}

// assert stays on in production: a residual that does not add up must not be stored.
func (r Result) assert() {
	for _, c := range r.Residual.Currencies() {
		if r.ProviderTotal[c]-r.LedgerTotal[c] != r.Residual[c] {
			panic(fmt.Sprintf("match: %s: provider %d − ledger %d is not the residual %d", c, r.ProviderTotal[c],
				r.LedgerTotal[c], r.Residual[c]))
		}
	}
	for _, b := range r.Balances {
		if b.Opening.Count+b.New.Count-b.Matched.Count != b.Closing.Count ||
			b.Opening.Net+b.New.Net-b.Matched.Net != b.Closing.Net {
			panic(fmt.Sprintf("match: %s %s: opening + new − matched is not closing: %+v", b.Side, b.Currency, b))
		}
	}
}
