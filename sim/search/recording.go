package search

import "github.com/recondrill/recondrill/sim"

// Recording decides the run of one trial and writes down what the trial needs to know of it. It serves one run.
type Recording struct {
	trial   Trial
	weights Weights
	set     *sim.RecordedDecider // the trial's own deviations come first
	draw    sim.Decider          // what they leave open; nil: plain
	meeting *priorities          // draw, where it is by PCT
	watch   watch
}

// Decider decides this trial, drawing from w where it draws.
func (t Trial) Decider(w Weights) *Recording {
	r := &Recording{trial: t, weights: w.normal(), set: sim.Recorded(sim.Script{Deviations: t.Deviations})}
	seeded := sim.Seeded(t.Seed, r.weights.Most, r.weights.Weigh)
	switch t.How {
	case Random:
		r.draw = seeded
	case PCT:
		r.meeting = newPriorities(t, r.weights, seeded)
		r.draw = r.meeting
	case POS:
		r.draw = newSampling(t.Seed, seeded)
	default:
		if t.Sleep != nil {
			r.draw = newSleeping(*t.Sleep)
		}
	}
	return r
}

// Moves says whether the run must keep its moves: what to put into sim.Config.Moves.
func (r *Recording) Moves() bool {
	n := r.trial.Need
	return n.Moves || n.Points || n.Holds
}

// Decide implements sim.Decider.
func (r *Recording) Decide(g sim.Gate, c sim.Class) sim.Value {
	if n := r.trial.Need; n.Points || n.Holds && c == sim.Hold {
		r.watch.points(g, c, r.weights.possible(g, c))
	}
	v := r.set.Decide(g, c)
	if r.draw == nil {
		return v
	}
	// What is drawn sees every question, also those that are answered: it counts moves.
	drawn := r.draw.Decide(g, c)
	if v != (sim.Value{}) {
		return v
	}
	return drawn
}

// Fill adds to an outcome what the run brought, when it is over.
func (r *Recording) Fill(o *Outcome, h *sim.History) {
	o.Used = h.Used
	if r.meeting != nil {
		o.Meets = r.meeting.met
	}
	n := r.trial.Need
	if n.Points || n.Holds {
		o.Points = r.watch.classify(h)
	}
	if n.Moves {
		o.Moves, o.Times = h.Moves, times(h)
	}
	if n.First > 0 && n.First < len(o.Moves) {
		o.Moves, o.Times = o.Moves[:n.First], o.Times[:n.First]
	}
	if n.Rest {
		o.Rest = rest(h)
	}
}
