package search

import (
	"time"

	"github.com/recondrill/recondrill/sim"
)

// times are when the moves of a run were made. A move that left no line of its own (a death before it) was made when the
// one before it was.
func times(h *sim.History) []time.Duration {
	at := make(map[sim.Address]time.Duration, len(h.Moves))
	for _, e := range h.Entries {
		if e.Nth > 0 {
			place := sim.Address{Actor: e.Actor, Label: e.Label, Nth: e.Nth}
			if _, had := at[place]; !had && isMove(e.What) {
				at[place] = e.At
			}
		}
	}
	out := make([]time.Duration, len(h.Moves))
	for i, m := range h.Moves {
		when, known := at[m.Gate]
		if !known && i > 0 {
			when = out[i-1]
		}
		out[i] = when
	}
	return out
}

// isMove says that a line is of a task moving on from its gate.
func isMove(what string) bool {
	for k := sim.Start; k <= sim.Event; k++ {
		if k.String() == what {
			return true
		}
	}
	return false
}
