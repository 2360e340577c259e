package sim

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// World starts a task of the world under a bare name. It is never killed, stalled or delayed. An error it returns
// ends the run: the outside is ours, and what it could not do would be missing from every verdict.
func (k *Kernel) World(name string, run func(ctx context.Context) error) {
	k.outsider(name, Gate{Address: Address{Label: "start"}, Kind: Start}, run)
}

// outsider makes a task of the world. A second one of a name at the same time is name/2.
func (k *Kernel) outsider(name string, start Gate, run func(ctx context.Context) error) *Task {
	actor := Bare(name)
	if text := free(k.live, name, "/"); text != name {
		actor.Task = text[len(name)+1:]
	}
	t := k.newTask(actor, nil, k.placesOf(actor), start)
	t.run, t.root = run, context.WithValue(context.Background(), taskKey{}, t)
	return t
}

// placesOf counts for an actor of the world, whose name must read back from a script.
func (k *Kernel) placesOf(a Actor) places {
	name := a.String()
	if k.outside[name] == nil {
		if back, err := ParseActor(name); err != nil || back != a {
			panic(fmt.Sprintf("sim: %q can't be the name of an actor of the world: want a word without # and /", a.Process))
		}
		k.outside[name] = places{}
	}
	return k.outside[name]
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
		k.clock.set(&t.timer, k.Since()+micros(d))
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

// Later starts a task of the world (a late statement, a late COMMIT) after delay, at the latest when the run is
// healed. It stops at the gate `actor label` before do, which may Pass and Block with its context.
func (k *Kernel) Later(actor, label string, delay time.Duration, do func(ctx context.Context)) {
	tm := &timer{}
	tm.due = func() {
		k.later = slices.DeleteFunc(k.later, func(o *timer) bool { return o == tm })
		t := k.outsider(actor, Gate{Address: Address{Label: label}, Kind: Statement, Detail: "late"},
			func(ctx context.Context) error { do(ctx); return nil })
		t.queue()
	}
	if k.healed {
		delay = 0
	}
	k.later = append(k.later, tm)
	k.clock.set(tm, k.Since()+micros(max(delay, 0)))
}

// Call is a call of a task to the outside. Label starts with the business's key, Detail is what is hashed beside it.
type Call struct {
	Actor, Label, Detail string
	Outcomes             []Value                            // what can be decided here; the zero value is the plain outcome
	Do                   func(outcome Value, now time.Time) // the effect: once, at the instant of the call; may be nil
}

// Call stops the task of ctx at the gate "call:Actor Label", then decides the outcome at "Actor Label", then lets Do
// have its effect. It answers the outcome; ErrKilled if the process died (before the effect or, by "kill after",
// after it); ctx's error if ctx ended before the effect.
func (k *Kernel) Call(ctx context.Context, c Call) (Value, error) {
	label := squeeze(c.Label)
	fault, err := k.Pass(ctx, Gate{Address: Address{Label: "call:" + c.Actor + " " + label}, Kind: Calling, Detail: c.Detail, Offers: afterCall})
	if err != nil {
		return Value{}, err
	}
	g := k.outsideGate(c.Actor, label, Calling, c.Outcomes, Outcome)
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

// Tick decides what a clock of the world does at one of its instants, without a task standing there: class fault at
// the bare actor. The zero value is: it fires once, on time.
func (k *Kernel) Tick(actor, label string, offers []Value) Value {
	g := k.outsideGate(actor, squeeze(label), Tick, offers, Fault)
	v := k.decide(g, Fault)
	k.note("tick", g, v)
	return v
}

func (k *Kernel) note(what string, g Gate, v Value) {
	text := v.String()
	if text == "" {
		text = "plain"
	}
	k.history.add(Entry{Actor: g.Address.Actor, What: what, Label: g.Address.Label, Nth: g.Address.Nth, Text: text})
}

func (k *Kernel) outsideGate(actor, label string, kind Kind, values []Value, c Class) Gate {
	k.offers = k.offers[:0]
	for _, v := range values {
		if v != (Value{}) {
			k.offers = append(k.offers, Offer{c, v})
		}
	}
	a := Bare(actor)
	at := Address{a, label, k.placesOf(a).next(label)}
	return Gate{Address: at, Kind: kind, Offers: k.offers, At: k.Since()}
}
