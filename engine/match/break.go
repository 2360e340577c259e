package match

import (
	"slices"
	"time"

	"github.com/recondrill/recondrill/engine"
)

// pair closes rows against items. Gross and fee differences are two breaks.
func (m *matcher) pair(rule Rule, rows, items []*entry) {
	p := Pair{Rule: rule, Clean: true}
	carried := false
	for _, e := range rows {
		e.paired = true
		carried = carried || e.carried
		p.Rows = append(p.Rows, e.id)
	}
	for _, e := range items {
		e.paired = true
		carried = carried || e.carried
		p.Items = append(p.Items, engine.Key(e.id))
	}
	if gross := sum(rows) - sum(items); gross != 0 {
		m.found(engine.AmountDiffers, engine.BreakOpen, rows[0], items[0], gross)
		p.Clean = false
	}
	if fee := m.settleFees(rows, items); fee != 0 {
		m.found(engine.FeeDiffers, engine.BreakOpen, rows[0], items[0], -fee)
		p.Clean = false
	}
	if m.otherInvoice(rows, items) {
		p.Clean = false
	}
	if carried {
		m.found(engine.OtherWindow, engine.BreakResolved, rows[0], items[0], 0)
	}
	m.pairs = append(m.pairs, p)
}

// otherInvoice: both sides name the invoice of every entry, and not the same ones. The money agrees, and still the statement
// and the ledger say that somebody else paid: nothing is moved before a person has looked, and the invoice that the
// provider names, which our ledger may call unpaid, is in doubt until then.
func (m *matcher) otherInvoice(rows, items []*entry) bool {
	if kind := rows[0].kind; kind != engine.Charge && kind != engine.RefundRow {
		return false
	}
	unnamed := func(e *entry) bool { return e.business == "" }
	if slices.ContainsFunc(rows, unnamed) || slices.ContainsFunc(items, unnamed) {
		return false
	}
	strangers := without(rows, items)
	ours := without(items, rows)
	if len(strangers) == 0 && len(ours) == 0 {
		return false
	}
	if len(strangers) == 0 {
		strangers = rows[:1]
	}
	if len(ours) == 0 {
		ours = items[:1]
	}
	for _, row := range strangers {
		m.found(engine.StateDiffers, engine.BreakOpen, row, ours[0], 0)
	}
	return true
}

// without are the entries whose reference none of the others has.
func without(entries, others []*entry) []*entry {
	var left []*entry
	for _, e := range entries {
		if !slices.ContainsFunc(others, func(o *entry) bool { return o.business == e.business }) {
			left = append(left, e)
		}
	}
	return left
}

// settleFees books the rows' fees where no item of the pair has one booked, and else answers by how much the
// statement's fees are above the booked ones.
func (m *matcher) settleFees(rows, items []*entry) int64 {
	stated, booked := int64(0), int64(0)
	for _, e := range rows {
		stated += e.fee
	}
	if slices.ContainsFunc(items, func(e *entry) bool { return e.feeKnown }) {
		for _, e := range items {
			booked += e.fee
		}
		return stated - booked
	}
	for _, e := range rows {
		if e.fee != 0 {
			m.fees = append(m.fees, FeeBooking{e.id, engine.Key(items[0].id), e.currency, e.fee})
		}
	}
	items[0].fee = stated
	return 0
}

// disagree is one object with two kinds: nothing is booked until a person has looked.
func (m *matcher) disagree(row, item *entry) {
	row.paired, item.paired = true, true
	m.found(engine.StateDiffers, engine.BreakOpen, row, item, row.net()-item.net())
	m.pairs = append(m.pairs, Pair{Rule: ByState, Rows: []string{row.id}, Items: []engine.Key{engine.Key(item.id)}})
}

// doubt leaves equal candidates of unequal number to a person; each is named with what it contributes.
func (m *matcher) doubt(g *group) {
	for _, e := range g.rows {
		e.ambiguous = true
		m.found(engine.Ambiguous, engine.BreakOpen, e, nil, e.net())
	}
	for _, e := range g.items {
		e.ambiguous = true
		m.found(engine.Ambiguous, engine.BreakOpen, nil, e, -e.net())
	}
}

// leftovers names what found nobody.
func (m *matcher) leftovers() {
	rowTwin, itemTwin := twins(m.rows), twins(m.items)
	for _, e := range open(m.rows) {
		if rowTwin.ofObject(e) || rowTwin.ofBusiness(e) {
			m.found(engine.DuplicateAtProvider, engine.BreakOpen, e, nil, e.net())
		} else {
			m.missing(engine.MissingInLedger, e, nil, e.net())
		}
	}
	for _, e := range open(m.items) {
		// two different objects of the provider are two payments, of which one may still be on its way
		if itemTwin.ofObject(e) || itemTwin.ofBusiness(e) && e.object == "" {
			m.found(engine.DuplicateInLedger, engine.BreakOpen, nil, e, -e.net())
		} else {
			m.missing(engine.MissingAtProvider, nil, e, -e.net())
		}
	}
}

// missing is timing until its kind's grace is over.
func (m *matcher) missing(kind engine.BreakKind, row, item *entry, residual int64) {
	e := row
	if row == nil {
		e = item
	}
	m.found(kind, engine.BreakOpen, row, item, residual)
	until := e.at.Add(m.grace(e.kind))
	if m.in.Rules.AsOf.Before(until) {
		b := &m.breaks[len(m.breaks)-1]
		b.State, b.GraceUntil = engine.BreakTiming, until
	}
}

func (m *matcher) grace(kind engine.RowKind) time.Duration {
	for _, g := range m.in.Rules.Grace {
		if g.Kind == kind {
			return g.For
		}
	}
	return 0
}

// found notes a break; row or item may be nil, not both.
func (m *matcher) found(kind engine.BreakKind, state engine.BreakState, row, item *entry, residual int64) {
	b := engine.Break{Kind: kind, State: state, Residual: residual}
	for _, e := range [...]*entry{item, row} { // what the row says wins
		if e == nil {
			continue
		}
		b.Currency, b.RowKind = e.currency, e.kind
		if e.object != "" {
			b.ProviderRef = e.object
		}
		if e.business != "" {
			b.BusinessRef = e.business
		}
	}
	if row != nil {
		b.RowID = row.id
	}
	if item != nil {
		b.ItemKey = engine.Key(item.id)
	}
	m.breaks = append(m.breaks, b)
}

// twinSet knows the paired entries of a side.
type twinSet map[groupKey]bool

func twins(entries []*entry) twinSet {
	set := twinSet{}
	for _, e := range entries {
		if e.paired {
			set[groupKey{e.currency, e.kind, "object " + e.object, e.amount}] = true
			set[groupKey{e.currency, e.kind, "business " + e.business, e.amount}] = true
		}
	}
	return set
}

// ofObject: the provider books one movement of these kinds once an object.
func (s twinSet) ofObject(e *entry) bool {
	switch e.kind {
	case engine.Fee, engine.Transfer, engine.Reserve, engine.Adjustment:
		return false
	}
	return e.object != "" && s[groupKey{e.currency, e.kind, "object " + e.object, e.amount}]
}

// ofBusiness: a debt is paid, or given back, in one piece of that size.
func (s twinSet) ofBusiness(e *entry) bool {
	return (e.kind == engine.Charge || e.kind == engine.RefundRow) && e.business != "" &&
		s[groupKey{e.currency, e.kind, "business " + e.business, e.amount}]
}
