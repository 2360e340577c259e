package faults

import "github.com/recondrill/recondrill/sim"

// crash is a process that ends at a gate: before what it was about to do, or after it was done and before it knew.
// It bites when the life really ended there.
func crash() Kind {
	return kind{name: "crash", forms: []form{breaks("kill before"), breaks("kill after")},
		bit: func(d sim.Deviation, r run) bool { return killed(r.after(), d.At.Actor) >= 0 }}
}

// lateStatement is a crash whose last bytes are still on their way: it bites when the server carried them out after
// the process was dead.
func lateStatement() Kind {
	return kind{name: "late-statement", forms: []form{breaks("late statement")}, bit: func(d sim.Deviation, r run) bool {
		dead := killed(r.after(), d.At.Actor)
		return dead >= 0 && some(r.after()[dead:], func(e sim.Entry) bool { return landed(e, d.At.Label) })
	}}
}

// landed: bytes whose sender was gone were carried out.
func landed(e sim.Entry, label string) bool {
	return e.What == "landed" && e.Actor.Process == "net" && e.Label == label
}
