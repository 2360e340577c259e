package simtest

import (
	"context"

	"github.com/recondrill/recondrill/sim"
)

// moment is a decider that asks Check whenever it is asked itself, to learn when a claim broke first: what comes after
// that is no part of the story. Whoever checks is not seen by the run.
type moment struct {
	sim.Decider
	ask     func() (string, error) // the claim that is broken now; ""
	claim   string                 // that is waited for
	history *sim.History
	lines   int // of the history when it was broken first; 0: it was not; -1: nobody can tell
}

// Decide implements sim.Decider.
func (m *moment) Decide(g sim.Gate, c sim.Class) sim.Value {
	if m.lines == 0 {
		switch claim, err := m.ask(); {
		case err != nil: // a table that is locked, say: no use to ask again
			m.lines = -1
		case claim == m.claim:
			m.lines = len(m.history.Entries)
		}
	}
	return m.Decider.Decide(g, c)
}

// watched makes the run of a failure once more and answers how many lines of its history it took to break the claim; 0
// where that is not known: it broke only in what must hold at the end, or being asked changed the run.
func (b *Bench) watched(ctx context.Context, o *once) int {
	m := &moment{Decider: sim.Recorded(o.script), claim: o.claim()}
	m.ask = func() (claim string, err error) {
		s := &State{ctx: ctx, bench: b}
		if broken := b.program.Check(s); broken != nil {
			claim = claimOf(broken)
		}
		return claim, s.err
	}
	again, err := b.run(ctx, plan{o.script.Header.Seed, m, false})
	if err != nil || again.script.Header.Hash != o.script.Header.Hash {
		return 0
	}
	return max(m.lines, 0)
}
