package faults

import (
	"slices"
	"strings"

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
	return slices.IndexFunc(list, holds)
}

func some(list []sim.Entry, holds func(sim.Entry) bool) bool { return first(list, holds) >= 0 }

// until are the entries in front of the first that holds; all of them without one.
func until(list []sim.Entry, holds func(sim.Entry) bool) []sim.Entry {
	if i := first(list, holds); i >= 0 {
		return list[:i]
	}
	return list
}

// behind are the entries after the first that holds; none without one.
func behind(list []sim.Entry, holds func(sim.Entry) bool) []sim.Entry {
	if i := first(list, holds); i >= 0 {
		return list[i+1:]
	}
	return nil
}

// marked is what whoever stands outside wrote into the history about itself.
func marked(actor, what string) func(sim.Entry) bool {
	return func(e sim.Entry) bool { return e.What == what && e.Actor == sim.Bare(actor) }
}

// place is an address without its actor: label/nth.
func place(a sim.Address) string { return strings.TrimPrefix(a.String(), a.Actor.String()+" ") }

// isAt: the entry is about this very address.
func isAt(e sim.Entry, a sim.Address) bool {
	return e.Actor == a.Actor && e.Label == a.Label && e.Nth == a.Nth
}

// answered: the server did what the statement at an address asks, and not that it had to go. What came back to another
// gate than the statement's own (that of its wait, that of its Sync) bears the statement's label and no number.
func answered(list []sim.Entry, a sim.Address) bool {
	_, label, ok := strings.Cut(a.Label, " sql:")
	if label = "sql:" + label; !ok {
		label = a.Label
	}
	return some(list, func(e sim.Entry) bool {
		own := isAt(e, a) || e.Actor == a.Actor && e.Label == label && e.Nth == 0
		return own && e.What == "answer" && !failed(e, "57P01")
	})
}

// sameLife: the entry is about the process an actor belongs to, in the same life.
func sameLife(e sim.Entry, a sim.Actor) bool {
	return e.Actor.Process == a.Process && e.Actor.Life == a.Life
}

// killed is the index of the end of this life in a list, -1 while it lives.
func killed(list []sim.Entry, a sim.Actor) int {
	return first(list, func(e sim.Entry) bool { return e.What == "killed" && sameLife(e, a) })
}

// alive are the entries of a list in front of the end of this life.
func alive(list []sim.Entry, a sim.Actor) []sim.Entry {
	return until(list, func(e sim.Entry) bool { return (e.What == "killed" || e.What == "ended") && sameLife(e, a) })
}

// failed: the server gave a statement this SQLSTATE, also one whose sender was gone.
func failed(e sim.Entry, sqlstate string) bool {
	return (e.What == "answer" || e.What == "landed" || e.What == "gone") && strings.Contains(e.Text, "ERROR "+sqlstate)
}
