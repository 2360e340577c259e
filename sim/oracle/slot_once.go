package oracle

import "fmt"

// slotOnce: a slot is admitted once, every job came in by one admission, an admission made as many jobs as it says, and
// at the end every due window has its job.
func slotOnce() Oracle {
	return claim{name: "slot-once", spoil: admittedTwice, check: func(v View, s *seen) {
		made := map[string]int{}
		jobs := rows(v.Tables, "job")
		for _, job := range jobs {
			made[job.text("slot")]++
		}
		admitted := map[string]bool{}
		for _, a := range rows(v.Tables, "admission") {
			s.look()
			slot := a.text("slot")
			record := "admission:" + slot
			if admitted[slot] {
				s.broke(record, "slot %s was admitted twice", slot)
			}
			admitted[slot] = true
			if a.text("inserted") != fmt.Sprint(made[slot]) {
				s.broke(record, "it says it made %s jobs, and %d have its slot", a.text("inserted"), made[slot])
			}
			if selected, bound := s.number(a, "selected"), s.number(a, "bound"); selected > bound {
				s.broke(record, "it took %d windows, its bound is %d", selected, bound)
			}
		}
		for _, job := range jobs {
			if !admitted[job.text("slot")] {
				s.broke("job:"+job.text("job_id"), "it says slot %s, which was not admitted", job.text("slot"))
			}
		}
		if v.Settled {
			everyDueWindow(v, jobs, s)
		}
	}}
}

// everyDueWindow: what fell due in the last lease may still wait for its slot.
func everyDueWindow(v View, jobs []row, s *seen) {
	have := by(jobs, "account_id", "window_id")
	for _, w := range rows(v.Tables, "window") {
		if w.text("skipped_by") != "" || s.when(w, "due_at").After(v.Limits.Now.Add(-v.Limits.Lease)) {
			continue
		}
		s.look()
		if _, ok := have[w.key("account_id", "window_id")]; !ok {
			s.broke("window:"+w.key("account_id", "window_id"), "it was due at %s and was never admitted", w.text("due_at"))
		}
	}
}

// admittedTwice lets one slot be admitted twice.
func admittedTwice(v *View) bool { return twice(v.Tables, "admission") }
