package sim

import (
	"context"
	"fmt"
)

// Flag is set once and stays set (the engine calls it Event).
type Flag = interface {
	Set()
	Wait(context.Context) error
}

// Semaphore hands out permits in the order in which they were asked for.
type Semaphore = interface {
	Acquire(context.Context) error
	Release()
}

// flag and semaphore live in the memory of one life, and vanish with it.
type flag struct {
	life    *Process
	label   string
	set     bool
	waiters []*Task
}

// Event makes something that is set once and stays set. Waiting for what is set is no gate.
func (p *Process) Event(name string) Flag { return &flag{life: p, label: "event:" + name} }

func (f *flag) Set() {
	if f.set || f.life.dead {
		return
	}
	f.set = true
	wakeAll(f.waiters)
	f.waiters = nil
}

func (f *flag) Wait(ctx context.Context) error {
	t, err := f.life.k.floor(ctx)
	switch {
	case err != nil:
		return err
	case t.killed:
		return t.dead()
	case f.set:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	f.waiters = append(f.waiters, t)
	err = t.stand(ctx, Gate{Address: Address{Label: f.label}, Kind: Wait}, waiting)
	if err != nil {
		f.waiters = without(f.waiters, t)
	}
	return err
}

type semaphore struct {
	life    *Process
	label   string
	free    int
	all     int
	waiters []*Task
}

// Semaphore makes n permits. A permit given back goes straight to who asked first, so nobody overtakes. Taking one
// that is free is no gate.
func (p *Process) Semaphore(name string, n int) Semaphore {
	return &semaphore{life: p, label: "semaphore:" + name, free: n, all: n}
}

func (s *semaphore) Acquire(ctx context.Context) error {
	t, err := s.life.k.floor(ctx)
	switch {
	case err != nil:
		return err
	case t.killed:
		return t.dead()
	case ctx.Err() != nil:
		return ctx.Err()
	case s.free > 0:
		s.free--
		return nil
	}
	s.waiters = append(s.waiters, t)
	err = t.stand(ctx, Gate{Address: Address{Label: s.label}, Kind: Wait}, waiting)
	if err != nil {
		s.waiters = without(s.waiters, t)
	}
	return err
}

func (s *semaphore) Release() {
	if s.life.dead {
		return // deferred calls of the dead, whose Acquire may have failed
	}
	for len(s.waiters) > 0 {
		t := s.waiters[0]
		s.waiters = s.waiters[1:]
		if t.state == waiting { // else its context ended: it has not yet left the queue
			t.wake(nil)
			return
		}
	}
	if s.free == s.all {
		panic(fmt.Sprintf("sim: %s released more often than acquired", s.label))
	}
	s.free++
}
