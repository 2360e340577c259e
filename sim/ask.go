package sim

import (
	"context"
	"fmt"
)

// Ask decides at a place that is nobody's gate: class c of the n-th time that `at` is asked at this label. It answers one
// of the values, or the zero value, which is the plain one and need not be listed. It adds nothing to the history
// but the deviation.
func (k *Kernel) Ask(at Actor, label string, c Class, values []Value) Value {
	return k.decide(k.place(at, squeeze(label), Event, values, c), c)
}

// Choose decides class c at the gate where the task of ctx stands, at the same address, after Pass has returned: what
// only the caller can ask, because it knows only now what it could carry out. Each class can be chosen once a gate,
// and never what the kernel asks there itself (then, fault, latency). A dead task is answered the zero value.
func (k *Kernel) Choose(ctx context.Context, c Class, values []Value) Value {
	t, err := k.floor(ctx)
	if err != nil || t.killed {
		return Value{}
	}
	if c != Hold && c != Outcome || t.chosen[c] {
		panic(fmt.Sprintf("sim: class %s chosen at %s: want hold or outcome, each once a gate", c, t.gate.Address))
	}
	t.chosen[c] = true
	g := t.gate
	g.Offers = k.offer(values, c)
	return k.decide(g, c)
}

// Tick decides what a clock of the world does at one of its instants, without a task standing there: class fault at
// the bare actor. The zero value is: it fires once, on time.
func (k *Kernel) Tick(actor, label string, offers []Value) Value {
	g := k.place(Bare(actor), squeeze(label), Tick, offers, Fault)
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
	k.trail.outcome(what, plainer(v))
}

// place is where something is decided that is no task's gate. It counts for its actor.
func (k *Kernel) place(a Actor, label string, kind Kind, values []Value, c Class) Gate {
	at := Address{a, label, k.placesOf(a).next(label)}
	return Gate{Address: at, Kind: kind, Offers: k.offer(values, c), At: k.Since()}
}

func (k *Kernel) offer(values []Value, c Class) []Offer {
	k.offers = k.offers[:0]
	for _, v := range values {
		if v != (Value{}) {
			k.offers = append(k.offers, Offer{c, v})
		}
	}
	return k.offers
}

// placesOf counts for an actor, whose name must read back from a script.
func (k *Kernel) placesOf(a Actor) places {
	name := a.String()
	if k.stood[name] == nil {
		if back, err := ParseActor(name); err != nil || back != a {
			panic(fmt.Sprintf("sim: %q can't be the name of an actor: want a word without # and /", name))
		}
		k.stood[name] = places{}
	}
	return k.stood[name]
}
