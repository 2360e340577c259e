package oracle

import (
	"strings"
	"time"
)

// LeftToPerson is the mark of an operator who was advised that only a person can decide: `correction:b1/1 unknown`.
const LeftToPerson = "left to a person"

// advised: what advice leaves to a person waits for the person. A correction that goes on by itself all the same had
// another way open, which the advice did not see, unless a later reconciliation ended what it was for. Only
// corrections: of messages the receipts may tell at any time. Whether a person acted since is read off the
// database's clock.
func advised() Oracle {
	return claim{name: "advised", excused: []string{"database-step"}, spoil: wentOnAlone, check: func(v View, s *seen) {
		if v.History == nil {
			return
		}
		acted := map[string]time.Time{} // when a person last did
		for _, a := range rows(v.Tables, "audit") {
			acted[a.text("record")] = s.when(a, "at")
		}
		corrections, d := by(rows(v.Tables, "correction"), "correction_id"), newDifferences(v.Tables)
		for _, e := range v.History.Entries {
			if e.What != LeftToPerson {
				continue
			}
			record, state, _ := strings.Cut(e.Text, " ")
			c, ok := corrections[strings.TrimPrefix(record, "correction:")]
			if !ok || !acted[record].Before(v.Limits.Epoch.Add(e.At)) {
				continue
			}
			s.look()
			if now := c.text("state"); now != state && !(now == "superseded" && settledLater(d, c)) {
				s.broke(record, "it was %s and left to a person, and is %s without one", state, now)
			}
		}
	}}
}

// settledLater says that a later reconciliation ended the difference, so that nothing is left to correct.
func settledLater(d *differences, c row) bool {
	b, ok := d.byKey[c.text("break_key")]
	if !ok {
		return false
	}
	_, stands := d.standing[difference(b)]
	return !stands && strings.HasPrefix(b.text("closed_by"), "job:")
}

// wentOnAlone puts what was left to a person into another state.
func wentOnAlone(v *View) bool {
	if v.History == nil {
		return false
	}
	for _, e := range v.History.Entries {
		record, state, _ := strings.Cut(e.Text, " ")
		if e.What != LeftToPerson {
			continue
		}
		for _, c := range rows(v.Tables, "correction") {
			if "correction:"+c.text("correction_id") == record && c.text("state") == state {
				c.set("state", state+" no more")
				return true
			}
		}
	}
	return false
}
