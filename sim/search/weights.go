package search

import "github.com/recondrill/recondrill/sim"

// Weights are what a program's random runs draw from, and with a share above zero what a sweep tries.
type Weights struct {
	Most  int                                      // deviations of classes fault and outcome in one random run, at most; 3 where Weigh is nil
	Weigh func(sim.Gate, sim.Class) []sim.Weighted // a function of the gate alone; nil: an even draw over what is offered
}

// evenMost is Weights.Most of an even draw.
const evenMost = 3

func (w Weights) normal() Weights {
	if w.Weigh == nil {
		w.Weigh = even
		if w.Most == 0 {
			w.Most = evenMost
		}
	}
	return w
}

// even shares are of a program of which nothing is known: switches often, what breaks rarely.
func even(g sim.Gate, c sim.Class) []sim.Weighted {
	switch c {
	case sim.Then:
		return sim.Split(g, c, 2000)
	case sim.Hold:
		return sim.Split(g, c, 1000)
	case sim.Latency:
		return sim.Split(g, c, 200)
	}
	return sim.Split(g, c, 150)
}

// possible lists the values of class c that can be drawn at g.
func (w Weights) possible(g sim.Gate, c sim.Class) []sim.Value {
	var out []sim.Value
	for _, v := range w.Weigh(g, c) {
		if v.Per10k > 0 && v.Value != (sim.Value{}) && g.Offered(c, v.Value) {
			out = append(out, v.Value)
		}
	}
	return out
}
