package search

import (
	"strconv"
	"time"

	"github.com/recondrill/recondrill/sim"
)

// priorities decides who moves by probabilistic concurrency testing: each task has a rank, the highest that can move
// moves, and at a few change points the task that arrives there is demoted. All is drawn by hash of the seed and a
// name or an address, so the deviations that a run used replay it without the ranks.
//
// It differs from the algorithm of that name in three ways. Only gates whose footprint meets another standing task's
// are counted, for at the others nothing could change. A demotion ends after a drawn time, and for part of that the
// task may stand still although it could go on: what waits for leases and timers is else never overtaken. And ranks
// are of (process, task), not of a life: who restarts is as slow or as quick as before.
type priorities struct {
	trial   Trial
	weights Weights
	others  sim.Decider // what is not about order
	at      standing
	met     int // gates at which a change could matter
	left    int // change points
	changed sim.Address
	low     map[string]time.Duration // until when a task is demoted, by rank's name
	ranks   map[string]uint64
}

func newPriorities(t Trial, w Weights, others sim.Decider) *priorities {
	return &priorities{trial: t, weights: w, others: others, left: t.Depth, low: map[string]time.Duration{}, ranks: map[string]uint64{}}
}

func (p *priorities) Decide(g sim.Gate, c sim.Class) sim.Value {
	if p.at.arrives(g, c) {
		p.met++
		if p.changes(g.Address) {
			p.left--
			p.changed = g.Address
			p.low[rankName(g.Address.Actor)] = g.At
		}
	}
	switch {
	case c == sim.Then:
		return p.highest(g)
	case c == sim.Latency && p.changed == g.Address:
		return p.demote(g)
	}
	return p.others.Decide(g, c)
}

// changes says whether this gate is a change point. Where nobody knows how many gates count, the rate is drawn.
func (p *priorities) changes(a sim.Address) bool {
	if p.left <= 0 {
		return false
	}
	length := uint64(p.trial.Length)
	if length == 0 {
		length = uint64(p.trial.Depth) << (1 + draw(p.trial.Seed, "rate")%7)
	}
	return draw(p.trial.Seed, "change", a.String())%length < uint64(p.trial.Depth)
}

// demote draws how long: within this instant, or one of the times that latencies have here. Half of the latter stand
// still meanwhile.
func (p *priorities) demote(g sim.Gate) sim.Value {
	values := p.weights.possible(g, sim.Latency)
	drawn := draw(p.trial.Seed, "demote", g.Address.String())
	i := int(drawn >> 1 % uint64(len(values)+1))
	if i == len(values) {
		return sim.Value{}
	}
	if d, err := time.ParseDuration(values[i].Verb); err == nil {
		p.low[rankName(g.Address.Actor)] = g.At + d
	}
	if drawn&1 == 0 {
		return sim.Value{}
	}
	return values[i]
}

// highest is who moves, as a value of class then.
func (p *priorities) highest(g sim.Gate) sim.Value {
	var best *sim.Standing
	for _, s := range contenders(g, p.trial.Seed) {
		if best == nil || p.above(s.Actor, best.Actor, g.At) {
			best = s
		}
	}
	return choice(best)
}

func (p *priorities) above(a, b sim.Actor, now time.Duration) bool {
	x, y := rankName(a), rankName(b)
	if lowX, lowY := p.demoted(x, now), p.demoted(y, now); lowX != lowY {
		return lowY
	}
	return p.rank(x) > p.rank(y)
}

func (p *priorities) demoted(name string, now time.Duration) bool {
	until, is := p.low[name]
	return is && now <= until
}

func (p *priorities) rank(name string) uint64 {
	r, known := p.ranks[name]
	if !known {
		r = draw(p.trial.Seed, "rank", name)
		p.ranks[name] = r
	}
	return r
}

// rankName is the task whatever the life.
func rankName(a sim.Actor) string { return a.Process + "/" + a.Task }

// choice is the value of class then that lets s move.
func choice(s *sim.Standing) sim.Value {
	if s == nil || s.Plain {
		return sim.Value{}
	}
	return sim.Value{Verb: s.Text}
}

// lengthEvery is how many trials go by before the number of gates that count is taken from what the last ones met.
const lengthEvery = 32

// NewPCT draws orders by priorities with up to o.Changes change points, each run from a seed of its own; what is not
// about order it draws as random does.
func NewPCT(o Options) *Sampler {
	o = o.normal()
	s := newSampler("pct", PCT, o)
	met, runs, length := 0, 0, 0
	s.every = lengthEvery
	s.fit = func(t *Trial) {
		if t.ID%lengthEvery == 0 && runs > 0 {
			length, met, runs = met/runs, 0, 0
		}
		t.Depth, t.Length = 1+t.ID%o.Changes, length
	}
	s.learn = func(out Outcome) { met, runs = met+out.Meets, runs+1 }
	s.bound = "priorities with up to " + strconv.Itoa(o.Changes) + " change points, a seed a run"
	return s
}
