package world

import (
	"time"

	"github.com/recondrill/recondrill/sim"
)

// trouble is what ails a service for longer than one call. It ends when the run is healed.
type trouble struct {
	until    time.Time       // of an outage
	poisoned map[string]bool // labels of calls that fail whenever they are made
}

func (t *trouble) down(now time.Time) bool { return now.Before(t.until) }

// ails answers a call that meets an outage or is poisonous, or begins either: surely not done, in both cases.
func (s *service) ails(label, place string, outcome sim.Value, now time.Time) (a Answer, ails bool) {
	switch outcome.Verb {
	case outage:
		s.until = now.Add(outcome.Duration())
		s.w.k.Touch(sim.Footprint{Writes: []string{"world"}}) // every call of the service meets it
	case poison:
		if s.poisoned == nil {
			s.poisoned = map[string]bool{}
		}
		s.poisoned[label] = true
	}
	switch {
	case s.down(now):
		s.w.mark(s.name, "down", place)
		return Answer{Kind: "failed", Code: "service_unavailable"}, true
	case s.poisoned[label]:
		s.w.mark(s.name, "poisoned", place)
		return Answer{Kind: "failed", Code: "unprocessable"}, true
	}
	return Answer{}, false
}

// Heal ends every outage, and what was poisonous is put right: phase 2 begins.
func (w *World) Heal() {
	w.Provider.trouble = trouble{}
	for _, c := range w.Channels {
		c.trouble = trouble{}
	}
}

// forgets writes down when the retention of a key ends whose caller was left without an answer: whoever asks the same
// again after that does it again.
func (s *service) forgets(r request, place string) {
	now := s.w.k.Now()
	if k := s.remembered(r.key, now); k != nil {
		s.w.k.After(s.name, k.first.Add(s.terms.KeyRetention).Sub(now), "forget "+place, func(time.Time) { s.w.mark(s.name, "forgot", place) })
	}
}
