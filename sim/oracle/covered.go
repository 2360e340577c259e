package oracle

import (
	"slices"
	"strings"
	"time"

	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/world"
)

// covered: an act is called for only while the whole call fits into its lease, which runs from when the database gave it and
// not from when its holder heard so. Whoever calls decides at its last answer before; a call that something held up after
// that is no fault of theirs, nor is one of a process whose own clock stood still, or of a host whose clock drifts: that is
// read from the history, for it counts before mono-drift has bitten.
func covered() Oracle {
	return claim{name: "covered", excused: []string{"database-step"}, spoil: leasedTooEarly, check: func(v View, s *seen) {
		if v.History == nil || v.Limits.Terms == nil {
			return
		}
		calls(v.History, v.Limits, func(e sim.Entry, begun, until time.Duration) {
			s.look()
			if most := timeoutOf(e, v.Limits.Terms); begun+most > until {
				s.broke(e.Label, "%s called at %s for up to %s, and its lease ended at %s", e.Actor, stamp(v.Limits.Epoch.Add(begun)), most,
					stamp(v.Limits.Epoch.Add(until)))
			}
		})
	}}
}

// calls tells of each call that follows a Submit of its task: when the task decided to make it, and when its lease ends.
func calls(h *sim.History, l Limits, made func(e sim.Entry, begun, until time.Duration)) {
	until := map[sim.Actor]time.Duration{} // of what the task has submitted
	heard := map[sim.Actor]time.Duration{} // its last answer
	asleep := map[string]bool{}            // lives that are suspended
	drifts := map[string]bool{}            // hosts
	for _, e := range h.Entries {
		label, sql := strings.CutPrefix(e.Label, "sql:")
		switch {
		case e.What == "deviation" && e.Deviation != nil && e.Deviation.Value.Verb == "drift":
			drifts[e.Actor.Process] = true
		case e.What == "resumed":
			delete(asleep, life(e.Actor))
		case e.What == "suspended":
			asleep[life(e.Actor)] = true
			for a := range until {
				if life(a) == life(e.Actor) {
					delete(until, a)
				}
			}
		case sql && e.What == "answer":
			heard[e.Actor] = e.At
			if strings.HasPrefix(label, "Submit") && e.Rows > 0 {
				if !asleep[life(e.Actor)] { // the server answers also whose host sleeps
					until[e.Actor] = e.At + l.Lease
				}
			} else if slices.Contains(Claims(), label) {
				delete(until, e.Actor) // there was no time left to call for the last one
			}
		case e.What == "call" && strings.HasPrefix(e.Label, "call:"):
			if end, ok := until[e.Actor]; ok && !drifts[e.Actor.Process] {
				made(e, heard[e.Actor], end)
			}
			delete(until, e.Actor)
		}
	}
}

// timeoutOf is how long a call may take.
func timeoutOf(e sim.Entry, terms map[string]world.Terms) time.Duration {
	service, _, _ := strings.Cut(strings.TrimPrefix(e.Label, "call:"), " ")
	return terms[service].CallTimeout
}

// leasedTooEarly lets the first call's Submit have been answered so early that its lease is over.
func leasedTooEarly(v *View) bool {
	if v.History == nil {
		return false
	}
	entries, spoiled := slices.Clone(v.History.Entries), false
	calls(v.History, v.Limits, func(call sim.Entry, _, until time.Duration) {
		for i := range entries {
			if e := &entries[i]; !spoiled && e.What == "answer" && e.Actor == call.Actor && e.At == until-v.Limits.Lease && strings.HasPrefix(e.Label, "sql:Submit") {
				e.At, spoiled = e.At-2*v.Limits.Lease, true
			}
		}
	})
	v.retell(entries)
	return spoiled && v.Limits.Terms != nil
}
