package sim

import (
	"cmp"
	"slices"
	"time"
)

// pause makes the whole process stand still for d. Stalled, its mono runs on and its timers that come due meanwhile
// fire after. Suspended (a laptop closed, a virtual machine frozen), its mono stands still too, so its timers are due
// as much later.
func (k *Kernel) pause(p *Process, d time.Duration, suspend bool) {
	until := k.Since() + d
	if p.dead || p.stalled && until <= p.until {
		return
	}
	what := "stalled"
	if suspend {
		what = "suspended"
		p.freeze(until)
	}
	p.stalled, p.until = true, until
	k.clock.set(&p.wake, until)
	k.history.add(Entry{Actor: p.Actor(), What: what, Text: Seconds(d)})
}

// freeze lets the monotonic clock go on only at an instant, later or earlier than was meant before.
func (p *Process) freeze(until time.Duration) {
	from := max(p.k.Since(), p.mark)
	p.mono, p.mark = p.Mono(), until
	p.k.clock.each(p, func(t *timer) { t.at += until - from })
}

// resume ends a pause and fires what came due in it, in that order.
func (p *Process) resume() {
	now := p.k.Since()
	p.k.clock.drop(&p.wake)
	p.stalled = false
	if p.mark > now {
		p.freeze(now)
	}
	p.k.history.add(Entry{Actor: p.Actor(), What: "resumed"})
	late := p.late
	p.late = nil
	for _, t := range late {
		if t.late {
			t.late = false
			t.due()
		}
	}
}

// Heal begins the second phase: from here on every decision is the plain one, pauses and latencies end at once, and
// what was still to come (Later) lands at once, in the order in which it was due. What a latency was added to goes on:
// a sleep lasts as long as it was meant to. Clocks stay as they are set.
func (k *Kernel) Heal() {
	if k.healed {
		return
	}
	k.healed, k.decider = true, nil
	k.history.add(Entry{Actor: Bare("kernel"), What: "healed"})
	for _, h := range k.hosts {
		if h.life.stalled {
			h.life.resume()
		}
	}
	for _, t := range k.tasks {
		k.hurry(t)
	}
	slices.SortFunc(k.later, func(a, b *timer) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.seq, b.seq))
	})
	for _, t := range k.later {
		k.clock.set(t, k.Since())
	}
}

// hurry takes the latency away from where a task sleeps.
func (k *Kernel) hurry(t *Task) {
	if t.latent == 0 {
		return
	}
	if meant := t.timer.at - t.latent; t.gate.Kind == Sleep && meant > k.Since() {
		t.latent = 0
		k.clock.set(&t.timer, meant)
		return
	}
	t.wake(nil)
}
