package faults

import (
	"strings"

	"github.com/recondrill/recondrill/sim"
)

// outage is a service that is down: this call and all others until it is over are refused ("down" marks each). It bites
// when that met more than one call.
func outage() Kind {
	return kind{name: "outage", forms: []form{{sim.Outcome, "outage", positive}}, bit: func(d sim.Deviation, r run) bool {
		return count(r.after(), marked(d.At.Actor.Process, "down")) >= 2
	}}
}

// poisonMessage is a record that fails whenever it is tried ("poisoned" marks each time). It bites when it was tried
// again.
func poisonMessage() Kind {
	return kind{name: "poison-message", forms: []form{answers("poison")}, bit: func(d sim.Deviation, r run) bool {
		return count(r.after(), func(e sim.Entry) bool {
			return e.What == "poisoned" && e.Actor.Process == d.At.Actor.Process && strings.HasPrefix(e.Text, d.At.Label+"/")
		}) >= 2
	}}
}

func count(list []sim.Entry, holds func(sim.Entry) bool) int {
	n := 0
	for _, e := range list {
		if holds(e) {
			n++
		}
	}
	return n
}
