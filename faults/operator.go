package faults

import "github.com/recondrill/recondrill/sim"

// The operator is an actor of the world (Kernel.Tick("operator", …)); whoever acts for it marks what was done.
const operator = "operator"

// redriveTwice is an operator who presses the button twice. It bites when one record was redriven again.
func redriveTwice() Kind {
	return kind{name: "redrive-twice", forms: []form{breaks("redrive twice")}, bit: func(_ sim.Deviation, r run) bool {
		seen := map[string]bool{}
		return some(r.after(), func(e sim.Entry) bool {
			again := marked(operator, "redriven")(e) && seen[e.Text]
			seen[e.Text] = seen[e.Text] || marked(operator, "redriven")(e)
			return again
		})
	}}
}

// redriveAll is an operator who redrives whatever there is. It bites when that were several records.
func redriveAll() Kind {
	return kind{name: "redrive-all", forms: []form{breaks("redrive everything")}, bit: func(_ sim.Deviation, r run) bool {
		rest := r.after()
		done := until(rest, marked(operator, "redrove everything"))
		keys := map[string]bool{}
		for _, e := range done {
			if marked(operator, "redriven")(e) {
				keys[e.Text] = true
			}
		}
		return len(done) < len(rest) && len(keys) >= 2
	}}
}

// approveStale is an operator who approves what he saw some time ago. It bites when the record had moved since: only
// then the world marks it.
func approveStale() Kind {
	return kind{name: "approve-stale", forms: []form{breaks("approve stale")}, bit: func(_ sim.Deviation, r run) bool {
		return some(r.after(), marked(operator, "approved stale"))
	}}
}

// forgottenPause is an operator who pauses and never resumes. It bites when, while the faults last, somebody asked for
// work during it and got none.
func forgottenPause() Kind {
	return kind{name: "forgotten-pause", forms: []form{breaks("pause forgotten")}, bit: func(_ sim.Deviation, r run) bool {
		paused := until(behind(r.after(), marked(operator, "paused")), func(e sim.Entry) bool {
			return e.What == "healed" || marked(operator, "unpaused")(e)
		})
		return some(paused, func(e sim.Entry) bool { return asksForWork(e) && e.Rows == 0 })
	}}
}
