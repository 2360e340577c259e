package world

import (
	"context"
	"strings"
	"time"

	"github.com/recondrill/recondrill/sim"
)

// question is one call that changes nothing.
type question struct {
	what, label, key string
	touches          []string
	offers           []sim.Value
	answer           func(place string, outcome sim.Value, now time.Time) Answer
}

// read asks. What can be decided about any question: it is answered, or not in time.
func (s *service) read(ctx context.Context, q question) Answer {
	var a Answer
	place := ""
	if s.down(s.w.k.Now()) || s.poisoned[q.label] {
		q.offers = nil
	}
	_, err := s.w.k.Call(ctx, sim.Call{Actor: s.name, Label: q.label, Outcomes: q.offers, Foot: s.foot(q.touches...), Do: func(outcome sim.Value, now time.Time) {
		place = s.place(q.label)
		var ails bool
		if a, ails = s.ails(q.label, place, outcome, now); !ails {
			a = q.answer(place, outcome, now)
		}
		s.w.truth.Calls = append(s.w.truth.Calls, Call{At: now, Caller: caller(ctx), Service: s.name, What: q.what, Label: q.label, Key: q.key,
			Outcome: outcome.String(), Answer: strings.TrimSpace(a.Kind + " " + a.Code)})
	}})
	switch {
	case err != nil:
		return Answer{Kind: "unknown", Code: "no answer", Err: err}
	case a.Kind == "unknown":
		return s.giveUp(ctx, place)
	}
	return a
}

var lookUpOutcomes = []sim.Value{{}, value("unavailable"), value(noEffect), value(throttled), value(outage + " 300s")}

// LookUp asks what became of a key. Found false is "absent", which proves "not done" only after Terms.Settling.
// Kind failed: unavailable, ask again. Without Terms.LookUp the answer is rejected, code no_look_up, and nothing was asked.
func (s *service) LookUp(ctx context.Context, key string) Answer {
	if !s.terms.LookUp {
		return Answer{Kind: "rejected", Code: "no_look_up"}
	}
	answer := func(_ string, outcome sim.Value, now time.Time) Answer {
		d := s.acts[key]
		switch {
		case outcome.String() == noEffect:
			return Answer{Kind: "unknown", Code: "timeout"}
		case outcome.Verb == throttled:
			return Answer{Kind: "throttled", Code: "rate_limited", RetryAfter: outcome.Duration()}
		case outcome.Verb == "unavailable":
			return Answer{Kind: "failed", Code: "unavailable"}
		case d == nil || now.Sub(d.at) < s.terms.LookUpLag:
			return Answer{Kind: "rejected", Code: "absent"}
		case d.pending:
			return Answer{Kind: "pending", Code: "processing", Found: true}
		}
		return Answer{Kind: "accepted", Ref: d.ref, Found: true}
	}
	return s.read(ctx, question{what: "look-up", label: "look-up(" + key + ")", key: key, touches: []string{keyed(key)}, offers: lookUpOutcomes, answer: answer})
}

// keyed is a key in a footprint.
func keyed(key string) string { return "key " + key }
