package simtest

import (
	"slices"

	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/search"
)

// faultsMax bounds the faults of one random run: more are rarely needed and hide each other.
const faultsMax = 3

// weights are what the rungs of the search draw from.
func (p Program) weights() search.Weights { return search.Weights{Most: faultsMax, Weigh: p.weigh} }

// weigh draws from all that is offered at a gate, each class with a share that finds the usual bugs of small programs in
// tens of runs: many switches, few faults, a delay now and then.
func (p Program) weigh(g sim.Gate, c sim.Class) []sim.Weighted {
	share := map[sim.Class]int{sim.Then: 1500, sim.Fault: 300, sim.Latency: 300, sim.Outcome: 1000, sim.Hold: 500}[c]
	return slices.DeleteFunc(sim.Split(g, c, share), func(w sim.Weighted) bool { return p.unwanted(c, w.Value) })
}

// unwanted says that Program.Without names the value's class or, of faults and outcomes, its verb.
func (p Program) unwanted(c sim.Class, v sim.Value) bool {
	breaks := c == sim.Fault || c == sim.Outcome
	return slices.Contains(p.Without, c.String()) || breaks && slices.Contains(p.Without, v.Verb)
}

// wanted is a decider without what is not wanted: not every rung asks the weights.
type wanted struct {
	program Program
	sim.Decider
}

// Decide implements sim.Decider.
func (w wanted) Decide(g sim.Gate, c sim.Class) sim.Value {
	v := w.Decider.Decide(g, c)
	if v != (sim.Value{}) && w.program.unwanted(c, v) {
		return sim.Value{}
	}
	return v
}
