package oracle

import "strings"

// actOnce: a person acts on a record as it was seen. Two acts never saw one version of one record: the second was about
// something that was no longer so, and is refused. And an act that was done left its record at a later version.
func actOnce() Oracle {
	return claim{name: "act-once", spoil: actedOnThePast, check: func(v View, s *seen) {
		versions := map[string]int64{}
		for _, table := range []string{"job", "intent", "correction", "break"} {
			for _, r := range rows(v.Tables, table) {
				versions[table+":"+r.values[0]] = s.number(r, "version")
			}
		}
		before := map[string]row{}
		for _, a := range rows(v.Tables, "audit") {
			record := a.text("record")
			now, known := versions[record]
			if !known || movesNothing(a) {
				continue
			}
			s.look()
			saw := a.key("record", "version")
			if b, ok := before[saw]; ok {
				s.broke(record, "%s did %s at %s and %s did %s at %s, and both saw its version %s", b.text("actor"), b.text("act"), b.text("at"),
					a.text("actor"), a.text("act"), a.text("at"), a.text("version"))
			}
			before[saw] = a
			if s.number(a, "version") >= now {
				s.broke(record, "%s did %s to its version %s, and it is at version %d", a.text("actor"), a.text("act"), a.text("version"), now)
			}
		}
	}}
}

// movesNothing: a review is a look, and a next act is noted at the record that was born of it.
func movesNothing(audit row) bool { return oneOf(audit.text("act"), "review", "next_act") }

// actedOnThePast lets the last act on a record have been done twice.
func actedOnThePast(v *View) bool {
	audit := v.Tables["recon.audit"]
	all := rows(v.Tables, "audit")
	for i := len(all) - 1; i >= 0; i-- {
		table, id, _ := strings.Cut(all[i].text("record"), ":")
		if !oneOf(table, "job", "intent", "correction", "break") || movesNothing(all[i]) {
			continue
		}
		for _, r := range rows(v.Tables, table) {
			if r.values[0] == id {
				audit.Rows = append(audit.Rows, all[i].values)
				v.Tables["recon.audit"] = audit
				return true
			}
		}
	}
	return false
}
