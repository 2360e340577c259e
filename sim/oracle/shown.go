package oracle

import (
	"slices"
	"strings"

	"github.com/recondrill/recondrill/sim"
)

// shown: whoever asks what is not at its end is told of everything that is not. What rests with a person and is in no list
// rests for ever. Judged by the last lists that were asked for: after them nothing came to rest any more.
func shown() Oracle {
	return claim{name: "shown", spoil: restsUnseen, check: func(v View, s *seen) {
		if v.History == nil || !v.Settled {
			return
		}
		last := map[string]sim.Entry{}
		for _, e := range v.History.Entries {
			if e.What == "answer" && strings.HasPrefix(e.Label, "sql:Unsettled") {
				last[e.Label] = e
			}
		}
		for table, list := range unsettledLists() {
			e, asked := last["sql:"+list]
			if !asked {
				continue
			}
			waiting := s.unsettled(v, table)
			for _, id := range waiting {
				s.look()
				if !partly(e) && !slices.Contains(e.Keys, id) {
					s.broke(table+":"+id, "it is not at its end, and %s was not told of it", e.Actor.Process)
				}
			}
			if e.Rows < len(waiting) {
				s.broke(table, "%d are not at their end, and %s was told of %d", len(waiting), e.Actor.Process, e.Rows)
			}
		}
	}}
}

// unsettledLists are the queries that list what is not at its end, by table.
func unsettledLists() map[string]string {
	return map[string]string{"job": "UnsettledJobs", "intent": "UnsettledIntents", "correction": "UnsettledCorrections"}
}

// unsettled are the records of a table that are not at their end. A refused refund has come to its end when its break has,
// or when it was asked for anew.
func (s *seen) unsettled(v View, table string) []string {
	ends := map[string][]string{
		"job":        {"done", "cancelled"},
		"intent":     {"sent", "suppressed", "given_up"},
		"correction": {"applied", "refused", "superseded"},
	}
	over := map[string]bool{}
	if table == "correction" {
		over = s.refusalsOver(v)
	}
	var ids []string
	for _, r := range rows(v.Tables, table) {
		if id := r.text(table + "_id"); !over[id] && !oneOf(r.text("state"), ends[table]...) {
			ids = append(ids, id)
		}
	}
	return ids
}

// refusalsOver are the refused refunds that have come to their end.
func (s *seen) refusalsOver(v View) map[string]bool {
	corrections, breaks := rows(v.Tables, "correction"), by(rows(v.Tables, "break"), "break_key")
	latest := map[string]int64{} // act number, by break
	for _, c := range corrections {
		if c.text("act") == "refund" {
			latest[c.text("break_key")] = max(latest[c.text("break_key")], s.number(c, "act_number"))
		}
	}
	over := map[string]bool{}
	for _, c := range corrections {
		b, ok := breaks[c.text("break_key")]
		if c.text("state") == "rejected" && (!ok || !oneOf(b.text("state"), "timing", "open") || s.number(c, "act_number") < latest[c.text("break_key")]) {
			over[c.text("correction_id")] = true
		}
	}
	return over
}

// restsUnseen lets one record more not be at its end.
func restsUnseen(v *View) bool {
	if v.History == nil || !v.Settled {
		return false
	}
	var ignored seen
	for table, list := range unsettledLists() {
		waiting := ignored.unsettled(*v, table)
		for i := len(v.History.Entries) - 1; i >= 0; i-- {
			e := v.History.Entries[i]
			if e.What != "answer" || e.Label != "sql:"+list || partly(e) {
				continue
			}
			for _, r := range rows(v.Tables, table) {
				if id := r.text(table + "_id"); !slices.Contains(e.Keys, id) && !slices.Contains(waiting, id) {
					r.set("state", "dead")
					return true
				}
			}
			break
		}
	}
	return false
}
