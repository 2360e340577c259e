package faults

import (
	"strings"

	"github.com/recondrill/recondrill/sim"
)

// noticed is the label at which it is asked how long the server does not notice that a client is dead, and the word of
// the entry that says that it has.
const noticed = "noticed"

// lingeringLocks is a server that keeps the transaction of a dead client, and its locks, for a while. It bites when,
// before the server noticed, somebody came to wait and was not granted, or an answer was given past locked rows (SKIP
// LOCKED). It is offered only where the dead client holds locks.
func lingeringLocks() Kind {
	return kind{name: "lingering-locks", forms: []form{{sim.Latency, "", positive}},
		at: func(a sim.Address) bool { return a.Label == noticed },
		bit: func(d sim.Deviation, r run) bool {
			lingers := until(r.after(), func(e sim.Entry) bool { return e.What == noticed && e.Actor.String() == d.At.Actor.String() })
			return waited(lingers) || skipped(lingers)
		}}
}

// waited: a statement came to wait for a lock, and did not get it in this stretch.
func waited(list []sim.Entry) bool {
	for i, e := range list {
		if e.What == "blocked" && !some(list[i+1:], func(g sim.Entry) bool { return g.What == "granted" && g.Actor == e.Actor }) {
			return true
		}
	}
	return false
}

// skipped: a statement that goes past locked rows was answered.
func skipped(list []sim.Entry) bool {
	for i, e := range list {
		if e.What == "statement" && strings.Contains(strings.ToLower(e.Text), "skip locked") &&
			answered(list[i+1:], sim.Address{Actor: e.Actor, Label: e.Label, Nth: e.Nth}) {
			return true
		}
	}
	return false
}
