package search

import (
	"slices"

	"github.com/recondrill/recondrill/sim"
)

// sleeping passes sleepers over: the plain choice where it is awake, else the first that is.
type sleeping struct {
	from   sim.Address
	awake  bool // From has not been answered yet
	asleep []*Sleeper
}

func newSleeping(s Sleep) *sleeping {
	p := &sleeping{from: s.From, awake: true}
	for i := range s.Tasks {
		p.asleep = append(p.asleep, &s.Tasks[i])
	}
	return p
}

func (p *sleeping) Decide(g sim.Gate, c sim.Class) sim.Value {
	if c != sim.Then {
		return sim.Value{}
	}
	if p.awake {
		p.awake = g.Address != p.from
		return sim.Value{}
	}
	mover := p.choose(g.Standing)
	if mover == nil {
		return sim.Value{}
	}
	p.asleep = stillAsleep(p.asleep, mover.Actor, mover.Gate.Foot)
	return choice(mover)
}

// choose answers the plain choice where all sleep: such a run brings nothing new, whatever it does.
func (p *sleeping) choose(standing []sim.Standing) *sim.Standing {
	var first, plain *sim.Standing
	for i := range standing {
		s := &standing[i]
		if s.Plain {
			plain = s
		}
		if isClock(s.Actor) || isAsleep(p.asleep, s.Actor) {
			continue
		}
		if first == nil || s.Plain {
			first = s
		}
	}
	if first == nil {
		return plain
	}
	return first
}

func isAsleep(asleep []*Sleeper, a sim.Actor) bool {
	return slices.ContainsFunc(asleep, func(s *Sleeper) bool { return s.Actor == a })
}

// stillAsleep are those that a move leaves asleep: they do not depend on it. It answers a new list.
func stillAsleep(asleep []*Sleeper, mover sim.Actor, foot sim.Footprint) []*Sleeper {
	var out []*Sleeper
	for _, s := range asleep {
		if !depend(s.Actor, s.Foot, mover, foot) {
			out = append(out, s)
		}
	}
	return out
}
