package faults

import (
	"strings"
	"time"

	"github.com/recondrill/recondrill/sim"
)

// run is a history with the place of one deviation in it.
type run struct {
	all []sim.Entry
	at  int // index of the deviation's own entry
}

// since finds a deviation in the history.
func since(d sim.Deviation, h *sim.History) (run, bool) {
	for i, e := range h.Entries {
		if e.Deviation != nil && *e.Deviation == d {
			return run{h.Entries, i}, true
		}
	}
	return run{}, false
}

// after are the entries behind the deviation.
func (r run) after() []sim.Entry { return r.all[r.at+1:] }

// before are the entries in front of it.
func (r run) before() []sim.Entry { return r.all[:r.at] }

// first is the index in a list of the first entry that holds, -1 without.
func first(list []sim.Entry, holds func(sim.Entry) bool) int {
	for i, e := range list {
		if holds(e) {
			return i
		}
	}
	return -1
}

func some(list []sim.Entry, holds func(sim.Entry) bool) bool { return first(list, holds) >= 0 }

// place is an address without its actor: label/nth.
func place(a sim.Address) string { return strings.TrimPrefix(a.String(), a.Actor.String()+" ") }

// isAt: the entry is about this very address.
func isAt(e sim.Entry, a sim.Address) bool {
	return e.Actor == a.Actor && e.Label == a.Label && e.Nth == a.Nth
}

// sameLife: the entry is about the process an actor belongs to, in the same life.
func sameLife(e sim.Entry, a sim.Actor) bool {
	return e.Actor.Process == a.Process && e.Actor.Life == a.Life
}

// killed is the index of the end of this life in a list, -1 while it lives.
func killed(list []sim.Entry, a sim.Actor) int {
	return first(list, func(e sim.Entry) bool { return e.What == "killed" && sameLife(e, a) })
}

// claims: the statement gave its process the right to write records; their keys are its first column.
func claims(e sim.Entry) bool {
	return e.What == "answer" && len(e.Keys) > 0 && strings.HasPrefix(e.Label, "sql:Claim")
}

// admits: the statement released due windows.
func admits(e sim.Entry) bool { return e.What == "answer" && strings.HasPrefix(e.Label, "sql:Admit") }

// length reads the duration at the end of a value, 0 without one.
func length(v sim.Value) time.Duration {
	text := v.String()
	d, err := time.ParseDuration(text[strings.LastIndexByte(text, ' ')+1:])
	if err != nil {
		return 0
	}
	return d
}
