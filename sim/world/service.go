package world

import (
	"context"
	"strings"
	"time"

	"github.com/recondrill/recondrill/sim"
)

// service is what the provider and the channels have in common: terms, keys, calls that are decided and recorded.
type service struct {
	w       *World
	name    string
	terms   Terms
	keys    map[string]*kept
	acts    map[string]*done // by key: what really happened last, for look-ups
	nth     map[string]int   // calls so far by label, as the kernel counts them
	acting  []sim.Value      // what can be decided about an act
	trouble                  // what ails it for longer than one call
}

// done is what a look-up of a key finds.
type done struct {
	at      time.Time
	ref     string
	pending bool
}

// request is one call that changes something here.
type request struct {
	what, key, label, detail string
	touches                  []string                                            // what of the service it reads or changes, see foot
	also                     []sim.Value                                         // what can be decided about it beside the service's usual
	refuse                   func() string                                       // why it can never be done; empty: it can
	effect                   func(place string, now time.Time, late bool) string // does it, answers the reference
}

func newService(w *World, name string, t Terms) service {
	return service{w: w, name: name, terms: t, keys: map[string]*kept{}, acts: map[string]*done{}, nth: map[string]int{}, acting: outcomes(t)}
}

// Terms are the promises of this service.
func (s *service) Terms() Terms { return s.terms }

// act is one call that changes something: a gate of the caller, a decision of the service, at most one effect.
func (s *service) act(ctx context.Context, r request) Answer {
	var a Answer
	var wait bool
	place := ""
	_, err := s.w.k.Call(ctx, sim.Call{Actor: s.name, Label: r.label, Detail: r.detail, Outcomes: s.offers(r), Foot: s.foot(r.touches...),
		Do: func(outcome sim.Value, now time.Time) {
			place = s.place(r.label)
			c := Call{At: now, Caller: caller(ctx), Service: s.name, What: r.what, Label: r.label, Key: r.key, Asked: r.detail, Outcome: outcome.String()}
			a, wait, c.Effect = s.decide(r, place, outcome, now)
			c.Answer = strings.TrimSpace(a.Kind + " " + a.Code)
			s.w.truth.Calls = append(s.w.truth.Calls, c)
		}})
	switch {
	case err != nil:
		return Answer{Kind: "unknown", Code: "no answer", Err: err}
	case wait:
		s.forgets(r, place)
		return s.giveUp(ctx, place)
	case a.Code == disconnected:
		s.forgets(r, place)
		s.w.mark(s.name, "gave up", place)
		return a
	case a.Code == inFlight && s.terms.InFlight == "block":
		return s.block(ctx, r, place)
	}
	return a
}

// Codes that a caller goes by.
const (
	inFlight     = "idempotency_key_in_use"
	disconnected = "connection lost"
)

// decide carries an outcome out. wait: the caller gets no answer.
func (s *service) decide(r request, place string, outcome sim.Value, now time.Time) (a Answer, wait, effect bool) {
	text := outcome.String()
	isLate := strings.HasPrefix(text, effectLater+" ")
	delay := time.Duration(0)
	if isLate {
		delay = outcome.Duration()
	}
	if a, ails := s.ails(r.label, place, outcome, now); ails {
		return a, false, false
	}
	switch {
	case text == noEffect:
		return Answer{Kind: "unknown", Code: "timeout"}, true, false
	case outcome.Verb == throttled:
		return Answer{Kind: "throttled", Code: "rate_limited", RetryAfter: outcome.Duration()}, false, false
	}
	wait = text == effectNow || isLate
	if k := s.remembered(r.key, now); k != nil {
		if text == otherAnswer && k.answer.Kind == "accepted" {
			return Answer{Kind: "rejected", Code: "duplicate"}, false, false
		}
		return s.unheard(s.replay(k, r), text), wait, false
	}
	switch reason := r.refuse(); {
	case reason != "":
		return s.keep(r, now, Answer{Kind: "rejected", Code: reason}, s.terms.Stores == "all"), wait, false
	case text == "failed":
		return s.keep(r, now, Answer{Kind: "failed", Code: "api_error"}, s.terms.Stores != "2xx"), false, false
	case text == "rejected":
		return s.keep(r, now, Answer{Kind: "rejected", Code: "declined"}, s.terms.Stores != "2xx"), false, false
	case text == contactInvalid:
		return s.keep(r, now, Answer{Kind: "rejected", Code: "contact_invalid"}, s.terms.Stores != "2xx"), false, false
	case text == "pending":
		s.acts[r.key] = &done{at: now, pending: true}
		s.land(r, place, pendingFor)
		return s.keep(r, now, Answer{Kind: "pending", Found: true, Code: "processing"}, true), false, true
	case isLate:
		a = s.keep(r, now, Answer{}, true)
		if k := s.remembered(r.key, now); k != nil {
			k.lands = now.Add(delay)
		}
		s.land(r, place, delay)
		return a, true, true
	}
	return s.unheard(s.keep(r, now, s.happen(r, place, now, false), true), text), wait, true
}

// unheard is what the caller learns of an answer whose connection breaks at once.
func (s *service) unheard(a Answer, outcome string) Answer {
	if outcome == answerLost {
		return Answer{Kind: "unknown", Code: disconnected}
	}
	return a
}

// happen does the act: from here on it is true.
func (s *service) happen(r request, place string, now time.Time, late bool) Answer {
	s.w.mark(s.name, "effect", place) // before what it brings about at once
	ref := r.effect(place, now, late)
	s.acts[r.key] = &done{at: now, ref: ref} // nobody asks for the empty key
	return Answer{Kind: "accepted", Ref: ref, Found: true}
}

// land lets the act happen later. Its key answers "in flight" or "pending" until then, and replays after.
func (s *service) land(r request, place string, delay time.Duration) {
	s.w.k.After(s.name, delay, "effect of "+place, func(now time.Time) {
		a := s.happen(r, place, now, true)
		if k := s.keys[r.key]; k != nil && k.detail == r.detail {
			k.answer, k.lands = a, time.Time{}
		}
	})
}

// place is label/nth, as the kernel addresses this decision.
func (s *service) place(label string) string {
	s.nth[label]++
	a := sim.Address{Actor: sim.Bare(s.name), Label: label, Nth: s.nth[label]}
	return strings.TrimPrefix(a.String(), s.name+" ")
}

func caller(ctx context.Context) sim.Actor {
	if t := sim.TaskOf(ctx); t != nil {
		return t.Actor()
	}
	return sim.Actor{}
}
