package provider

import (
	"errors"
	"fmt"

	"github.com/recondrill/recondrill/engine"
)

// ErrNotWhole says that a statement is not proved whole. Duty: treat it as pending; ask again later, burn nothing.
var ErrNotWhole = errors.New("not proved whole")

// payout is one batch of one currency as the statement tells it.
type payout struct {
	ref      string
	currency engine.Currency
	listed   bool  // its own row is there
	amount   int64 // paid out by its own row, > 0 = left the balance
	members  int
	net      int64 // what its members sum to
}

// Whole proves that nothing is missing. Two things prove: the rows of an automatic payout sum to what it paid out,
// or the provider's word "completed". A payout that does not tie is never whole, whatever the provider says. Manual
// and instant payouts have no members; they, rows outside any payout, and an empty statement need the word.
func Whole(st engine.Statement) error {
	covered := 0
	for _, p := range payouts(st.Rows) {
		switch {
		case p.listed && p.members > 0 && p.net != p.amount:
			return fmt.Errorf("payout %s: its %d rows sum to %d %s minor units, it paid out %d: %w", p.ref, p.members,
				p.net, p.currency, p.amount, ErrNotWhole)
		case p.listed && p.members > 0:
			covered += p.members + 1
		}
	}
	switch {
	case st.Completed:
		return nil
	case len(st.Rows) == 0:
		return fmt.Errorf("empty, and the provider has not said that it is completed: %w", ErrNotWhole)
	case covered < len(st.Rows):
		return fmt.Errorf("%d of %d rows are in no payout that ties, and the provider has not said that it is completed: %w",
			len(st.Rows)-covered, len(st.Rows), ErrNotWhole)
	}
	return nil
}

// payouts groups the rows by payout and currency, in the order of first mention.
func payouts(rows []engine.Row) []*payout {
	type name struct {
		ref      string
		currency engine.Currency
	}
	var all []*payout
	by := map[name]*payout{}
	find := func(ref string, c engine.Currency) *payout {
		p := by[name{ref, c}]
		if p == nil {
			p = &payout{ref: ref, currency: c}
			by[name{ref, c}] = p
			all = append(all, p)
		}
		return p
	}
	for _, r := range rows {
		switch {
		case r.Kind == engine.Payout && r.ProviderRef != "":
			p := find(r.ProviderRef, r.Currency)
			p.listed = true
			p.amount -= r.Amount
		case r.PayoutRef != "":
			p := find(r.PayoutRef, r.Currency)
			p.members++
			p.net += r.Net()
		}
	}
	return all
}
