package search

import (
	"fmt"
	"strings"
	"time"

	"github.com/recondrill/recondrill/sim"
)

// watch writes down which deviations a run could have had, and what must be known to class them.
type watch struct {
	seen   []possibility
	had    map[sim.Deviation]bool
	effect map[sim.Address]bool // gates whose move outlives its process
}

// possibility is a deviation that was possible.
type possibility struct {
	sim.Deviation
	kind sim.Kind
	at   time.Duration
}

// points takes a question with what could be answered to it.
func (w *watch) points(g sim.Gate, c sim.Class, values []sim.Value) {
	if w.had == nil {
		w.had, w.effect = map[sim.Deviation]bool{}, map[sim.Address]bool{}
	}
	if outlives(g) {
		w.effect[g.Address] = true
	}
	for _, v := range values {
		d := sim.Deviation{At: g.Address, Class: c, Value: v}
		if !w.had[d] {
			w.had[d] = true
			w.seen = append(w.seen, possibility{d, g.Kind, g.At})
		}
	}
}

// outlives says that what a move from this gate does is still there when its process is dead: a COMMIT, a statement
// outside a transaction that writes, a call to the outside. What a transaction did otherwise goes with its session, but
// for sequences, which no ROLLBACK takes back.
func outlives(g sim.Gate) bool {
	switch {
	case g.Kind == sim.Calling, g.Foot.All:
		return true
	case g.Kind != sim.Statement:
		return false
	}
	return (!g.InTx || g.Commit) && len(g.Foot.Writes) > 0 || drawsSequence(g.Foot)
}

// changedNothing says that a statement came to no row: UPDATE 0, SELECT 0, INSERT 0 0.
func changedNothing(outcome string) bool {
	for _, tag := range strings.Split(outcome, ", ") {
		if !strings.HasSuffix(tag, " 0") {
			return false
		}
	}
	return true
}

// classify gives every possibility its class, from the moves of the run in which it was seen.
func (w *watch) classify(h *sim.History) []Point {
	for _, e := range h.Entries {
		if changedNothing(e.Outcome) {
			delete(w.effect, sim.Address{Actor: e.Actor, Label: e.Label, Nth: e.Nth})
		}
	}
	l := newLedger(h.Moves, w.effect)
	out := make([]Point, len(w.seen))
	for i, p := range w.seen {
		out[i] = Point{p.Deviation, l.class(p)}
	}
	return out
}

// ledger counts, along the moves of a run, what had happened before each.
type ledger struct {
	moved   map[sim.Address]int // which move left this gate
	asked   map[sim.Address]int // before which move it was asked here who goes next
	arrived map[sim.Address]int // before which move its task had come to this gate
	all     []int               // moves before that touch anything
	own     map[string][]int    // those of one process
	lasting map[string][]int    // those of one process that outlive it
}

func newLedger(moves []sim.Move, effect map[sim.Address]bool) *ledger {
	l := &ledger{moved: map[sim.Address]int{}, asked: map[sim.Address]int{}, arrived: map[sim.Address]int{},
		own: map[string][]int{}, lasting: map[string][]int{}}
	last, first := map[sim.Actor]int{}, map[sim.Actor]int{}
	for i, m := range moves {
		l.moved[m.Gate] = i
		if m.At.Nth > 0 {
			l.asked[m.At] = i
		}
		for _, a := range m.Enabled {
			note(first, a.Actor, i)
		}
		note(first, m.Actor, i)
		before, had := last[m.Actor]
		if had {
			l.arrived[m.Gate] = before + 1
		} else {
			l.arrived[m.Gate] = first[m.Actor]
		}
		last[m.Actor] = i
		for _, counts := range []map[string][]int{l.own, l.lasting} {
			if counts[m.Actor.Process] == nil {
				counts[m.Actor.Process] = make([]int, len(moves)+1)
			}
		}
	}
	l.all = make([]int, len(moves)+1)
	for i, m := range moves {
		l.all[i+1] = l.all[i] + one(!m.Foot.Empty())
		for process := range l.own {
			mine := process == m.Actor.Process
			l.own[process][i+1] = l.own[process][i] + one(mine && !m.Foot.Empty())
			l.lasting[process][i+1] = l.lasting[process][i] + one(mine && effect[m.Gate])
		}
	}
	return l
}

func note(first map[sim.Actor]int, a sim.Actor, i int) {
	if _, had := first[a]; !had {
		first[a] = i
	}
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// class names what a deviation interrupts. A death takes everything of its process with it, so it is told apart only by
// time, by what the process had done for good and by what the others had done. A switch is told apart by whom it is
// from and to and by the moves before it that touch anything. Whatever else there is goes on from where it was, with all
// that its task knows and after time has passed; so each is a class of its own. (Two stalls between which nothing moves but
// a BEGIN: after the first a context is found to have ended before the next statement is sent, after the second it is on
// its way.)
func (l *ledger) class(p possibility) string {
	a := p.At.Actor
	switch {
	case p.Class == sim.Then:
		// Who came last also says who is next in the plain order afterwards.
		return fmt.Sprintf("then %s after %s, %s, %d", p.Value.Verb, a, sim.Seconds(p.at), l.count(p.At))
	case p.Class == sim.Fault && p.Value.Verb == "kill":
		i, life := l.killed(p), sim.Actor{Process: a.Process, Life: a.Life}
		return fmt.Sprintf("kill %s, %s, %d own, %d others", life, sim.Seconds(p.at), at(l.lasting[a.Process], i), at(l.all, i)-at(l.own[a.Process], i))
	}
	return fmt.Sprintf("%s %s %s", p.Class, p.Value, p.At)
}

// killed is before which move the process would have died.
func (l *ledger) killed(p possibility) int {
	where := l.moved
	if p.kind == sim.Sleep || p.kind == sim.Wait {
		where = l.arrived // it dies where it sleeps or waits, at once
	}
	i, known := where[p.At]
	if !known {
		return len(l.all) - 1 // it stood there when the run ended
	}
	if p.Value.Arg == "after" {
		i++
	}
	return i
}

// count is how many moves before this question touch anything.
func (l *ledger) count(asked sim.Address) int {
	i, known := l.asked[asked]
	if !known {
		i = len(l.all) - 1
	}
	return at(l.all, i)
}

// at is counts[i], 0 where nothing was counted.
func at(counts []int, i int) int {
	if i >= len(counts) {
		return 0
	}
	return counts[i]
}
