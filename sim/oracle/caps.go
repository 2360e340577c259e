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

// capped: above a cap nothing automatic happens. What policy approved is told by who approved it.
func capped() Oracle {
	return claim{name: "caps", spoil: approvedWithoutMeasure, check: func(v View, s *seen) {
		if v.Limits.Caps == nil {
			return
		}
		caps, breaks := *v.Limits.Caps, by(rows(v.Tables, "break"), "break_key")
		broken := map[string]int{} // open at birth, by envelope
		for _, b := range breaks {
			if b.text("grace_until") == "" && !oneOf(b.text("kind"), "tolerated", "other_window") { // which are born closed
				broken[b.key("job_id", "generation")]++
			}
		}
		number, money := map[string]int{}, map[string]int64{}
		for _, c := range rows(v.Tables, "correction") {
			b, ok := breaks[c.text("break_key")]
			if !ok || !strings.HasPrefix(c.text("approved_by"), "policy:") {
				continue
			}
			s.look()
			envelope, amount, most := b.key("job_id", "generation"), s.number(c, "amount_minor"), caps.LocalMax
			if c.text("act") == "refund" {
				most = caps.RefundMax
			}
			number[envelope]++
			money[envelope] += amount
			if caps.Nothing || amount > most {
				s.broke("correction:"+c.text("correction_id"), "policy approved %d minor units, and a person was to", amount)
			}
		}
		for _, e := range rows(v.Tables, "envelope") {
			envelope := e.key("job_id", "generation")
			if number[envelope] == 0 {
				continue
			}
			seen := s.number(e, "rows_seen")
			switch {
			case number[envelope] > caps.NumberMax, money[envelope] > caps.MoneyMax:
				s.broke("envelope:"+envelope, "policy approved %d acts and %d minor units, at most %d and %d", number[envelope], money[envelope], caps.NumberMax, caps.MoneyMax)
			case broken[envelope] >= caps.BrokenFrom && int64(broken[envelope])*100 > int64(caps.BrokenPercents)*seen:
				s.broke("envelope:"+envelope, "policy approved %d acts although %d of %d rows were breaks", number[envelope], broken[envelope], seen)
			}
		}
	}}
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
