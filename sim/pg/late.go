package pg

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/recondrill/recondrill/sim"
)

// cable is the name of the actor of the world that carries bytes whose sender is gone.
const cable = "net"

// sendLate hands the flush to the network: the client end is gone now, the bytes reach the server after the delay, as a task
// of their own. Until then the session, where the connection held one, keeps its transaction and its locks.
func (c *conn) sendLate(f *flush, foot sim.Footprint, delay time.Duration) {
	on := c.detach(errCut)
	f.detach()
	s, start, stops := c.sessions, c.start, c.sessions.stops()
	c.kernel.Land(sim.Late{Actor: cable, Label: f.label(), Delay: delay, Foot: foot.With(c.tx.touch.end()), Do: func(ctx context.Context) {
		if on == nil {
			if s.stops() != stops { // its connection did not outlive the server
				s.note(ctx, "gone", f, &answer{})
				return
			}
			var err error
			if on, err = s.take(context.Background(), start); err != nil {
				s.fail(err)
				return
			}
		}
		x := s.newExchange(on, f, unsplit)
		err := x.send()
		if err == nil {
			err = x.readOut(ctx)
		}
		s.landed(ctx, x, err, func() { s.release(on) })
	}})
}

// stops is how often the server stopped in this run.
func (s *Sessions) stops() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.run.stops
}

// landed: the last bytes of a client that is gone have been carried out.
func (s *Sessions) landed(ctx context.Context, x *exchange, err error, then func()) {
	switch {
	case err == nil:
		s.note(ctx, "landed", x.f, x.answer)
		then()
	case errors.Is(err, errGone):
		s.note(ctx, "gone", x.f, x.answer)
		s.release(x.on)
	default:
		s.release(x.on)
	}
}

// overdue: the deadline of a statement passed while it waited in the server. As with the driver's own handling of a
// context that ends, the connection is given up; what differs is what the server does with the statement.
func (c *conn) overdue(ctx context.Context, x *exchange, err error) {
	switch {
	case errors.Is(err, sim.ErrDeadlineCompletes):
		c.detach(os.ErrDeadlineExceeded)
		foot := c.tx.touch.now().With(c.tx.touch.end())
		c.sessions.complete(x, foot, func() { c.sessions.release(x.on) })
	case errors.Is(err, sim.ErrDeadline):
		// The signal is there before the backend goes on, and cancels it before it looks at the lock.
		err := c.sessions.cancel(x.on)
		if err == nil {
			err = c.sessions.resume(x.on)
		}
		if err == nil {
			err = x.readOut(ctx)
		}
		if err != nil {
			c.refuse(err)
			return
		}
		c.sessions.note(ctx, "cancelled", x.f, x.answer)
		c.end(os.ErrDeadlineExceeded)
	default:
		c.refuse(err)
	}
}

// Values of class fault that the wire carries out. The kernel's own (kill before, stall) never come here.
var (
	killAfter     = sim.Value{Verb: "kill", Arg: "after"}
	cutBefore     = sim.Value{Verb: "cut", Arg: "before"}
	cutAfter      = sim.Value{Verb: "cut", Arg: "after"}
	lateStatement = sim.Value{Verb: "late", Arg: "statement"}
)

const latePrefix = "late "

// answerLate is an answer that arrives a while after the server has given it.
func answerLate(d time.Duration) sim.Value {
	return sim.Value{Verb: "answer", Arg: latePrefix + sim.Seconds(d)}
}

// answerDelay is the inverse of answerLate.
func answerDelay(v sim.Value) (time.Duration, bool) { return lateBy(v, "answer") }

// commitLate is a COMMIT that lands after a delay.
func commitLate(d time.Duration) sim.Value {
	return sim.Value{Verb: "commit", Arg: latePrefix + sim.Seconds(d)}
}

// commitDelay is the inverse of commitLate.
func commitDelay(v sim.Value) (time.Duration, bool) { return lateBy(v, "commit") }

func lateBy(v sim.Value, verb string) (time.Duration, bool) {
	text, ok := strings.CutPrefix(v.Arg, latePrefix)
	if v.Verb != verb || !ok {
		return 0, false
	}
	d, err := time.ParseDuration(text)
	return d, err == nil
}
