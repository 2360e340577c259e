package match

import (
	"github.com/recondrill/recondrill/engine"
)

// groupKey is what the members of a group share.
type groupKey struct {
	currency engine.Currency
	kind     engine.RowKind
	ref      string
	amount   int64
}

// group is the open rows and items of one key, in time order.
type group struct {
	rows, items []*entry
}

func (g *group) open() *group { return &group{open(g.rows), open(g.items)} }

func (g *group) bothSides() bool { return len(g.rows) > 0 && len(g.items) > 0 }

func open(entries []*entry) []*entry {
	var left []*entry
	for _, e := range entries {
		if e.open() {
			left = append(left, e)
		}
	}
	return left
}

// groups cuts the open entries by a key; entries whose key has no reference are in none. Groups come in the order
// of their earliest entry.
func groups(rows, items []*entry, key func(*entry) groupKey) []*group {
	var all []*group
	by := map[groupKey]*group{}
	of := func(e *entry) *group {
		k := key(e)
		if k.ref == "" || !e.open() {
			return nil
		}
		if by[k] == nil {
			by[k] = &group{}
			all = append(all, by[k])
		}
		return by[k]
	}
	for _, e := range rows {
		if g := of(e); g != nil {
			g.rows = append(g.rows, e)
		}
	}
	for _, e := range items {
		if g := of(e); g != nil {
			g.items = append(g.items, e)
		}
	}
	return all
}

// byAmount cuts a group further.
func (g *group) byAmount() []*group {
	return groups(g.rows, g.items, func(e *entry) groupKey { return groupKey{ref: "same", amount: e.amount} })
}

func (m *matcher) byObject() {
	for _, g := range groups(m.rows, m.items, func(e *entry) groupKey { return groupKey{e.currency, e.kind, e.object, 0} }) {
		if !g.bothSides() {
			continue
		}
		for _, equal := range g.byAmount() {
			m.pairInTurn(ByObject, equal)
		}
		if rest := g.open(); rest.bothSides() {
			m.pair(ByObject, rest.rows, rest.items)
		}
	}
}

func (m *matcher) byBusiness() {
	for _, g := range groups(m.rows, m.items, func(e *entry) groupKey {
		return groupKey{e.currency, e.kind, e.business, e.amount}
	}) {
		switch {
		case !g.bothSides():
		case len(g.rows) == len(g.items), len(g.rows) == 1, len(g.items) == 1:
			m.pairInTurn(ByBusiness, g)
		default:
			m.doubt(g)
		}
	}
}

func (m *matcher) byPayout() {
	for _, g := range groups(m.rows, m.items, func(e *entry) groupKey { return groupKey{e.currency, e.kind, e.payout, 0} }) {
		if !g.bothSides() {
			continue
		}
		for _, equal := range g.byAmount() {
			if len(equal.rows) == len(equal.items) {
				m.pairInTurn(ByPayout, equal)
			}
		}
		rest := g.open()
		if rest.bothSides() && sum(rest.rows) == sum(rest.items) {
			m.pair(ByPayout, rest.rows, rest.items)
			continue
		}
		for _, equal := range rest.byAmount() {
			if equal.bothSides() {
				m.doubt(equal)
			}
		}
	}
}

// byReference pairs what is surely the same payment with another amount: one row and one item of a reference, and
// not two different objects of the provider.
func (m *matcher) byReference() {
	for _, g := range groups(m.rows, m.items, func(e *entry) groupKey { return groupKey{e.currency, e.kind, e.business, 0} }) {
		if len(g.rows) != 1 || len(g.items) != 1 {
			continue
		}
		if row, item := g.rows[0], g.items[0]; row.object == "" || item.object == "" {
			m.pair(ByReference, g.rows, g.items)
		}
	}
}

// byState pairs what both sides have as the same object and call differently.
func (m *matcher) byState() {
	for _, g := range groups(m.rows, m.items, func(e *entry) groupKey { return groupKey{e.currency, "", e.object, 0} }) {
		if len(g.rows) == 1 && len(g.items) == 1 {
			m.disagree(g.rows[0], g.items[0])
		}
	}
}

// pairInTurn pairs one to one in time order, as far as both sides reach.
func (m *matcher) pairInTurn(rule Rule, g *group) {
	for i := range min(len(g.rows), len(g.items)) {
		m.pair(rule, g.rows[i:i+1], g.items[i:i+1])
	}
}

func sum(entries []*entry) int64 {
	total := int64(0)
	for _, e := range entries {
		total += e.amount
	}
	return total
}
