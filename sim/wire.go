package sim

import "context"

// Backend is a server process whose statement waits for a lock, already stopped by the wire. Session and PID say which.
type Backend struct {
	Session any // comparable
	PID     int
	Name    string
	Foot    Footprint // what the rest of the statement touches; none: what its gate said
	Offers  []Offer   // of class fault: what the wire can carry out while it waits
}

// backend is what backends are told apart by.
type backend struct {
	session any
	pid     int
	name    string
}

func (b Backend) key() backend { return backend{b.Session, b.PID, b.Name} }

// Locks tells which waiting backends have been granted what they wait for. The kernel asks after every move that may
// have freed something, with all that wait in order of blocking; the order of the answer is of no account.
type Locks interface {
	Granted(waiting []Backend) ([]Backend, error)
}

// floor is the task of ctx, which must be the one that runs.
func (k *Kernel) floor(ctx context.Context) (*Task, error) {
	t := TaskOf(ctx)
	if t != nil && t.k == k && k.current.Load() == t {
		return t, nil
	}
	s := &Stray{What: "a gate was reached with a context that carries no task of this run"}
	if t != nil {
		s.What = "a gate was reached as " + t.text + ", which has not the floor"
	}
	k.strayed.CompareAndSwap(nil, s)
	return nil, s
}

// Pass stops the task of ctx at g until it is chosen. It answers the value of class fault that the caller must carry
// out (zero: go on). What the kernel carries out itself never comes back: kill before, stalls, latencies, switches.
// ErrKilled: the process is gone, do nothing. A call's gate (Calling) answers ctx's error when that ended. A
// statement whose ctx ends while it stands here is sent all the same, or it is not (ErrDeadlineNotSent), by decision.
func (k *Kernel) Pass(ctx context.Context, g Gate) (Value, error) {
	t, err := k.floor(ctx)
	if err != nil {
		return Value{}, err
	}
	if t.killed {
		return Value{}, t.dead()
	}
	call := g.Kind == Calling
	if call && ctx.Err() != nil {
		return Value{}, ctx.Err()
	}
	if err := t.stand(ctx, g, ready); err != nil {
		return Value{}, err
	}
	if call && ctx.Err() != nil {
		return Value{}, ctx.Err()
	}
	return t.fault, nil
}

// Block says that the statement of the task of ctx waits inside the server and its backend is stopped. It returns nil
// when the lock was granted and the task chosen: the wire lets the backend go on and reads on. ErrKilled: the
// process died (Abandon was called before). ErrDeadline, ErrDeadlineCompletes: ctx ended. ErrCutWaiting or another
// *WaitBroken: what b offered was decided.
func (k *Kernel) Block(ctx context.Context, b Backend) error {
	t, err := k.floor(ctx)
	if err != nil {
		return err
	}
	if t.killed {
		return t.dead()
	}
	t.backend = b
	label := t.gate.Address.Label
	if t.gate.Kind != Wait {
		label = "wait " + label
	}
	foot := b.Foot
	if foot.Empty() {
		foot = t.gate.Foot
	}
	return t.stand(ctx, Gate{Address: Address{Label: label}, Kind: Wait, Foot: foot, Offers: b.Offers}, blocked)
}

// Note adds the result of a move: text, keys, rows. Actor, time and place are filled in. A task whose process is
// stalled (its backend was granted meanwhile, and went on) stands still here until the stall is over.
func (k *Kernel) Note(ctx context.Context, e Entry) {
	t, err := k.floor(ctx)
	if err != nil || t.killed {
		return
	}
	e.Actor = t.actor
	if e.Label == "" {
		e.Label, e.Nth = t.gate.Address.Label, t.gate.Address.Nth
	}
	k.history.add(e)
	k.trail.outcome(e.What, e.Outcome)
	if t.life != nil && t.life.stalled {
		t.state, t.ctx, t.served = ready, nil, false
		t.hand(paused)
	}
}

// Enter adds a line of whoever is named in it, at the place named in it: what an actor did that is no task, such as a
// server that notices a death.
func (k *Kernel) Enter(e Entry) {
	k.history.add(e)
	k.trail.outcome(e.What, e.Outcome)
}

// grant asks the server who may go on.
func (k *Kernel) grant() {
	if k.config.Locks == nil {
		return
	}
	waiting := make([]Backend, len(k.blocked))
	for i, t := range k.blocked {
		waiting[i] = t.backend
	}
	granted, err := k.config.Locks.Granted(waiting)
	if err != nil {
		k.fail(err)
		return
	}
	have := make(map[backend]bool, len(granted))
	for _, b := range granted {
		have[b.key()] = true
	}
	still := k.blocked[:0]
	for _, t := range k.blocked {
		if !have[t.backend.key()] {
			still = append(still, t)
			continue
		}
		t.wake(nil)
		t.served = true
		k.history.add(Entry{Actor: t.actor, What: "granted", Label: t.gate.Address.Label, Nth: t.gate.Address.Nth})
		k.slow(t)
	}
	k.blocked = still
}

// slow decides how late a backend that was granted its lock goes on. It is the server that is slow: a pause of the client
// does not touch it, and a deadline finds it still waiting.
func (k *Kernel) slow(t *Task) {
	if len(k.grants) == 0 {
		return
	}
	if d, ok := k.delay(t, k.grants); ok {
		t.state, t.latent = sleeping, micros(d)
		t.timer.life, t.timer.own = nil, false
		k.clock.set(&t.timer, k.Since()+t.latent)
	}
}

var completesAnyway = []Offer{{Outcome, Value{"completes", "anyway"}}}

// overrun decides what becomes of a statement that waits in the server while its context ends: its cancel arrives, or
// it completes anyway.
func (k *Kernel) overrun(t *Task) {
	at := Address{t.actor, "deadline", t.places.next("deadline")}
	answer, text := ErrDeadline, "cancelled"
	if v := k.decide(Gate{Address: at, Kind: t.gate.Kind, Detail: t.gate.Detail, Offers: completesAnyway, At: k.Since()}, Outcome); v != (Value{}) {
		answer, text = ErrDeadlineCompletes, v.String()
	}
	k.history.add(Entry{Actor: t.actor, What: "deadline", Label: t.gate.Address.Label, Nth: t.gate.Address.Nth, Text: text})
	k.blocked = without(k.blocked, t)
	t.wake(answer)
	t.queue()
}

// breakWait carries out what the wire offered while a statement waits in the server: it goes on at once, with an error.
func (k *Kernel) breakWait(t *Task, v Value) {
	k.blocked = without(k.blocked, t)
	if v == cutWaiting {
		t.wake(ErrCutWaiting)
	} else {
		t.wake(&WaitBroken{v})
	}
	t.gate.Foot = Footprint{All: true}
}

var cutWaiting = Value{"cut", "waiting"}

// standsUnsent says that t is at the gate of a statement that is not on the wire yet.
func (t *Task) standsUnsent() bool {
	return t.gate.Kind == Statement && (t.state == ready || t.state == sleeping) && t.ctx != nil && !t.unsent
}

var notSentOffer = []Offer{{Outcome, Value{"not", "sent"}}}

// notSent decides what becomes of a statement whose context ends before it is on the wire, once: it goes out all the
// same, or it never does and its client is told so.
func (k *Kernel) notSent(t *Task) bool {
	t.unsent = true
	at := Address{t.actor, "deadline", t.places.next("deadline")}
	v := k.decide(Gate{Address: at, Kind: Statement, Detail: t.gate.Detail, Offers: notSentOffer, At: k.Since()}, Outcome)
	if v == (Value{}) {
		return false
	}
	k.history.add(Entry{Actor: t.actor, What: "deadline", Label: t.gate.Address.Label, Nth: t.gate.Address.Nth, Text: v.String()})
	t.wake(ErrDeadlineNotSent)
	t.queue()
	return true
}
