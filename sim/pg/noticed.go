package pg

import (
	"context"
	"time"

	"github.com/recondrill/recondrill/sim"
)

// noticed is the label at which it is asked when the server notices that a client is gone, and the word of the entry that
// says that it has.
const noticed = "noticed"

// vanish: the client end is no more, without a goodbye. The server may notice at once, or later; until then the session keeps
// its transaction and its locks, and a statement that waits for a lock goes on waiting and, granted, is carried out: a
// backend looks at its socket only between statements. This is asked at `at` where it makes a difference.
func (c *conn) vanish(why error, at sim.Actor) {
	on := c.detach(why)
	if on == nil {
		return
	}
	s := c.sessions
	if on.ended || !on.keeps() {
		s.release(on)
		return
	}
	v := c.kernel.Ask(at, noticed, sim.Latency, s.lingers)
	nth := s.countAsked(at)
	after, err := time.ParseDuration(v.Verb)
	switch {
	case v == sim.Value{} || err != nil:
		s.release(on)
	case on.blocked:
		foot := c.tx.touch.now().With(c.tx.touch.end())
		s.complete(on.waits, foot, func() { s.linger(on, at, nth, foot, after) })
	default:
		s.linger(on, at, nth, c.tx.touch.end(), after)
	}
}

// keeps says that somebody may feel that the session goes on: it waits, or has a transaction open, or something (a lock of
// the session, perhaps) outlives transactions in it.
func (s *session) keeps() bool {
	return s.blocked || s.flushed && (s.status != 'I' || s.held || s.soiled)
}

// countAsked counts, as the kernel does, how often it was asked at `at`.
func (s *Sessions) countAsked(at sim.Actor) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.run.asked[at]++
	return s.run.asked[at]
}

// linger lets the server notice after a while that the client of a session is gone.
func (s *Sessions) linger(on *session, at sim.Actor, nth int, foot sim.Footprint, after time.Duration) {
	k := s.kernel()
	k.Land(sim.Late{Actor: cable, Label: noticed + " " + at.String(), Delay: after, Foot: foot, Do: func(context.Context) {
		s.release(on)
		k.Enter(sim.Entry{Actor: at, What: noticed, Label: noticed, Nth: nth})
	}})
}

// complete lets a statement that waits in the server, and whose client is gone, be carried out when it is granted; then is
// what becomes of its session afterwards.
func (s *Sessions) complete(x *exchange, foot sim.Footprint, then func()) {
	s.kernel().Land(sim.Late{Actor: cable, Label: x.f.label(), Foot: foot, Do: func(ctx context.Context) {
		s.setMoved() // it may have been granted while nobody stood there for it
		err := s.standBlocked(ctx, x)
		if err == nil {
			err = x.readOut(ctx)
		}
		s.landed(ctx, x, err, then)
	}})
}
