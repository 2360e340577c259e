package search

import "github.com/recondrill/recondrill/sim"

// standing follows, from the questions of a run alone, which task stands at which gate.
type standing struct {
	feet  map[sim.Actor]sim.Footprint
	asked map[sim.Actor]sim.Address // the last place each was asked about
}

// arrives takes a question. It answers true at the first one about a gate at which a task has just arrived, when its
// footprint meets that of another standing task: there it can matter who goes first.
func (s *standing) arrives(g sim.Gate, c sim.Class) bool {
	if c == sim.Outcome || c == sim.Hold || g.Kind == sim.Tick {
		return false // about what stands outside, or about a task that has left its gate
	}
	if s.feet == nil {
		s.feet, s.asked = map[sim.Actor]sim.Footprint{}, map[sim.Actor]sim.Address{}
	}
	who := g.Address.Actor
	if s.asked[who] == g.Address {
		return false
	}
	s.asked[who] = g.Address
	if g.Kind == sim.Event {
		s.leave(who)
		return false
	}
	s.feet[who] = g.Foot
	return !g.Foot.Empty() && s.meets(who, g.Foot)
}

func (s *standing) meets(who sim.Actor, foot sim.Footprint) bool {
	for other, f := range s.feet {
		if other != who && !f.Empty() && depend(who, foot, other, f) {
			return true
		}
	}
	return false
}

// leave forgets a task that ended, and with a process all of its tasks.
func (s *standing) leave(who sim.Actor) {
	delete(s.feet, who)
	if who.Task != "" {
		return
	}
	for a := range s.feet {
		if a.Process == who.Process && a.Life == who.Life {
			delete(s.feet, a)
		}
	}
}

// contenders are who may go first when orders are drawn. Moves that touch nothing go before all others in three of
// four runs: while a task stands before its start nobody knows what it will do, and a high rank that runs ahead of it
// meets nothing. Who has just yielded comes after the others, or a loop that waits by yielding would never end. The clock
// is none of them: with a rank like a task's it would run away from all that is slower.
func contenders(g sim.Gate, seed uint64) []*sim.Standing {
	var all, first []*sim.Standing
	for i := range g.Standing {
		s := &g.Standing[i]
		yields := s.Gate.Kind == sim.Sleep && s.Gate.Address == g.Address
		if isClock(s.Actor) || yields && len(g.Standing) > 1 {
			continue
		}
		all = append(all, s)
		if s.Gate.Foot.Empty() {
			first = append(first, s)
		}
	}
	if len(first) > 0 && draw(seed, "silent first")%4 != 0 {
		return first
	}
	return all
}

// isClock says that this is no task: choosing it moves time.
func isClock(a sim.Actor) bool { return a == sim.Bare("clock") }
