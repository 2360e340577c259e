package search

// Sampler proposes runs that are drawn, each from a seed of its own. It never ends.
type Sampler struct {
	tally
	how   How
	seed  uint64
	bound string

	// What is fitted from outcomes is fitted between blocks of `every` trials, when all outcomes are there: so it does not
	// depend on how many were under way at a time. 0: nothing is.
	every int
	fit   func(*Trial)
	learn func(Outcome)
	asked int
}

func newSampler(name string, how How, o Options) *Sampler {
	return &Sampler{tally: tally{name: name}, how: how, seed: o.Seed}
}

// NewRandom draws every value by its hash and the weights, each run from a seed of its own.
func NewRandom(o Options) *Sampler {
	s := newSampler("random", Random, o.normal())
	s.bound = "every value by its own weight, a seed a run"
	return s
}

// Next implements Rung.
func (s *Sampler) Next() (Trial, bool) {
	if s.every > 0 && s.asked%s.every == 0 && s.trials < s.asked {
		return Trial{}, false
	}
	t := Trial{Rung: s.name, ID: s.asked, How: s.how, Seed: s.seed + uint64(s.asked)}
	if s.fit != nil {
		s.fit(&t)
	}
	s.asked++
	return t, true
}

// Took implements Rung.
func (s *Sampler) Took(_ Trial, o Outcome) {
	s.count(o)
	if s.learn != nil {
		s.learn(o)
	}
}

// Told implements Rung. The frontier is Good and Turing's estimate: the share of fingerprints seen once.
func (s *Sampler) Told() Told {
	told := s.told(s.bound, s.turing(), false)
	told.New = s.fresh()
	return told
}
