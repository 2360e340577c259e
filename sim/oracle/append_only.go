package oracle

import (
	"slices"
	"strings"

	"github.com/recondrill/recondrill/sim/pg"
)

// appended are the tables that only grow.
var appended = []string{"transaction", "posting", "audit", "admission", "envelope", "envelope_total", "receipt"}

// appendOnly: what was booked, recorded or testified stays as it was. Every such row of the earlier dump is in the later
// one, letter by letter. Without an earlier dump it still asks that every invoice is backed by the transaction it came
// with.
func appendOnly() Oracle {
	return claim{name: "append-only", spoil: rewritten, check: func(v View, s *seen) {
		for _, name := range appended {
			kept := map[string]bool{}
			for _, r := range rows(v.Tables, name) {
				kept[strings.Join(r.values, "\x00")] = true
			}
			for _, r := range rows(v.Earlier, name) {
				s.look()
				if !kept[strings.Join(r.values, "\x00")] {
					s.broke(name+":"+r.values[0], "a row of %s was changed or is gone: %s", name, strings.Join(r.values, " "))
				}
			}
		}
		backed(v.Tables, s)
	}}
}

// backed: each invoice has its receivable in the ledger, in full.
func backed(t pg.Tables, s *seen) {
	receivable := map[string]int64{}
	booked := map[string]bool{}
	kinds := by(rows(t, "transaction"), "business_key")
	for _, p := range rows(t, "posting") {
		if tx, ok := kinds[p.text("business_key")]; ok && tx.text("kind") == "invoice" && p.text("book") == "receivable" {
			invoice := p.text("invoice_id")
			receivable[invoice] += s.number(p, "amount_minor")
			booked[invoice] = true
		}
	}
	for _, i := range rows(t, "invoice") {
		id := i.text("invoice_id")
		s.look()
		if amount := s.number(i, "amount_minor"); !booked[id] || receivable[id] != amount {
			s.broke("invoice:"+id, "the ledger holds %d of its %d minor units %s", receivable[id], amount, i.text("currency"))
		}
	}
}

// rewritten takes out a row that an earlier dump had.
func rewritten(v *View) bool {
	for _, name := range appended {
		for _, earlier := range rows(v.Earlier, name) {
			if without(v.Tables, name, func(r row) bool { return slices.Equal(r.values, earlier.values) }) {
				return true
			}
		}
	}
	return false
}
