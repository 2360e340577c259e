package search

import (
	"fmt"
	"slices"

	"github.com/recondrill/recondrill/sim"
)

// The tree of orders is kept by what cannot be read off a run again. A run shares its beginning with the run it left,
// up to an edge; from there on it is a line of its own, and a node of that line comes into being only when a second
// edge is added to it. Who could move at a node is told by any run that passes it.

// root is one program of an exhaustive search: what is set besides orders, and the tree of its orders.
type root struct {
	set   []sim.Deviation
	start *edge // into the first node; there is nothing before it
}

// line is the new part of a run.
type line struct {
	entry    *edge      // where it left another line
	depth    int        // moves before
	movers   []*Sleeper // who moved first at each of its nodes
	thens    []then     // where that was not the plain choice, in order
	asleep   []*Sleeper // at its first node: tasks whose going first is explored elsewhere
	switches int        // deviations of class then before it
	nodes    map[int]*node
}

// then is a deviation of class then.
type then struct {
	depth int
	at    sim.Address
	actor sim.Actor
}

// node is a state between two moves.
type node struct {
	on     *line
	depth  int
	edges  []*edge // besides the first mover's
	asleep []*Sleeper
}

// edge is a move from a node that was added to it.
type edge struct {
	root     *root
	from     *node
	task     *Sleeper    // with the footprint that its gate tells, and what the move then really touched
	at       sim.Address // where it is asked who moves
	then     bool        // it is not the plain choice
	explored bool
}

// node at this depth, which is the line's own.
func (l *line) node(depth int) *node {
	if n := l.nodes[depth]; n != nil {
		return n
	}
	n := &node{on: l, depth: depth, asleep: l.asleep}
	for _, m := range l.movers[:depth-l.depth] {
		n.asleep = stillAsleep(n.asleep, m.Actor, m.Foot)
	}
	if l.nodes == nil {
		l.nodes = map[int]*node{}
	}
	l.nodes[depth] = n
	return n
}

// at is the node at this depth on the way to and along l; nil where no line keeps it.
func (l *line) at(depth int) *node {
	for depth < l.depth {
		l = l.entry.from.on
	}
	if depth-l.depth >= len(l.movers) {
		return nil
	}
	return l.node(depth)
}

// before counts deviations of class then before the move at this depth.
func (l *line) before(depth int) int {
	n := l.switches
	for _, t := range l.thens {
		n += one(t.depth < depth)
	}
	return n
}

func (n *node) first() *Sleeper { return n.on.movers[n.depth-n.on.depth] }

func (n *node) switches() int { return n.on.before(n.depth) }

// has says that this task's going first is explored from here, or will be.
func (n *node) has(a sim.Actor) bool {
	return n.first().Actor == a || slices.ContainsFunc(n.edges, func(e *edge) bool { return e.task.Actor == a })
}

// covers says that one of these tasks going first is explored from here or elsewhere.
func (n *node) covers(actors []sim.Actor) bool {
	return slices.ContainsFunc(actors, func(a sim.Actor) bool { return n.has(a) || isAsleep(n.asleep, a) })
}

// asleepAfter are the tasks that sleep after e, as of now: those that slept before it and those whose edges were
// explored before, as far as e does not depend on them.
func (e *edge) asleepAfter() []*Sleeper {
	if e.from == nil {
		return nil
	}
	asleep := append(slices.Clone(e.from.asleep), e.from.first())
	for _, o := range e.from.edges {
		if o != e && o.explored {
			asleep = append(asleep, o.task)
		}
	}
	return stillAsleep(asleep, e.task.Actor, e.task.Foot)
}

// sleep is asleepAfter as a trial carries it.
func (e *edge) sleep() *Sleep {
	if e.from == nil {
		return nil
	}
	s := &Sleep{From: e.at}
	for _, t := range e.asleepAfter() {
		s.Tasks = append(s.Tasks, *t)
	}
	return s
}

// thens are the deviations of class then on the way to e, its own as the last.
func (e *edge) thens() []sim.Deviation {
	var all []then
	for ; e.from != nil; e = e.from.on.entry {
		if e.then {
			all = append(all, then{e.from.depth, e.at, e.task.Actor})
		}
		for _, t := range slices.Backward(e.from.on.thens) {
			if t.depth < e.from.depth {
				all = append(all, t)
			}
		}
	}
	out := make([]sim.Deviation, 0, len(all))
	for _, t := range slices.Backward(all) {
		out = append(out, sim.Deviation{At: t.at, Class: sim.Then, Value: sim.Value{Verb: t.actor.String()}})
	}
	return out
}

// went says that these moves went the way to e and over it.
func (e *edge) went(moves []sim.Move) bool {
	for ; e.from != nil; e = e.from.on.entry {
		l, d := e.from.on, e.from.depth
		if d >= len(moves) || moves[d].Actor != e.task.Actor {
			return false
		}
		for i, m := range l.movers[:d-l.depth] {
			if moves[l.depth+i].Actor != m.Actor {
				return false
			}
		}
	}
	return true
}

// switches counts thens.
func (e *edge) switches() int {
	if e.from == nil {
		return 0
	}
	return e.from.switches() + one(e.then)
}

// depth of the node behind e.
func (e *edge) depth() int {
	if e.from == nil {
		return 0
	}
	return e.from.depth + 1
}

// enabled is a task that can move where a move was made.
type enabled struct {
	sim.Actor
	foot  sim.Footprint
	plain bool
}

// enabledAt lists who could make move m, who made it first; nobody, where nobody was asked.
func enabledAt(m sim.Move) []enabled {
	if m.At.Nth == 0 {
		return nil
	}
	out := []enabled{{m.Actor, m.Foot, true}}
	for _, a := range m.Enabled {
		out = append(out, enabled{a.Actor, a.Foot, a.Plain})
		out[0].plain = out[0].plain && !a.Plain
	}
	return out
}

// cast keeps each (task, footprint) once: a tree has millions of moves and few of these.
type cast map[string]*Sleeper

func (c cast) sleeper(a sim.Actor, foot sim.Footprint) *Sleeper {
	name := fmt.Sprint(a, foot.All, foot.Reads, foot.Writes)
	if c[name] == nil {
		c[name] = &Sleeper{a, foot}
	}
	return c[name]
}
