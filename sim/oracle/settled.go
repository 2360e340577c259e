package oracle

// settled: once the faults stop, everything comes to rest: each record is at its end or waits for a person.
func settled() Oracle {
	moving := map[string][]string{ // states that rest with nobody
		"job":        {"ready", "leased"},
		"intent":     {"ready", "leased", "submitting"},
		"correction": {"approved", "submitting"},
	}
	return claim{name: "settled", spoil: restless, check: func(v View, s *seen) {
		rest := 0
		for _, table := range []string{"job", "correction", "intent"} {
			for _, r := range rows(v.Tables, table) {
				s.look()
				if table == "correction" && r.text("act") == "task" {
					continue // a person's
				}
				if state := r.text("state"); oneOf(state, moving[table]...) {
					rest++
					s.broke(table+":"+r.text(table+"_id"), "it is still %s since %s", state, r.text("since"))
				}
			}
		}
		if !v.Settled && rest == 0 {
			s.broke("run", "it did not come to rest by its deadline")
		}
	}}
}

// restless lets a record be in somebody's hands at the end.
func restless(v *View) bool { return inState(v.Tables, "leased", "job", "intent") }
