package world

import (
	"context"
	"strings"
	"time"

	"github.com/recondrill/recondrill/sim"
)

// read is one call that changes nothing.
func (s *service) read(ctx context.Context, what, label, key string, outcomes []sim.Value, do func(sim.Value, time.Time) Answer) Answer {
	var a Answer
	_, err := s.w.k.Call(ctx, sim.Call{Actor: s.name, Label: label, Outcomes: outcomes, Do: func(outcome sim.Value, now time.Time) {
		s.place(label)
		a = do(outcome, now)
		s.w.truth.Calls = append(s.w.truth.Calls, Call{At: now, Caller: caller(ctx), Service: s.name, What: what, Label: label, Key: key,
			Outcome: outcome.String(), Answer: strings.TrimSpace(a.Kind + " " + a.Code)})
	}})
	if err != nil {
		return Answer{Kind: "unknown", Code: "no answer", Err: err}
	}
	return a
}

var lookUpOutcomes = []sim.Value{{}, value("unavailable")}

// LookUp asks what became of a key. Found false is "absent", which proves "not done" only after Terms.Settling.
// Kind failed: unavailable, ask again. Without Terms.LookUp the answer is rejected, code no_look_up, and nothing was asked.
func (s *service) LookUp(ctx context.Context, key string) Answer {
	if !s.terms.LookUp {
		return Answer{Kind: "rejected", Code: "no_look_up"}
	}
	return s.read(ctx, "look-up", "look-up("+key+")", key, lookUpOutcomes, func(outcome sim.Value, now time.Time) Answer {
		d := s.acts[key]
		switch {
		case outcome.Verb == "unavailable":
			return Answer{Kind: "failed", Code: "unavailable"}
		case d == nil || now.Sub(d.at) < s.terms.LookUpLag:
			return Answer{Kind: "rejected", Code: "absent"}
		case d.pending:
			return Answer{Kind: "pending", Code: "processing", Found: true}
		}
		return Answer{Kind: "accepted", Ref: d.ref, Found: true}
	})
}
