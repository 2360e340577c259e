package faults

import (
	"slices"
	"strconv"

	"github.com/recondrill/recondrill/sim"
)

// Drifts are the offers of a host whose monotonic clock runs fast (or slow, below zero) by parts per million.
func Drifts(rates ...int) []sim.Value {
	var all []sim.Value
	for _, n := range rates {
		all = append(all, sim.Value{Verb: "drift", Arg: strconv.Itoa(n) + ppm})
	}
	return all
}

// DriftOf reads what was decided, in parts per million; zero where nothing was.
func DriftOf(v sim.Value) int {
	n, _ := parts(lastWord(v))
	return n
}

// monoDrift is a host whose monotonic clock, and with it every pause and deadline, runs at the wrong rate. It bites when
// another process claimed what a living process of that host still held.
func monoDrift() Kind {
	return kind{name: "mono-drift", forms: []form{{sim.Fault, "drift", rate}}, bit: func(d sim.Deviation, r run) bool {
		held, dead := claimed{}, map[sim.Actor]bool{}
		for i, e := range r.all {
			if e.What == "killed" || e.What == "ended" {
				dead[e.Actor] = true
			}
			if i > r.at && claims(e) && e.Actor.Process != d.At.Actor.Process && slices.ContainsFunc(e.Keys, func(key string) bool {
				by, ok := held[key]
				return ok && by.Process == d.At.Actor.Process && !dead[sim.Actor{Process: by.Process, Life: by.Life}]
			}) {
				return true
			}
			held.see(e)
		}
		return false
	}}
}
