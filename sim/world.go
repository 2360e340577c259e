package sim

import (
	"context"
	"slices"
	"time"
)

// World starts a task of the world under a bare name. It is never killed, stalled or delayed. An error it returns
// ends the run: the outside is ours, and what it could not do would be missing from every verdict.
func (k *Kernel) World(name string, run func(ctx context.Context) error) {
	k.outsider(name, Gate{Address: Address{Label: "start"}, Kind: Start}, run)
}

// worldFoot is what a move of the world touches where nothing else is said.
var worldFoot = Footprint{Writes: []string{"world"}}

// outsider makes a task of the world. A second one of a name at the same time is name/2.
func (k *Kernel) outsider(name string, start Gate, run func(ctx context.Context) error) *Task {
	actor := Bare(name)
	if text := free(k.live, name, "/"); text != name {
		actor.Task = text[len(name)+1:]
	}
	t := k.newTask(actor, nil, start)
	t.run, t.root = run, context.WithValue(context.Background(), taskKey{}, t)
	return t
}

// SleepUntil lets a task sleep until the world's time is t, or until ctx is over and then answers its error.
func (k *Kernel) SleepUntil(ctx context.Context, t time.Time) error {
	return k.sleep(ctx, t.Sub(k.Now()))
}

// SleepWorld lets a task sleep for d.
func (k *Kernel) SleepWorld(ctx context.Context, d time.Duration) error { return k.sleep(ctx, d) }

func (k *Kernel) sleep(ctx context.Context, d time.Duration) error {
	t, err := k.floor(ctx)
	switch {
	case err != nil:
		return err
	case t.killed:
		return t.dead()
	case ctx.Err() != nil:
		return ctx.Err()
	}
	s := ready
	if d > 0 {
		s = sleeping
		k.setOwn(&t.timer, d)
	}
	return t.stand(ctx, Gate{Address: Address{Label: "sleep"}, Kind: Sleep, Detail: Seconds(micros(d))}, s)
}

// After lets something happen outside when d is over: a late effect, a receipt. It is a move of its own, at the gate
// `actor name`; do runs in the kernel and must not reach a gate.
func (k *Kernel) After(actor string, d time.Duration, name string, do func(now time.Time)) {
	k.clock.set(&timer{due: func() {
		t := k.outsider(actor, Gate{Address: Address{Label: name}, Kind: Event}, nil)
		t.event = func() { do(k.Now()) }
		t.queue()
	}}, k.Since()+micros(max(d, 0)))
}

// Late is something that comes to the server when its sender may be gone: a late statement, a late COMMIT.
type Late struct {
	Actor, Label string
	Delay        time.Duration
	Foot         Footprint // what it touches when it lands
	Do           func(ctx context.Context)
}

// Later is Land of something that may touch anything.
func (k *Kernel) Later(actor, label string, delay time.Duration, do func(ctx context.Context)) {
	k.Land(Late{Actor: actor, Label: label, Delay: delay, Foot: Footprint{All: true}, Do: do})
}

// Land starts a task of the world after l's delay, at the latest when the run is healed. It stops at the gate
// `actor label` before l.Do, which may Pass and Block with its context.
func (k *Kernel) Land(l Late) {
	tm := &timer{}
	tm.due = func() {
		k.later = slices.DeleteFunc(k.later, func(o *timer) bool { return o == tm })
		t := k.outsider(l.Actor, Gate{Address: Address{Label: l.Label}, Kind: Statement, Detail: "late", Foot: l.Foot},
			func(ctx context.Context) error { l.Do(ctx); return nil })
		t.queue()
	}
	if k.healed {
		l.Delay = 0
	}
	k.later = append(k.later, tm)
	k.clock.set(tm, k.Since()+micros(max(l.Delay, 0)))
}

// Call is a call of a task to the outside. Label starts with the business's key, Detail is what is hashed beside it.
type Call struct {
	Actor, Label, Detail string
	Foot                 Footprint                          // what it touches outside; empty: all of the world
	Outcomes             []Value                            // what can be decided here; the zero value is the plain outcome
	Do                   func(outcome Value, now time.Time) // the effect: once, at the instant of the call; may be nil
}

// Call stops the task of ctx at the gate "call:Actor Label", then decides the outcome at "Actor Label", then lets Do
// have its effect. It answers the outcome; ErrKilled if the process died (before the effect or, by "kill after",
// after it); ctx's error if ctx ended before the effect.
func (k *Kernel) Call(ctx context.Context, c Call) (Value, error) {
	label := squeeze(c.Label)
	foot := c.Foot
	if foot.Empty() {
		foot = worldFoot
	}
	fault, err := k.Pass(ctx, Gate{Address: Address{Label: "call:" + c.Actor + " " + label}, Kind: Calling, Detail: c.Detail, Offers: afterCall, Foot: foot})
	if err != nil {
		return Value{}, err
	}
	g := k.place(Bare(c.Actor), label, Calling, c.Outcomes, Outcome)
	v := k.decide(g, Outcome)
	k.note("outcome", g, v)
	if c.Do != nil {
		c.Do(v, k.Now())
	}
	if fault == killAfter {
		return v, k.Die(ctx, "after call:"+c.Actor+" "+label)
	}
	return v, nil
}

var afterCall = []Offer{{Fault, killAfter}}
