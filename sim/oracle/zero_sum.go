package oracle

import (
	"maps"
	"slices"
)

// zeroSum: the postings of a transaction sum to zero in each currency, no transaction is without postings, no posting
// without its transaction; an open invoice's debt is what its postings say, and of a paid one nothing is owed.
func zeroSum() Oracle {
	return claim{name: "zero-sum", spoil: unbalanced, check: func(v View, s *seen) {
		type part struct{ key, currency string }
		sums := map[part]int64{}
		posted := map[string]bool{}
		owed := map[string]int64{}
		for _, p := range rows(v.Tables, "posting") {
			key, amount := p.text("business_key"), s.number(p, "amount_minor")
			sums[part{key, p.text("currency")}] += amount
			posted[key] = true
			if p.text("book") == "receivable" {
				owed[p.text("invoice_id")] += amount
			}
		}
		transactions := map[string]bool{}
		for _, t := range rows(v.Tables, "transaction") {
			key := t.text("business_key")
			s.look()
			transactions[key] = true
			if !posted[key] {
				s.broke("transaction:"+key, "transaction %s has no postings", key)
			}
		}
		for of, sum := range sums {
			if sum != 0 {
				s.broke("transaction:"+of.key, "the postings of %s sum to %d minor units %s", of.key, sum, of.currency)
			}
		}
		for _, key := range slices.Sorted(maps.Keys(posted)) {
			if !transactions[key] {
				s.broke("transaction:"+key, "there are postings of %s, which does not exist", key)
			}
		}
		for _, i := range rows(v.Tables, "invoice") {
			id := i.text("invoice_id")
			debt := s.number(i, "amount_minor") - s.number(i, "paid_minor")
			switch state := i.text("state"); {
			case state == "open" && owed[id] != debt:
				s.broke("invoice:"+id, "it says %d minor units %s are owed, its postings say %d", debt, i.text("currency"), owed[id])
			case state == "paid" && (debt > 0 || owed[id] > 0):
				s.broke("invoice:"+id, "it is paid, though it says %d minor units %s are owed and its postings say %d", debt, i.text("currency"), owed[id])
			}
		}
	}}
}

// unbalanced lets one posting be a minor unit off.
func unbalanced(v *View) bool { return oneMore(v.Tables, "posting", "amount_minor") }
