package sim

import (
	"cmp"
	"slices"
	"time"
)

// stall makes the whole process stand still for d. Its mono runs on; its timers that come due meanwhile fire after.
func (k *Kernel) stall(p *Process, d time.Duration) {
	until := k.Since() + d
	if p.dead || p.stalled && until <= p.until {
		return
	}
	p.stalled, p.until = true, until
	k.clock.set(&p.wake, until)
	k.history.add(Entry{Actor: p.Actor(), What: "stalled", Text: Seconds(d)})
}

// resume ends a stall and fires what came due in it, in that order.
func (p *Process) resume() {
	p.k.clock.drop(&p.wake)
	p.stalled = false
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

// Heal begins the second phase: from here on every decision is the plain one, stalls and latencies end at once, and
// what was still to come (Later) lands at once, in the order in which it was due.
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
		if t.latent {
			t.wake(nil)
		}
	}
	slices.SortFunc(k.later, func(a, b *timer) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.seq, b.seq))
	})
	for _, t := range k.later {
		k.clock.set(t, k.Since())
	}
}
