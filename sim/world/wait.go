package world

import (
	"context"
	"errors"
	"time"

	"github.com/recondrill/recondrill/sim"
)

// giveUp waits for the caller's own deadline; a caller without one waits twice the longest call.
func (s *service) giveUp(ctx context.Context, place string) Answer {
	err := s.pause(ctx, 2*s.terms.CallTimeout)
	if !errors.Is(err, sim.ErrKilled) {
		s.w.mark(s.name, "gave up", place)
	}
	return Answer{Kind: "unknown", Code: "timeout", Err: err}
}

// block answers a call whose key is in flight once the first call is over, or never before the deadline.
func (s *service) block(ctx context.Context, r request, place string) Answer {
	for {
		k := s.keys[r.key]
		switch {
		case k == nil:
			return Answer{Kind: "unknown", Code: "timeout"}
		case k.lands.IsZero():
			return s.replay(k, r)
		}
		if err := s.pause(ctx, max(k.lands.Sub(s.w.k.Now()), time.Millisecond)); err != nil {
			if !errors.Is(err, sim.ErrKilled) {
				s.w.mark(s.name, "gave up", place)
			}
			return Answer{Kind: "unknown", Code: "timeout", Err: err}
		}
	}
}

// pause sleeps as the calling process does, or as a task of the world.
func (s *service) pause(ctx context.Context, d time.Duration) error {
	if t := sim.TaskOf(ctx); t != nil && t.Process() != nil {
		return t.Process().Sleep(ctx, d)
	}
	return s.w.k.SleepWorld(ctx, d)
}
