package world

import "time"

// kept is what a key replays.
type kept struct {
	detail string
	first  time.Time // retention counts from here
	answer Answer
	lands  time.Time // an effect that is still to come; zero: over
}

// remembered is what is kept for a key, while it is.
func (s *service) remembered(key string, now time.Time) *kept {
	if !s.terms.Keyed || key == "" {
		return nil
	}
	if k := s.keys[key]; k != nil && now.Sub(k.first) < s.terms.KeyRetention {
		return k
	}
	return nil
}

// keep stores an answer for its key, as far as the terms store such answers.
func (s *service) keep(r request, now time.Time, a Answer, stored bool) Answer {
	if s.terms.Keyed && r.key != "" && stored {
		s.keys[r.key] = &kept{detail: r.detail, first: now, answer: a}
	}
	return a
}

func (s *service) replay(k *kept, r request) Answer {
	switch {
	case k.detail != r.detail && s.terms.Mismatch == "error":
		return Answer{Kind: "rejected", Code: "idempotency_error"}
	case !k.lands.IsZero():
		return Answer{Kind: "pending", Code: inFlight}
	}
	return k.answer
}
