package reconcile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres"
)

// finish lets policy decide and puts together what FinishJob writes. It may be called once.
func (p *plan) finish(raw engine.RawStatement, policy Policy, today []postgres.Automatic) (postgres.Finished, error) {
	alarms := p.grant(policy, today)
	corrections := p.carryOut()
	if p.err != nil {
		return postgres.Finished{}, p.err
	}
	p.sortBreaks()
	f := postgres.Finished{
		Reconciled: p.books.Reconciled, StatementHash: raw.Hash(), StatementName: raw.Name,
		RowsSeen: len(p.st.Rows), Matched: p.matched(), Bookings: p.bookings, Breaks: p.breaks, Corrections: corrections,
	}
	for _, r := range p.fresh {
		f.Rows = append(f.Rows, postgres.SeenRow{Row: r, Closed: p.closed[r.ID]})
	}
	for _, known := range p.books.Rows {
		if !known.Closed && p.closed[known.ID] {
			f.CarriedClosed = append(f.CarriedClosed, known.ID)
		}
	}
	f.ItemsClosed = p.itemsClosed()
	f.BreaksCarried, f.BreaksGone = p.earlierBreaks()
	var more []postgres.Alarm
	if p.books.Capped && len(alarms) == 0 {
		f.Cleared = []postgres.Alarm{{Kind: cappedAlarm, Subject: string(p.job.Account)}}
	}
	f.Intents, more = p.reminders()
	f.Alarms = append(alarms, more...)
	slices.SortFunc(f.Alarms, func(a, b postgres.Alarm) int { return strings.Compare(a.Kind+a.Subject, b.Kind+b.Subject) })
	var err error
	f.Totals, err = p.totals()
	return f, err
}

// matched counts the rows of pairs that left no difference.
func (p *plan) matched() int {
	n := 0
	for _, pair := range p.result.Pairs {
		if pair.Clean {
			n += len(pair.Rows)
		}
	}
	return n
}

// itemsClosed are the ledger keys that end here: matched items with the bookings of their fees, and what this plan
// books itself.
func (p *plan) itemsClosed() []engine.Key {
	var keys []engine.Key
	for key := range p.done {
		keys = append(keys, key)
		keys = append(keys, p.feeKeys[key]...)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// earlierBreaks tells which breaks of earlier envelopes stand again in this one, and which are gone because their
// row or item was closed here. A break whose pair was closed long ago (amount_differs, fee_differs, state_differs)
// stays until a person resolves it, and so does one whose refund is on its way.
func (p *plan) earlierBreaks() (carried, gone []engine.Key) {
	for _, old := range p.books.Breaks {
		again := slices.ContainsFunc(p.breaks, func(b postgres.FoundBreak) bool {
			return b.Kind != engine.OtherWindow && sameDifference(b.Break, old.Break)
		})
		switch {
		case again:
			carried = append(carried, old.Key)
		case old.Acting:
		case old.RowID != "" && p.closed[old.RowID], old.ItemKey != "" && p.done[old.ItemKey]:
			gone = append(gone, old.Key)
		}
	}
	return carried, gone
}

// totals are the equations of each currency. The residual is that of the matching, after fee bookings and before
// corrections. What corrections booked entered and left the ledger's side at once; the rows they closed count as
// matched. So the next envelope opens where this one closes.
func (p *plan) totals() ([]postgres.Total, error) {
	opening, currencies := engine.Totals{}, engine.Totals{}
	for _, c := range p.books.Closing {
		opening.Add(c.Currency, c.Ledger)
		currencies.Add(c.Currency, 0)
	}
	for _, c := range p.result.Residual.Currencies() {
		currencies.Add(c, 0)
	}
	providerNew, providerMatched := engine.Totals{}, engine.Totals{}
	for _, r := range p.fresh {
		providerNew.Add(r.Currency, r.Net())
	}
	for _, id := range sortedKeys(p.closed) {
		providerMatched.Add(p.rows[id].Currency, p.rows[id].Net())
	}
	ledgerMatched := p.ledgerMatched()
	var all []postgres.Total
	for _, c := range currencies.Currencies() {
		t := postgres.Total{
			Currency: c, Provider: p.result.ProviderTotal[c], Ledger: p.result.LedgerTotal[c], Residual: p.result.Residual[c],
			ProviderMove: move(p.opening[c], providerNew[c], providerMatched[c]),
			LedgerMove:   move(opening[c], p.result.LedgerTotal[c]-opening[c], ledgerMatched[c]),
		}
		if total := t.ProviderMove.Opening + t.ProviderMove.New; total != t.Provider {
			return nil, fmt.Errorf("%s: opening and new rows come to %d, what was matched to %d", c, total, t.Provider)
		}
		all = append(all, t)
	}
	return all, nil
}

func move(opening, fresh, matched int64) postgres.Move {
	return postgres.Move{Opening: opening, New: fresh, Matched: matched, Closing: opening + fresh - matched}
}

// ledgerMatched sums the entries that the matching closed, with the fees it booked for them.
func (p *plan) ledgerMatched() engine.Totals {
	matched := engine.Totals{}
	for _, key := range sortedKeys(p.items) {
		if p.done[key] {
			matched.Add(p.items[key].Currency, p.items[key].Net())
		}
	}
	for _, f := range p.result.FeeBookings {
		matched.Add(f.Currency, -f.Fee)
	}
	return matched
}

func sortedKeys[K ~string, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
