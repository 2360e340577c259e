package sim

import "context"

// Backend is a server process whose statement waits for a lock, already stopped by the wire. It is compared with ==.
type Backend struct {
	Session any
	PID     int
	Name    string
}

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
// ErrKilled: the process is gone, do nothing. A call's gate (Calling) answers ctx's error when that ended; a
// statement's does not, for it is on its way.
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
// process died (Abandon was called before). ErrDeadline, ErrDeadlineCompletes: ctx ended.
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
	return t.stand(ctx, Gate{Address: Address{Label: label}, Kind: Wait}, blocked)
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
	if t.life != nil && t.life.stalled {
		t.state, t.ctx, t.served = ready, nil, false
		t.hand(paused)
	}
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
	have := make(map[Backend]bool, len(granted))
	for _, b := range granted {
		have[b] = true
	}
	still := k.blocked[:0]
	for _, t := range k.blocked {
		if !have[t.backend] {
			still = append(still, t)
			continue
		}
		t.wake(nil)
		t.served = true
		k.history.add(Entry{Actor: t.actor, What: "granted", Label: t.gate.Address.Label, Nth: t.gate.Address.Nth})
	}
	k.blocked = still
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
