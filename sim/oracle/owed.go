package oracle

import "time"

// owed: a reconciliation decides to remind only of what is owed. An invoice that our own ledger had in balance well before
// the decision is not covered by it: not even for a moment, since what is covered is never covered again, and the same
// invoice may be owed again one day.
func owed() Oracle {
	return claim{name: "owed", spoil: settledLongBefore, check: func(v View, s *seen) {
		decided := decisions(v, s)
		ledger := newReceivables(v, s)
		for _, p := range rows(v.Tables, "intent_step") {
			at, ok := decided[p.text("intent_id")]
			if !ok || ledger[p.text("invoice_id")] == nil {
				continue
			}
			s.look()
			// What was booked while the reconciliation worked may have come too late for it.
			if open := ledger.open(p.text("invoice_id"), at.Add(-2*v.Limits.Lease)); open <= 0 {
				s.broke("intent:"+p.text("intent_id"), "it was decided at %s and covers %s, of which nothing was owed", stamp(at), p.key("invoice_id", "step"))
			}
		}
	}}
}

// decisions are when each intent was decided: with the envelope of its reconciliation.
func decisions(v View, s *seen) map[string]time.Time {
	envelopes := by(rows(v.Tables, "envelope"), "job_id", "generation")
	at := map[string]time.Time{}
	for _, i := range rows(v.Tables, "intent") {
		if e, ok := envelopes[i.key("job_id", "generation")]; ok {
			at[i.text("intent_id")] = s.when(e, "recorded_at")
		}
	}
	return at
}

// receivables are what was booked on each invoice, and when.
type receivables map[string][]booking

type booking struct {
	at     time.Time
	amount int64
}

func newReceivables(v View, s *seen) receivables {
	facts := by(rows(v.Tables, "transaction"), "business_key")
	all := receivables{}
	for _, p := range rows(v.Tables, "posting") {
		if fact, ok := facts[p.text("business_key")]; ok && p.text("book") == "receivable" && p.text("invoice_id") != "" {
			all[p.text("invoice_id")] = append(all[p.text("invoice_id")], booking{s.when(fact, "booked_at"), s.number(p, "amount_minor")})
		}
	}
	return all
}

// open is what an invoice's book says at an instant of what was ever owed on it. What was booked later was owed all along
// if it is the debt itself: an invoice is covered only once it is there.
func (r receivables) open(invoice string, until time.Time) int64 {
	sum := int64(0)
	for _, b := range r[invoice] {
		if b.amount > 0 || !b.at.After(until) {
			sum += b.amount
		}
	}
	return sum
}

// settledLongBefore lets an invoice that a reminder speaks of have been in balance all the time.
func settledLongBefore(v *View) bool {
	decided := decisions(*v, &seen{})
	for _, p := range rows(v.Tables, "intent_step") {
		if _, ok := decided[p.text("intent_id")]; !ok {
			continue
		}
		found := false
		for _, line := range rows(v.Tables, "posting") {
			if line.text("invoice_id") == p.text("invoice_id") && line.text("book") == "receivable" {
				line.set("amount_minor", "0")
				found = true
			}
		}
		if found {
			return true
		}
	}
	return false
}
