package oracle

import (
	"time"

	"github.com/recondrill/recondrill/sim/world"
)

// noted: what a channel sends as evidence is on record as it came, and nothing else is: each receipt is one that the channel
// sent, under its id, of its kind and time; and when nothing moves any more, none is missing but what has just come.
func noted() Oracle {
	return claim{name: "noted", excused: []string{"lost-tail", "restore"}, spoil: receiptOfNobody, check: func(v View, s *seen) {
		if v.Truth == nil {
			return
		}
		sent, stored := map[string]world.Brought{}, map[string]bool{}
		for _, r := range v.Truth.Receipts {
			sent[r.Channel+" "+r.ID] = r
		}
		for _, r := range rows(v.Tables, "receipt") {
			s.look()
			key := r.text("channel") + " " + r.text("receipt_id")
			stored[key] = true
			if was, ok := sent[key]; !ok {
				s.broke("intent:"+r.text("intent_id"), "the receipt %q is on record, and %s sent none of that id", r.text("receipt_id"), r.text("channel"))
			} else if r.text("kind") != was.Kind || s.when(r, "at").Sub(was.At).Abs() > time.Microsecond {
				s.broke("intent:"+r.text("intent_id"), "the receipt %s is on record as %s of %s, and %s sent %s of %s", was.ID, r.text("kind"), r.text("at"),
					was.Channel, was.Kind, stamp(was.At))
			}
		}
		if !v.Settled {
			return
		}
		for _, r := range v.Truth.Receipts {
			if !stored[r.Channel+" "+r.ID] && v.Limits.Now.Sub(r.BroughtAt) > v.Limits.Silent {
				s.broke("receipt:"+r.ID, "%s sent the receipt %s of %s, and it is not on record", r.Channel, r.ID, r.Key)
			}
		}
	}}
}

// receiptOfNobody takes the id off the first receipt.
func receiptOfNobody(v *View) bool {
	for _, r := range rows(v.Tables, "receipt") {
		r.set("receipt_id", "")
		return v.Truth != nil
	}
	return false
}
