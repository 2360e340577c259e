package sim

import (
	"runtime/debug"
	"time"
)

// happening is why a task gave the floor back.
type happening uint8

const (
	parked   happening = iota // it stands at a gate
	paused                    // it stands at the end of a move, because its process is stalled
	returned                  // it ended
	dying                     // its process shall end here
	hangs                     // the watchdog says that it does not come back
)

// report is what comes with the floor.
type report struct {
	task     *Task
	what     happening
	err      error
	panicked *Panicked
	why      string
	given    int64 // the watchdog's: which move hangs
}

var (
	killBefore = Value{"kill", "before"}
	killAfter  = Value{"kill", "after"}
	nextTimer  = Value{"next", "timer"}
)

// move lets t go on from its gate to its next one.
func (k *Kernel) move(t *Task) {
	k.stats.Moves++
	k.instant++
	k.unqueue(t)
	k.trail.begin(t)
	if t.fault == killBefore {
		k.kill(t.life, "before "+t.gate.Address.String())
		return
	}
	if !t.silent {
		g := &t.gate
		k.touched = k.touched || g.Kind == Statement || t.served
		if g.Kind == Statement && t.answer == nil {
			k.stats.Statements++
		}
		text := g.Detail
		if t.answer != nil {
			text += " ended by: " + t.answer.Error()
		}
		k.history.add(Entry{Actor: t.actor, What: g.Kind.String(), Label: g.Address.Label, Nth: g.Address.Nth, Text: text})
	}
	t.silent = false
	if t.event != nil {
		k.finish(t, t.happen())
		return
	}
	k.receive(k.give(t))
}

// happen carries out an event of the world, in the kernel's own goroutine.
func (t *Task) happen() (r report) {
	defer func() {
		if v := recover(); v != nil {
			r.panicked = &Panicked{Actor: t.actor, Value: v, Stack: string(debug.Stack())}
		}
	}()
	t.state = running
	t.event()
	return r
}

// give hands the floor to t and answers what it came back with.
func (k *Kernel) give(t *Task) report {
	t.state = running
	given := k.given.Add(1)
	k.current.Store(t)
	if t.started {
		t.resume <- struct{}{}
	} else {
		t.started = true
		t.resume = make(chan struct{}, 1)
		go t.main()
	}
	r := <-k.back
	// What a task that was given up sends late, and an alarm about an earlier move, concern nobody any more.
	for r.task != t && r.given != given {
		r = <-k.back
	}
	r.task = t
	k.current.Store(nil)
	return r
}

func (k *Kernel) receive(r report) {
	t := r.task
	switch r.what {
	case parked:
		k.at = t.gate
		k.ask(t)
	case paused:
		t.silent = true
	case returned:
		k.finish(t, r)
	case dying:
		k.kill(t.life, r.why)
	case hangs:
		k.hang(r)
	}
}

// ask decides, once a gate, what breaks here and how long the task stands here. Nobody breaks the world's own tasks.
func (k *Kernel) ask(t *Task) {
	if t.state != ready || t.gate.Kind == Sleep {
		// It sleeps, blocks, or yields: somebody else goes on.
		k.leave(t)
	}
	waits := t.state == blocked
	if waits {
		k.blocked = append(k.blocked, t)
		k.history.add(Entry{Actor: t.actor, What: "blocked", Label: t.gate.Address.Label, Nth: t.gate.Address.Nth})
	}
	if k.decider == nil {
		return
	}
	k.askFault(t)
	if !waits && (t.state == ready || t.state == sleeping) {
		k.askLatency(t)
	}
}

// leave ends the run of moves of t.
func (k *Kernel) leave(t *Task) {
	if k.sticky == t {
		k.sticky = nil
	}
}

func (k *Kernel) askFault(t *Task) {
	if t.life == nil {
		return
	}
	g := t.gate
	k.offers = append(append(k.offers[:0], g.Offers...), k.faults...)
	g.Offers = k.offers
	switch v := k.decide(g, Fault); {
	case v == Value{}:
	case v.Verb == "stall", v.Verb == "suspend":
		if d, ok := duration(v.Arg); ok {
			k.pause(t.life, micros(d), v.Verb == "suspend")
		}
	case v == killBefore && t.state != ready:
		// Where it would only sleep or wait it dies while it does.
		k.kill(t.life, "at "+g.Address.String())
	case t.state == blocked:
		k.breakWait(t, v)
	default:
		t.fault = v
	}
}

func (k *Kernel) askLatency(t *Task) {
	late := t.gate.Kind == Statement // bytes on the wire are slow as well
	if len(k.latencies) == 0 || t.life == nil && !late {
		return
	}
	d, ok := k.delay(t, k.latencies)
	if !ok {
		return
	}
	from := k.Since()
	if t.state == sleeping {
		from = t.timer.at
	} else {
		t.timer.own = false
	}
	t.state, t.latent = sleeping, micros(d)
	k.leave(t)
	k.clock.set(&t.timer, from+t.latent)
}

// delay decides how long t stands at its gate though it could go on.
func (k *Kernel) delay(t *Task, offers []Offer) (time.Duration, bool) {
	g := t.gate
	g.Offers = offers
	v := k.decide(g, Latency)
	if next := k.clock.next(); v == nextTimer && next != nil {
		return next.at - k.Since(), true
	}
	return duration(v.Verb)
}

// decide asks the decider and records what deviates. What is not offered is the plain value.
func (k *Kernel) decide(g Gate, c Class) Value {
	if k.decider == nil || k.closed {
		return Value{}
	}
	v := k.decider.Decide(g, c)
	if v == (Value{}) || !g.Offered(c, v) {
		return Value{}
	}
	d := Deviation{At: g.Address, Class: c, Value: v}
	k.history.Used = append(k.history.Used, d)
	k.history.add(Entry{Actor: d.At.Actor, What: "deviation", Label: d.At.Label, Nth: d.At.Nth, Deviation: &d})
	return v
}
