package faults

import (
	"strings"

	"github.com/recondrill/recondrill/sim"
)

// A statement whose deadline passes is cancelled in the plain run. The other two arms are kinds.

func isDeadline(a sim.Address) bool { return a.Label == "deadline" }

// completesAnyway is a statement whose client gave it up and whose cancel comes too late. It bites when the server
// carried it out after that.
func completesAnyway() Kind {
	return kind{name: "completes-anyway", at: isDeadline, forms: []form{answers("completes anyway")}, bit: func(d sim.Deviation, r run) bool {
		i := first(r.after(), gaveUpOn(d))
		if i < 0 {
			return false
		}
		label := strings.TrimPrefix(r.after()[i].Label, "wait ")
		return some(r.after()[i:], func(e sim.Entry) bool { return landed(e, label) })
	}}
}

// notSent is a statement whose client gave it up before its bytes had left. It bites when that happened and the client
// lived on.
func notSent() Kind {
	return kind{name: "not-sent", at: isDeadline, forms: []form{answers("not sent")}, bit: func(d sim.Deviation, r run) bool {
		rest := behind(r.after(), gaveUpOn(d))
		return some(rest, func(e sim.Entry) bool { return e.What == "statement" && sameLife(e, d.At.Actor) })
	}}
}

// gaveUpOn finds the entry of the deadline that a deviation decided.
func gaveUpOn(d sim.Deviation) func(sim.Entry) bool {
	return func(e sim.Entry) bool {
		return e.What == "deadline" && e.Actor == d.At.Actor && e.Text == d.Value.String()
	}
}
