package search

import (
	"slices"
	"time"

	"github.com/recondrill/recondrill/sim"
)

// race is two moves of different tasks, the second depending on the first with nothing between that carries the
// dependence, and the second not made possible by the first: in some run they come the other way round.
type race struct{ first, second int }

// causes is what happened before what, among the moves of one instant: moves of different instants keep their order.
type causes struct {
	moves  []sim.Move
	from   int    // the instant's first move
	before []past // of each of its moves
}

// past is a set of moves of one instant, counted from its first.
type past []uint64

func (p past) has(i int) bool { return p[i/64]>>(i%64)&1 != 0 }

// with adds i and what was before it.
func (p past) with(i int, before past) {
	for w, bits := range before {
		p[w] |= bits
	}
	p[i/64] |= 1 << (i % 64)
}

// races calls back for every race whose second move is at or after `news`, with what happened before what. Time moves
// only when nobody can, so moves of different instants never change places.
func races(moves []sim.Move, times []time.Duration, news int, each func(race, *causes)) {
	for from := 0; from < len(moves); {
		to := from + 1
		for to < len(moves) && times[to] == times[from] {
			to++
		}
		if to > news {
			c := &causes{moves: moves, from: from}
			for j := from; j < to; j++ {
				c.add(j, j >= news, each)
			}
		}
		from = to
	}
}

// add finds what happened before move j. Going backwards, the first move met of each chain is the one that carries the
// dependence.
func (c *causes) add(j int, told bool, each func(race, *causes)) {
	before := make(past, (j-c.from)/64+1)
	c.before = append(c.before, before)
	enabler := c.enabler(j)
	m := c.moves[j]
	var found []race
	for i := j - 1; i >= c.from; i-- {
		o := c.moves[i]
		if before.has(i-c.from) || i != enabler && !depend(m.Actor, m.Foot, o.Actor, o.Foot) {
			continue
		}
		before.with(i-c.from, c.before[i-c.from])
		if told && i != enabler && o.Actor != m.Actor {
			found = append(found, race{i, j})
		}
	}
	for _, r := range found {
		each(r, c)
	}
}

// enabler is the move of this instant that made move j possible: after it, and not before, its task could move. Below
// c.from: none of this instant.
func (c *causes) enabler(j int) int {
	who := c.moves[j].Actor
	i := j - 1
	for ; i >= c.from; i-- {
		if c.moves[i].Actor == who || !couldMove(c.moves[i], who) {
			break
		}
	}
	return i
}

func couldMove(m sim.Move, who sim.Actor) bool {
	return slices.ContainsFunc(m.Enabled, func(a sim.Alternative) bool { return a.Actor == who })
}

// initials are who can go first from before r.first, so that r.second comes before it: what r.first did not cause up
// to there, and r.second, in that order; of these the tasks whose first move nothing of these precedes. The first of
// them comes first.
func (c *causes) initials(r race) []sim.Actor {
	var moves []int
	for k := r.first + 1; k < r.second; k++ {
		if !c.precedes(r.first, k) {
			moves = append(moves, k)
		}
	}
	moves = append(moves, r.second)
	var out []sim.Actor
	for n, k := range moves {
		if !slices.ContainsFunc(moves[:n], func(i int) bool { return c.precedes(i, k) }) {
			out = append(out, c.moves[k].Actor)
		}
	}
	return out
}

func (c *causes) precedes(i, k int) bool { return c.before[k-c.from].has(i - c.from) }
