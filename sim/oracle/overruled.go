package oracle

import (
	"slices"
	"strings"
	"time"
)

// overruled: what a person settled stays as the person left it until somebody claims it anew. A claim of before that goes
// on writing overwrites a person's word by what it did not know. Acts that only hurry a record settle nothing. When a
// person acted is read off the database's clock, and of acts and writes of one instant nobody can tell the order.
func overruled() Oracle {
	return claim{name: "overruled", excused: []string{"database-step"}, spoil: wroteOverIt, check: func(v View, s *seen) {
		if v.History == nil {
			return
		}
		settled := map[string][]row{} // acts, by the record's id
		for _, a := range rows(v.Tables, "audit") {
			kind, id, _ := strings.Cut(a.text("record"), ":")
			if oneOf(kind, "job", "intent", "correction") && !movesNothing(a) && !oneOf(a.text("act"), "look_up", "resend_same_key") {
				settled[id] = append(settled[id], a)
			}
		}
		claims, writes := Claims(), FencedWrites()
		claimed := map[string]time.Duration{} // when it was last
		for _, e := range v.History.Entries {
			label, ok := effect(e)
			switch {
			case !ok:
			case slices.Contains(claims, label):
				if partly(e) {
					clear(claimed)
				}
				for _, id := range e.Keys {
					claimed[id] = e.At
				}
			case slices.Contains(writes, label):
				for _, id := range e.Keys {
					since, known := claimed[id]
					if !known {
						continue
					}
					s.look()
					for _, a := range settled[id] {
						if at := s.when(a, "at").Sub(v.Limits.Epoch); since < at && at < e.At {
							s.broke(a.text("record"), "%s did %s at %s, and %s wrote %s over it under a claim of before", a.text("actor"), a.text("act"), a.text("at"), life(e.Actor), label)
						}
					}
				}
			}
		}
	}}
}

// wroteOverIt lets a person have acted between a claim and a write under it.
func wroteOverIt(v *View) bool {
	if v.History == nil {
		return false
	}
	claimed := map[string]time.Duration{}
	audit := v.Tables["recon.audit"]
	for _, e := range v.History.Entries {
		label := strings.TrimPrefix(e.Label, "sql:")
		for _, id := range e.Keys {
			since, known := claimed[id]
			switch {
			case e.What != "answer":
			case slices.Contains(Claims(), label) && e.Rows <= len(e.Keys):
				claimed[id] = e.At
			case slices.Contains(Claims(), label):
				clear(claimed)
			case known && slices.Contains(FencedWrites(), label) && since+time.Microsecond < e.At && len(audit.Columns) > 0:
				at := v.Limits.Epoch.Add(e.At - time.Microsecond).UTC().Format(exactTimeText)
				audit.Rows = append(audit.Rows, made(audit, map[string]string{"at": at, "record": "job:" + id, "act": "spoiled", "version": "1"}))
				v.Tables["recon.audit"] = audit
				return true
			}
		}
	}
	return false
}
