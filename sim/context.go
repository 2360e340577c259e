package sim

import (
	"context"
	"slices"
	"sync"
	"time"
)

// scope is a context whose end is virtual and whose children end in the order in which they were made: the standard
// library ends them in the order of a map, and its deadlines are real ones.
type scope struct {
	k       *Kernel
	parent  context.Context
	up      *scope // the nearest scope above
	foreign bool   // something between may end by itself, unseen by up
	timer   timer
	done    chan struct{}

	mu    sync.Mutex // drivers watch contexts from goroutines of their own
	err   error
	below []*ending
}

// ending is what happens when a scope ends.
type ending struct{ do func(err error, floor bool) }

type scopeKey struct{}

// WithCancel is context.WithCancel under the kernel.
func (p *Process) WithCancel(ctx context.Context) (context.Context, context.CancelFunc) {
	c := p.newScope(ctx)
	return c, c.cancel
}

// WithTimeout is context.WithTimeout in virtual time. At the deadline Err is context.DeadlineExceeded, and what of it
// sleeps, waits, or stands before a call to the outside goes on with that error; a statement that waits in the
// server is cancelled or completes anyway, which is a decision. Deadline() names none: only a real clock could read it.
func (p *Process) WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	c := p.newScope(ctx)
	if d <= 0 {
		c.end(context.DeadlineExceeded, true)
	} else if c.Err() == nil && !p.dead {
		p.k.setOwn(&c.timer, d)
	}
	return c, c.cancel
}

func (p *Process) newScope(parent context.Context) *scope {
	c := &scope{k: p.k, parent: parent, done: make(chan struct{})}
	c.timer.life, c.timer.ends = p, true
	c.timer.due = func() {
		c.end(context.DeadlineExceeded, true)
		c.k.wakeEnded() // now, so that deadlines of one instant wake in their own order
	}
	c.up, _ = parent.Value(scopeKey{}).(*scope)
	if err := parent.Err(); err != nil {
		c.end(err, true)
		return c
	}
	c.foreign = parent.Done() != nil && (c.up == nil || parent.Done() != (<-chan struct{})(c.up.done))
	if c.up != nil {
		e := c.up.on(c.end)
		c.leave(e)
	}
	return c
}

// leave makes the parent forget c when c ends first.
func (c *scope) leave(e *ending) {
	c.on(func(error, bool) { c.up.off(e) })
}

func (c *scope) cancel() { c.end(context.Canceled, true) }

// end ends c and what is below it. floor says that the caller has the floor and may touch the clock.
func (c *scope) end(err error, floor bool) {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.err = err
	close(c.done)
	below := c.below
	c.below = nil
	c.mu.Unlock()
	if floor {
		c.k.clock.drop(&c.timer)
	}
	c.k.ended.Store(true)
	for _, e := range below {
		e.do(err, floor)
	}
}

func (c *scope) on(do func(err error, floor bool)) *ending {
	e := &ending{do}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.below = append(c.below, e)
	return e
}

func (c *scope) off(e *ending) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := len(c.below)
	c.below = slices.DeleteFunc(c.below, func(o *ending) bool { return o == e })
	return len(c.below) < before
}

// AfterFunc lets contexts of the standard library hang below without a goroutine of their own.
func (c *scope) AfterFunc(f func()) (stop func() bool) {
	if c.Err() != nil {
		go f() // as context.AfterFunc does
		return func() bool { return false }
	}
	e := c.on(func(error, bool) { f() })
	return func() bool { return c.off(e) }
}

func (c *scope) Deadline() (time.Time, bool) { return time.Time{}, false }

func (c *scope) Done() <-chan struct{} { return c.done }

func (c *scope) Err() error {
	c.mu.Lock()
	err := c.err
	c.mu.Unlock()
	if err == nil && c.foreign {
		if err = c.parent.Err(); err != nil {
			c.end(err, false)
		}
	}
	return err
}

func (c *scope) Value(key any) any {
	if key == (scopeKey{}) {
		return c
	}
	return c.parent.Value(key)
}

// wakeEnded lets go on whoever stands at a gate that its context's end opens. It says whether there was one.
func (k *Kernel) wakeEnded() bool {
	woken := false
	for _, t := range k.tasks {
		if t.standsUnsent() && t.ctx.Err() != nil {
			woken = k.notSent(t) || woken
			continue
		}
		inServer := t.state == blocked || t.state == sleeping && t.served
		open := t.state == waiting || inServer || t.state == sleeping && (t.gate.Kind == Sleep || t.gate.Kind == Calling)
		if !open || t.ctx == nil || t.ctx.Err() == nil {
			continue
		}
		woken = true
		if inServer {
			k.overrun(t)
			continue
		}
		t.wake(t.ctx.Err())
		t.queue()
	}
	return woken
}
