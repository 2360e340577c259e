package search

import "fmt"

// Ladder climbs: a sweep and a bounded exhaustive search first, random orders beside them, and these alone when the
// bounded ones are done. Any beginning of it holds each rung's share, so that where time ends it early nothing was
// left out for another's sake.
type Ladder struct {
	rungs  []*step
	queue  []mine
	asked  int
	trials map[int]mine // under way, by the ladder's ID
}

// step is a rung of a ladder.
type step struct {
	Rung
	share int // trials in a round
}

// mine is a rung's trial and whose it is.
type mine struct {
	of *step
	Trial
}

// NewLadder makes rounds of 32 trials: 10 of the sweep, 8 exhaustive, 6 random, 4 by PCT and 4 by POS. What a rung has
// not to give goes to the last three.
func NewLadder(o Options) *Ladder {
	return &Ladder{trials: map[int]mine{}, rungs: []*step{
		{NewSweep(o), 10}, {NewExhaustive(o), 8}, {NewRandom(o), 6}, {NewPCT(o), 4}, {NewPOS(o), 4},
	}}
}

// Name implements Rung.
func (l *Ladder) Name() string { return "ladder" }

// Next implements Rung. A round is made when every outcome of the last one is there, so what it holds does not depend
// on how many were under way.
func (l *Ladder) Next() (Trial, bool) {
	if len(l.queue) == 0 {
		if len(l.trials) > 0 {
			return Trial{}, false
		}
		l.round()
	}
	if len(l.queue) == 0 {
		return Trial{}, false
	}
	m := l.queue[0]
	l.queue = l.queue[1:]
	l.trials[l.asked] = m
	t := m.Trial
	t.Rung, t.ID = l.Name()+"/"+t.Rung, l.asked
	l.asked++
	return t, true
}

func (l *Ladder) round() {
	spare := 0
	for _, s := range l.rungs {
		spare += s.share - l.take(s, s.share)
	}
	for drawn := l.rungs[2:]; spare > 0; {
		before := spare
		for _, s := range drawn {
			if spare > 0 {
				spare -= l.take(s, 1)
			}
		}
		if spare == before {
			return // they wait for outcomes of this round
		}
	}
}

// take puts up to n trials of a rung into the round.
func (l *Ladder) take(s *step, n int) int {
	for i := range n {
		t, ok := s.Next()
		if !ok {
			return i
		}
		l.queue = append(l.queue, mine{s, t})
	}
	return n
}

// Took implements Rung.
func (l *Ladder) Took(t Trial, o Outcome) {
	m, known := l.trials[t.ID]
	if !known {
		panic(fmt.Sprintf("search: trial %d of the ladder is not under way", t.ID))
	}
	delete(l.trials, t.ID)
	m.of.Took(m.Trial, o)
}

// Told implements Rung: the whole, and each rung's own account. Distinct is the most that one rung saw: rungs meet the
// same fingerprints.
func (l *Ladder) Told() Told {
	out := Told{Rung: l.Name(), Bound: "each rung's own", Frontier: "each rung's own"}
	for _, s := range l.rungs {
		t := s.Told()
		out.Rungs = append(out.Rungs, t)
		out.Trials, out.Found, out.Distinct = out.Trials+t.Trials, out.Found+t.Found, max(out.Distinct, t.Distinct)
	}
	return out
}
