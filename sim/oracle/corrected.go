package oracle

import "strings"

// corrected: the ledger, the breaks and the corrections tell one story. Money that a correction gave back is in the ledger
// only where the provider really gave it back, and not before the correction was applied; and what is applied has left no
// break of its own open. What somebody else had closed is not corrected any more: it would be done a second time.
//
// A database whose clock is set back tells nothing about before and after.
func corrected() Oracle {
	return claim{name: "corrected", excused: []string{"database-step"}, spoil: openedAgain, check: func(v View, s *seen) {
		corrections, breaks := by(rows(v.Tables, "correction"), "correction_id"), by(rows(v.Tables, "break"), "break_key")
		closed := map[string]bool{} // difference, and who closed a break of it
		for _, b := range breaks {
			closed[difference(b)+" "+b.text("closed_by")] = true
		}
		for id, c := range corrections {
			if c.text("state") != "applied" {
				continue
			}
			s.look()
			b, ok := breaks[c.text("break_key")]
			switch {
			case !ok:
			case oneOf(b.text("state"), "timing", "open"):
				s.broke("correction:"+id, "it is applied, and its break %s is still %s", c.text("break_key"), b.text("state"))
			case !closed[difference(b)+" correction:"+id]:
				s.broke("correction:"+id, "it is applied, and what it corrects was over before: its break %s was closed by %s", c.text("break_key"), b.text("closed_by"))
			}
		}
		if v.Truth != nil {
			s.givenBack(v)
		}
	}}
}

// givenBack: a refund in the ledger that names a break is a correction's. Where no answer named it, it is booked by our key.
func (s *seen) givenBack(v View) {
	done := map[string]bool{}
	for _, r := range v.Truth.Refunds {
		done[r.Ref], done[r.Key] = true, true
	}
	applied := map[string]row{} // by break
	for _, c := range rows(v.Tables, "correction") {
		if c.text("act") == "refund" && c.text("state") == "applied" {
			applied[c.text("break_key")] = c
		}
	}
	for _, t := range rows(v.Tables, "transaction") {
		if t.text("break_key") == "" || !strings.HasPrefix(t.text("kind"), "refund") {
			continue
		}
		s.look()
		if !done[t.text("provider_ref")] {
			s.broke("transaction:"+t.text("business_key"), "the ledger gave back what the provider never did: %s for break %s", t.text("provider_ref"), t.text("break_key"))
		}
		if c, ok := applied[t.text("break_key")]; ok && s.when(c, "since").After(s.when(t, "booked_at")) {
			s.broke("correction:"+c.text("correction_id"), "it is applied since %s, and was booked before, at %s: it had been at its end", c.text("since"), t.text("booked_at"))
		}
	}
}

// openedAgain lets the break of an applied correction be open.
func openedAgain(v *View) bool {
	breaks := by(rows(v.Tables, "break"), "break_key")
	for _, c := range rows(v.Tables, "correction") {
		if b, ok := breaks[c.text("break_key")]; ok && c.text("state") == "applied" && !oneOf(b.text("state"), "timing", "open") {
			b.set("state", "open")
			return true
		}
	}
	return false
}
