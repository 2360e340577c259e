package search

import (
	"strconv"

	"github.com/recondrill/recondrill/sim"
)

// sampling decides who moves by partial order sampling: each standing task has a priority of its gate, the highest
// moves, and whoever stands in conflict with what moved gets a fresh one. So orders of moves that have nothing to do with
// each other are not told apart, and the races there are get even odds.
type sampling struct {
	seed   uint64
	others sim.Decider
	met    map[sim.Address]int // how often something in conflict went first while a task stood there
}

func newSampling(seed uint64, others sim.Decider) *sampling {
	return &sampling{seed: seed, others: others, met: map[sim.Address]int{}}
}

func (p *sampling) Decide(g sim.Gate, c sim.Class) sim.Value {
	if c != sim.Then {
		return p.others.Decide(g, c)
	}
	var best *sim.Standing
	var most uint64
	for _, s := range contenders(g, p.seed) {
		if n := draw(p.seed, "priority", s.Gate.Address.String(), strconv.Itoa(p.met[s.Gate.Address])); best == nil || n > most {
			best, most = s, n
		}
	}
	if best == nil {
		return sim.Value{}
	}
	delete(p.met, best.Gate.Address)
	for i := range g.Standing {
		if s := &g.Standing[i]; s != best && depend(s.Actor, s.Gate.Foot, best.Actor, best.Gate.Foot) {
			p.met[s.Gate.Address]++
		}
	}
	return choice(best)
}

// NewPOS draws orders by partial order sampling, each run from a seed of its own; what is not about order it draws as
// random does.
func NewPOS(o Options) *Sampler {
	s := newSampler("pos", POS, o.normal())
	s.bound = "priorities drawn anew at each conflict, a seed a run"
	return s
}
