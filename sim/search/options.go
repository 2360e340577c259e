package search

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/recondrill/recondrill/sim"
)

// Options bound a search. The zero value takes the defaults named here.
type Options struct {
	Seed uint64 // of the bounded rungs' only workload, and the first of the others

	// Of exhaustive.
	Switches int             // deviations of class then in one run at most; below zero: no bound; 0: 2, and twice as many each time all of it is done
	Depth    int             // only the first so many moves are reordered; 500
	Set      int             // other deviations in one run at most; 1; below zero: none
	Given    []sim.Deviation // what may be set besides the holds that runs offer
	Full     bool            // no reduction: every order on its own, to hold the reduction against

	// Of PCT.
	Changes int // change points, at most; 3
}

func (o Options) normal() Options {
	o.Depth = cmp.Or(o.Depth, 500)
	o.Set = max(cmp.Or(o.Set, 1), 0)
	o.Changes = cmp.Or(o.Changes, 3)
	return o
}

// rungs is the list: a new one goes here.
var rungs = []struct {
	name string
	make func(Options) Rung
}{
	{"ladder", func(o Options) Rung { return NewLadder(o) }},
	{"sweep", func(o Options) Rung { return NewSweep(o) }},
	{"exhaustive", func(o Options) Rung { return NewExhaustive(o) }},
	{"random", func(o Options) Rung { return NewRandom(o) }},
	{"pct", func(o Options) Rung { return NewPCT(o) }},
	{"pos", func(o Options) Rung { return NewPOS(o) }},
}

// New makes a rung by its name. An error names what would be accepted.
func New(name string, o Options) (Rung, error) {
	for _, r := range rungs {
		if r.name == name {
			return r.make(o), nil
		}
	}
	return nil, fmt.Errorf("search %q: accepted are %s", name, strings.Join(Names(), ", "))
}

// Names lists the rungs, the default first.
func Names() []string {
	names := make([]string, len(rungs))
	for i, r := range rungs {
		names[i] = r.name
	}
	return names
}
