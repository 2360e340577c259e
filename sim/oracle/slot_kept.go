package oracle

// slotKept: at the end every slot of the schedule that has come was admitted, however long whoever ticks was away: a slot
// that nobody admits is a night in which nothing is released.
func slotKept() Oracle {
	return claim{name: "slot-kept", excused: []string{"lost-tail", "restore"}, spoil: slotForgotten, check: func(v View, s *seen) {
		if !v.Settled {
			return
		}
		admitted := by(rows(v.Tables, "admission"), "slot")
		for _, slot := range v.Limits.Slots {
			if slot.After(v.Limits.Now.Add(-v.Limits.Lease)) {
				continue // whoever ticks may just be about to
			}
			s.look()
			if _, ok := admitted[slot.UTC().Format(timeText)]; !ok {
				s.broke("admission:"+stamp(slot), "slot %s has come and was never admitted", stamp(slot))
			}
		}
	}}
}

// slotForgotten takes away the admission of a slot of the schedule.
func slotForgotten(v *View) bool {
	for _, slot := range v.Limits.Slots {
		text := slot.UTC().Format(timeText)
		if v.Settled && !slot.After(v.Limits.Now.Add(-v.Limits.Lease)) && without(v.Tables, "admission", func(r row) bool { return r.text("slot") == text }) {
			return true
		}
	}
	return false
}
