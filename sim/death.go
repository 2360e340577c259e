package sim

import (
	"context"
	"fmt"
	"slices"
)

// Die ends the process of the task of ctx here: the wire carries out "kill after". It answers ErrKilled.
func (k *Kernel) Die(ctx context.Context, why string) error {
	t, err := k.floor(ctx)
	if err != nil {
		return err
	}
	if !t.killed && t.life != nil {
		k.back <- report{task: t, what: dying, why: why}
		<-t.resume
	}
	return t.dead()
}

// kill ends a life; the host starts the next one when it is due.
func (k *Kernel) kill(p *Process, why string) {
	k.bury(p, "killed", why)
	if h := p.host; h.restartAfter >= 0 {
		k.clock.set(&h.restart, k.Since()+micros(h.restartAfter))
	}
}

// bury ends a life without a next one. First the client ends of its sessions vanish, in order of Attach. Then its
// tasks unwind one by one, before anything else moves, the youngest first: they give back what their elders wait
// for in their deferred calls (a pool closes only when its connections are back).
func (k *Kernel) bury(p *Process, what, why string) {
	p.dead, p.stalled, p.late = true, false, nil
	k.history.add(Entry{Actor: p.Actor(), What: what, Text: why})
	k.at = Gate{Address: Address{p.Actor(), what, 1}, Kind: Event, At: k.Since()}
	k.touched = true
	for _, s := range p.attached() {
		k.Touch(Footprint{All: true}) // a session's transaction ends with it
		s.Abandon()
	}
	k.unwind(p.tasks)
}

func (k *Kernel) unwind(tasks []*Task) {
	for _, t := range slices.Backward(slices.Clone(tasks)) {
		k.clock.drop(&t.timer)
		k.blocked = without(k.blocked, t)
		t.killed = true
		if !t.started {
			k.finish(t, report{err: ErrKilled})
			continue
		}
		switch r := k.give(t); r.what {
		case returned:
			k.finish(t, r)
		case hangs:
			k.hang(r)
		}
	}
}

// finish takes a task out that has ended, and with the main task its process.
func (k *Kernel) finish(t *Task, r report) {
	t.state, t.err = ended, r.err
	k.remove(t)
	if r.panicked != nil {
		k.fail(r.panicked)
	}
	wakeAll(t.joiners)
	t.joiners = nil
	if t.killed {
		return
	}
	k.at = Gate{Address: Address{t.actor, "end", t.places.next("end")}, Kind: Event, At: k.Since()}
	switch p := t.life; {
	case p == nil && r.err != nil:
		k.fail(fmt.Errorf("sim: %s: %w", t.text, r.err))
	case p != nil && p.main == t && !p.dead:
		k.exit(p, r.err)
	}
}

// exit is a boot that returned.
func (k *Kernel) exit(p *Process, err error) {
	how := ""
	if err != nil {
		// Its text names ports, databases and the like, which differ between workers: not for the hash.
		how = "with an error"
		k.bootErrors = append(k.bootErrors, err)
	}
	k.bury(p, "ended", how)
}

func (k *Kernel) remove(t *Task) {
	k.tasks = without(k.tasks, t)
	k.unqueue(t)
	k.leave(t)
	if t.life == nil {
		delete(k.live, t.text)
		return
	}
	t.life.tasks = without(t.life.tasks, t)
	delete(t.life.live, t.actor.Task)
}

// fail makes the run worthless. The first reason stays.
func (k *Kernel) fail(err error) {
	if k.failure == nil {
		k.failure = err
	}
}

// Close ends every task: the processes in order of creation, then the world. Afterwards no goroutine of the run is
// left, unless one hung. What the unwinding does is not history.
func (k *Kernel) Close() {
	if k.closed {
		return
	}
	k.trail.end()
	k.closed, k.history.mute = true, true
	stop := k.watch()
	defer func() { stop(); k.history.mute = false }()
	for _, h := range k.hosts {
		p := h.life
		if p.dead {
			continue
		}
		p.dead = true
		for _, s := range p.attached() {
			s.Abandon()
		}
		k.unwind(p.tasks)
	}
	k.unwind(k.tasks)
	k.clock.heap = nil
}
