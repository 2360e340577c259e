package pg

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/recondrill/recondrill/sim"
)

// refuse ends the connection, and the run: what the program wanted can't be simulated.
func (c *conn) refuse(err error) {
	c.sessions.fail(err)
	c.end(err)
}

// carry is a move: the gate, the flush, its faults.
func (c *conn) carry(ctx context.Context, f *flush) {
	foot := c.foot(f)
	chosen, err := c.kernel.Pass(ctx, sim.Gate{
		Address: sim.Address{Label: f.label()},
		Kind:    sim.Statement,
		Detail:  f.detail(),
		Offers:  c.offers(f),
		Commit:  f.commits(),
		InTx:    c.status != 'I',
		Foot:    foot,
	})
	if err != nil { // the process is gone, its deadline passed, or a goroutine stood here that the kernel does not know
		c.lost(err)
		return
	}
	delay, commitLate := commitDelay(chosen)
	switch {
	case c.isFallen():
		c.perish(ctx)
		if chosen == killAfter {
			_ = c.kernel.Die(ctx, "after "+f.label())
		}
	case chosen == cutBefore:
		c.vanish(errCut, sim.TaskOf(ctx).Actor())
	case chosen == terminatedBefore:
		c.shootIdle(ctx, f)
	case chosen == lateStatement:
		c.sendLate(f, foot, 0)
		_ = c.kernel.Die(ctx, f.label()+" arrives late")
	case commitLate:
		c.sendLate(f, foot, delay)
	default:
		c.roundTrip(ctx, f, chosen)
	}
}

func (c *conn) offers(f *flush) []sim.Offer {
	if c.process == nil {
		return nil
	}
	return f.offers(c.status, c.sessions.offered)
}

// roundTrip: the flush arrives, now (in a shaken run a little later, by the real clock); a second part of it after a stand of its own.
func (c *conn) roundTrip(ctx context.Context, f *flush, chosen sim.Value) {
	held := unsplit
	if chosen == (sim.Value{}) {
		held = c.holding(ctx, f)
	}
	on, err := c.hold()
	if err != nil {
		c.refuse(err)
		return
	}
	c.sessions.dawdle()
	checks := c.sessions.checks()
	at := held
	if checks && held == unsplit && c.status == 'I' && f.splits() && !f.begins() {
		at = beforeSync
	}
	x := c.sessions.newExchange(on, f, at)
	err = x.send()
	if err == nil {
		err = x.read(ctx)
	}
	if err == nil && x.held {
		if checks {
			c.checkFoot(x)
		}
		if held != unsplit {
			c.sessions.note(ctx, "held", f, x.answer)
			x.answer.held = true
			goes := false
			if chosen, goes = c.standHeld(ctx, f, held); !goes {
				return
			}
		}
		err = x.readOut(ctx)
	}
	if err == nil && x.copies {
		c.copyIn = &copyIn{x: x, ctx: ctx, chosen: chosen}
		c.deliver(x.answer.bytes)
		x.answer.bytes = nil
		return
	}
	c.finish(ctx, x, chosen, err)
}

// finish gives the driver the answer, or what is decided instead of it.
func (c *conn) finish(ctx context.Context, x *exchange, chosen sim.Value, err error) {
	if err != nil {
		c.unanswered(ctx, x, err)
		return
	}
	on, f := x.on, x.f
	if on.status == 'T' && c.sessions.checks() {
		c.checkFoot(x)
	}
	c.status = on.status
	if c.status == 'I' && c.tx.defines { // only now does everybody see it
		c.tx.defines = false
		c.sessions.forget()
		c.sessions.relayout()
	}
	if chosen != terminatedAfter {
		c.rest(on)
	}
	c.sessions.note(ctx, "answer", f, x.answer)
	switch chosen {
	case killAfter:
		_ = c.kernel.Die(ctx, "after "+f.label())
	case cutAfter:
		c.vanish(errCut, sim.TaskOf(ctx).Actor())
	case terminatedAfter:
		c.shoot(ctx, on, f)
	default:
		if d, late := answerDelay(chosen); late && !c.travels(ctx, d) {
			return
		}
		c.deliver(x.answer.bytes)
	}
}

// travels lets the answer be on its way for so long. False: nobody is there any more to hear it.
func (c *conn) travels(ctx context.Context, d time.Duration) bool {
	err := c.kernel.SleepWorld(ctx, d)
	switch {
	case c.isFallen():
		c.perish(ctx)
		return false
	case errors.Is(err, context.DeadlineExceeded):
		err = os.ErrDeadlineExceeded // as the driver's own handling of a context that ended
	}
	if err != nil {
		c.end(err)
	}
	return err == nil
}

func (c *conn) checkFoot(x *exchange) {
	if err := c.sessions.checkFoot(x, &c.tx.touch); err != nil {
		c.sessions.fail(err)
	}
}

// hold is the session that this connection's next bytes go to: its own, or one of the idle ones.
func (c *conn) hold() (*session, error) {
	c.mu.Lock()
	on := c.session
	c.mu.Unlock()
	if on != nil {
		return on, nil
	}
	on, err := c.sessions.take(context.Background(), c.start)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session = on
	return on, nil
}

// rest gives the session back when nothing of this connection is in it.
func (c *conn) rest(on *session) {
	if on.status != 'I' || on.soiled || on.ended {
		return
	}
	c.mu.Lock()
	mine := c.session == on
	if mine {
		c.session = nil
	}
	c.mu.Unlock()
	if mine {
		c.sessions.release(on)
	}
}

// shootIdle ends the backend that would have carried the flush.
func (c *conn) shootIdle(ctx context.Context, f *flush) {
	on, err := c.hold()
	if err != nil {
		c.refuse(err)
		return
	}
	c.shoot(ctx, on, f)
}

// unanswered: the flush went out, and its answer does not reach the driver.
func (c *conn) unanswered(ctx context.Context, x *exchange, err error) {
	var broken *sim.WaitBroken
	switch {
	case errors.Is(err, sim.ErrCutWaiting):
		c.vanish(errCut, sim.TaskOf(ctx).Actor())
	case errors.As(err, &broken) && broken.Value == terminatedBefore:
		c.shoot(ctx, x.on, x.f)
	case errors.Is(err, sim.ErrKilled):
		c.end(err)
	case errors.Is(err, errGone):
		c.sessions.note(ctx, "gone", x.f, x.answer)
		c.deliver(x.answer.bytes) // the server's last words
		c.end(errCut)
	default:
		c.overdue(ctx, x, err)
	}
}
