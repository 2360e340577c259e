package search

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/recondrill/recondrill/sim"
)

// Exhaustive explores every order of one workload's moves, up to the order of independent ones, within bounds. The
// package's documentation argues why that is enough, and what a bound costs.
type Exhaustive struct {
	tally
	o        Options
	switches int             // the bound; below zero: none
	roots    map[string]bool // sets that have a tree
	later    []*root         // trees not begun
	queue    []*edge         // of this generation
	next     []*edge         // of the next one
	way      map[int]*edge   // under way, by trial
	asked    int
	cast     cast

	beyond    int // races whose other way lies beyond the bound
	redundant int // runs that came only to what others cover
	astray    int // runs that did not go the way they were sent: not deterministic, or not the same program
}

// NewExhaustive explores the workload of o.Seed.
func NewExhaustive(o Options) *Exhaustive {
	x := &Exhaustive{tally: tally{name: "exhaustive"}, o: o.normal(), switches: cmp.Or(o.Switches, 2), way: map[int]*edge{}, cast: cast{}}
	x.begin()
	return x
}

func (x *Exhaustive) begin() {
	x.roots, x.beyond = map[string]bool{}, 0
	x.plant(nil)
}

// plant makes the tree of a set, once.
func (x *Exhaustive) plant(set []sim.Deviation) {
	name := fmt.Sprint(set)
	if x.roots[name] {
		return
	}
	x.roots[name] = true
	r := &root{set: set}
	r.start = &edge{root: r}
	x.later = append(x.later, r)
}

// Next implements Rung. A generation is what the one before it made known; a tree is begun when nothing is left of the
// ones before, and a wider bound when nothing is left of any.
func (x *Exhaustive) Next() (Trial, bool) {
	if len(x.queue) == 0 {
		if x.trials < x.asked {
			return Trial{}, false
		}
		x.generation()
	}
	if len(x.queue) == 0 && len(x.later) == 0 && !x.done() {
		x.widen()
	}
	if len(x.queue) == 0 && len(x.later) > 0 {
		r := x.later[0]
		x.queue, x.later = []*edge{r.start}, x.later[1:]
		for _, d := range x.o.Given {
			x.set(r, d)
		}
	}
	if len(x.queue) == 0 {
		return Trial{}, false
	}
	t := x.trial(x.queue[0])
	x.way[x.asked] = x.queue[0]
	x.queue = x.queue[1:]
	x.asked++
	return t, true
}

// generation takes what the last one made known, spread over the runs, so that whatever ends the search early, not only
// their beginnings were reordered.
func (x *Exhaustive) generation() {
	x.queue = make([]*edge, len(x.next))
	for i, place := range spread(len(x.next)) {
		x.queue[i] = x.next[place]
	}
	x.next = nil
}

func (x *Exhaustive) trial(e *edge) Trial {
	t := Trial{Rung: x.name, ID: x.asked, How: Scripted, Seed: x.o.Seed, Deviations: append(slices.Clone(e.root.set), e.thens()...),
		Need: Need{Moves: true, First: x.o.Depth, Holds: len(e.root.set) < x.o.Set}}
	if !x.o.Full {
		t.Sleep = e.sleep()
	}
	return t
}

// widestBound is the last before there is none.
const widestBound = 16

// widen begins again with twice the bound: what was done costs less again than what is new.
func (x *Exhaustive) widen() {
	if x.switches *= 2; x.switches > widestBound {
		x.switches = -1
	}
	x.begin()
}

// done says that nothing is left, within the bound if it was given and at all if not.
func (x *Exhaustive) done() bool {
	return len(x.queue)+len(x.next)+len(x.way)+len(x.later) == 0 && (x.o.Switches != 0 || x.beyond == 0)
}

// Took implements Rung.
func (x *Exhaustive) Took(t Trial, o Outcome) {
	x.count(o)
	e := x.way[t.ID]
	delete(x.way, t.ID)
	for _, p := range o.Points {
		x.set(e.root, p.Deviation)
	}
	x.follow(e, o.Moves, o.Times)
}

// set plants the tree in which d is set besides.
func (x *Exhaustive) set(r *root, d sim.Deviation) {
	if len(r.set) >= x.o.Set {
		return
	}
	if slices.ContainsFunc(r.set, func(o sim.Deviation) bool { return o.At == d.At && o.Class == d.Class }) {
		return
	}
	set := append(slices.Clone(r.set), d)
	slices.SortFunc(set, func(a, b sim.Deviation) int { return strings.Compare(a.String(), b.String()) })
	x.plant(set)
}

// follow takes the run that was to go over e: its way beyond e is new, and what it tells of races adds edges.
func (x *Exhaustive) follow(e *edge, moves []sim.Move, times []time.Duration) {
	if !e.went(moves) || len(times) != len(moves) {
		x.astray++
		return
	}
	if e.from != nil {
		m := moves[e.from.depth]
		e.task = x.cast.sleeper(m.Actor, e.task.Foot.With(m.Foot))
	}
	l := &line{entry: e, depth: e.depth(), asleep: e.asleepAfter(), switches: e.switches()}
	e.explored = true
	end := x.lay(l, moves)
	if x.o.Full {
		x.addAll(l, moves)
		return
	}
	if end < len(moves) {
		x.redundant++
		x.wakeFirst(l, end, moves[end])
	}
	x.reverse(l, moves[:end], times[:end])
}

// lay puts the new moves down, as far as orders are told apart. It answers how many moves were made before the run
// came only to what others cover.
func (x *Exhaustive) lay(l *line, moves []sim.Move) int {
	asleep := l.asleep
	for i := l.depth; i < len(moves); i++ {
		m := moves[i]
		if i < x.o.Depth {
			l.movers = append(l.movers, x.cast.sleeper(m.Actor, m.Foot))
			if can := enabledAt(m); len(can) > 0 && !can[0].plain {
				l.thens = append(l.thens, then{i, m.At, m.Actor})
			}
		}
		if !x.o.Full && isAsleep(asleep, m.Actor) {
			return i
		}
		asleep = stillAsleep(asleep, m.Actor, m.Foot)
	}
	return len(moves)
}

// addAll adds whoever could have moved, at each new node.
func (x *Exhaustive) addAll(l *line, moves []sim.Move) {
	for i := range l.movers {
		m := moves[l.depth+i]
		for _, t := range enabledAt(m) {
			x.add(l, l.depth+i, m, t.Actor)
		}
	}
}

// wakeFirst adds somebody who is awake where a sleeper went on.
func (x *Exhaustive) wakeFirst(l *line, depth int, m sim.Move) {
	n := l.at(depth)
	if n == nil {
		return // beyond what is reordered
	}
	for _, t := range enabledAt(m) {
		if !isAsleep(n.asleep, t.Actor) {
			x.add(l, depth, m, t.Actor)
			return
		}
	}
}

// reverse adds, for each race whose second move is new, who has to go first for it to come out the other way. The edge's
// own move is new as well.
func (x *Exhaustive) reverse(l *line, moves []sim.Move, times []time.Duration) {
	races(moves, times, max(l.depth-1, 0), func(r race, c *causes) {
		m := moves[r.first]
		if m.At.Nth == 0 || r.first >= x.o.Depth {
			return
		}
		if first := c.initials(r); !l.at(r.first).covers(first) {
			x.add(l, r.first, m, first[0])
		}
	})
}

// add makes an edge at this depth of the way to and along l for a task that could have made move m there, if it is within
// the bounds.
func (x *Exhaustive) add(l *line, depth int, m sim.Move, a sim.Actor) {
	n := l.at(depth)
	for _, t := range enabledAt(m) {
		if t.Actor != a || n.has(a) {
			continue
		}
		e := &edge{root: l.entry.root, from: n, task: x.cast.sleeper(a, t.foot), at: m.At, then: !t.plain}
		if x.switches >= 0 && e.switches() > x.switches {
			x.beyond++
			continue
		}
		n.edges = append(n.edges, e)
		x.next = append(x.next, e)
	}
}

// Told implements Rung.
func (x *Exhaustive) Told() Told {
	left := len(x.queue) + len(x.next) + len(x.way)
	frontier := fmt.Sprintf("%d orders and %d sets left, %d races known whose other way takes more switches; %d runs redundant", left, len(x.later), x.beyond, x.redundant)
	if x.astray > 0 {
		frontier += fmt.Sprintf("; %d runs went astray", x.astray)
	}
	told := x.told(x.bound(), frontier, x.done())
	told.Left = left + len(x.later)
	return told
}

func (x *Exhaustive) bound() string {
	what := "orders of moves that depend on each other"
	if x.o.Full {
		what = "orders of moves"
	}
	switches := "any number of switches"
	if x.switches >= 0 {
		switches = fmt.Sprintf("%d switches", x.switches)
	}
	return fmt.Sprintf("%s of seed %d by %s within the first %d moves, up to %d other deviations", what, x.o.Seed, switches, x.o.Depth, x.o.Set)
}
