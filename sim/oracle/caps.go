package oracle

import "strings"

// Caps bound what policy does without a person; amounts are minor units of whatever currency.
type Caps struct {
	Nothing                    bool
	LocalMax, RefundMax        int64 // one act
	NumberMax                  int   // acts of one reconciliation
	MoneyMax                   int64 // their money
	BrokenFrom, BrokenPercents int   // from so many open breaks on, and above this share of the statement's rows, nothing
}

// capped: above a cap nothing automatic happens, and what is above none is not put before a person, who would soon approve
// unread. What policy approved is told by who approved it. The caps of a day are not judged.
func capped() Oracle {
	return claim{name: "caps", spoil: approvedWithoutMeasure, check: func(v View, s *seen) {
		if v.Limits.Caps == nil {
			return
		}
		caps, w := *v.Limits.Caps, newWindowActs(v, s)
		for _, e := range rows(v.Tables, "envelope") {
			envelope := e.key("job_id", "generation")
			seen, broken, granted, wanted := s.number(e, "rows_seen"), w.broken[envelope], w.granted[envelope], w.wanted[envelope]
			share := broken >= caps.BrokenFrom && int64(broken)*100 > int64(caps.BrokenPercents)*seen
			switch {
			case granted.number > 0 && caps.above(granted):
				s.broke("envelope:"+envelope, "policy approved %d acts and %d minor units, at most %d and %d", granted.number, granted.money, caps.NumberMax, caps.MoneyMax)
			case granted.number > 0 && share:
				s.broke("envelope:"+envelope, "policy approved %d acts although %d of %d rows were breaks", granted.number, broken, seen)
			case granted.number < wanted.number && !caps.Nothing && !caps.above(wanted) && !share:
				s.broke("envelope:"+envelope, "policy approved %d acts of %d, and %d minor units with %d breaks in %d rows are above no cap",
					granted.number, wanted.number, wanted.money, broken, seen)
			}
		}
	}}
}

// windowActs are, by envelope, the breaks that were open at birth, what policy approved, and what it might have.
type windowActs struct {
	broken          map[string]int
	granted, wanted map[string]volume
}

// volume is how many acts, and their money.
type volume struct {
	number int
	money  int64
}

func (a volume) and(amount int64) volume { return volume{a.number + 1, a.money + amount} }

// above is whether one reconciliation may not do so much.
func (c Caps) above(a volume) bool { return a.number > c.NumberMax || a.money > c.MoneyMax }

// newWindowActs judges each act by itself on the way.
func newWindowActs(v View, s *seen) windowActs {
	caps, w := *v.Limits.Caps, windowActs{map[string]int{}, map[string]volume{}, map[string]volume{}}
	breaks, invoices := by(rows(v.Tables, "break"), "break_key"), by(rows(v.Tables, "invoice"), "account_id", "invoice_id", "currency")
	for _, b := range breaks {
		if b.text("grace_until") == "" && !oneOf(b.text("kind"), "tolerated", "other_window") { // which are born closed
			w.broken[b.key("job_id", "generation")]++
		}
	}
	for _, c := range rows(v.Tables, "correction") {
		b, ok := breaks[c.text("break_key")]
		if !ok {
			continue
		}
		envelope, amount, most := b.key("job_id", "generation"), s.number(c, "amount_minor"), caps.LocalMax
		if c.text("act") == "refund" {
			most = caps.RefundMax
		}
		byPolicy := strings.HasPrefix(c.text("approved_by"), "policy:")
		if byPolicy {
			s.look()
			w.granted[envelope] = w.granted[envelope].and(amount)
			if caps.Nothing || amount > most {
				s.broke("correction:"+c.text("correction_id"), "policy approved %d minor units, and a person was to", amount)
			}
		}
		// A later act is a person's, and so is what names no invoice of ours.
		_, ours := invoices[c.key("account_id", "business_ref", "currency")]
		if byPolicy || ours && amount <= most && oneOf(c.text("act"), "refund", "local") && c.text("act_number") == "1" {
			w.wanted[envelope] = w.wanted[envelope].and(amount)
		}
	}
	return w
}

// approvedWithoutMeasure lets policy have approved more than it may.
func approvedWithoutMeasure(v *View) bool {
	if v.Limits.Caps == nil {
		return false
	}
	breaks := by(rows(v.Tables, "break"), "break_key")
	for _, c := range rows(v.Tables, "correction") {
		if _, ok := breaks[c.text("break_key")]; ok {
			c.set("approved_by", "policy:spoiled")
			c.set("amount_minor", "999999999999")
			return true
		}
	}
	return false
}
