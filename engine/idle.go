package engine

import (
	"context"
	"sync"
	"time"
)

// Idle is the wait of a worker that found nothing to do: for a while, until it is woken because something it may
// wait for was committed in this process, or until its drain begins.
type Idle struct {
	rt       Runtime
	mu       sync.Mutex // never held over a wait
	wake     func()     // ends the wait that is under way; nil where none is
	woken    bool       // since the last wait: the next one returns at once
	draining bool
}

// NewIdle makes one for one worker.
func NewIdle(rt Runtime) *Idle { return &Idle{rt: rt} }

// Follow watches drain until stop, which waits for the watching task to end. The name must be unique in the process.
func (i *Idle) Follow(ctx context.Context, name string, drain Event) (stop func()) {
	watch, cancel := i.rt.WithCancel(ctx)
	task := i.rt.Spawn(watch, name, func(ctx context.Context) error {
		if err := drain.Wait(ctx); err != nil {
			return err
		}
		i.mu.Lock()
		i.draining = true
		i.mu.Unlock()
		i.Wake()
		return nil
	})
	return func() {
		cancel()
		_ = task.Wait(ctx)
	}
}

// Draining says whether the drain has begun: claim nothing more, hand back what is only leased.
func (i *Idle) Draining() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.draining
}

// Wake ends the wait, or spares the next one. Anyone may call it, any number of times.
func (i *Idle) Wake() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.woken = true
	if i.wake != nil {
		i.wake()
	}
}

// Wait waits for d at most. It returns an error only when ctx is over.
func (i *Idle) Wait(ctx context.Context, d time.Duration) error {
	wait, cancel := i.rt.WithCancel(ctx)
	defer cancel()
	i.mu.Lock()
	woken := i.woken || i.draining
	i.woken = false
	i.wake = cancel
	i.mu.Unlock()
	if !woken {
		_ = i.rt.Sleep(wait, d)
	}
	i.mu.Lock()
	i.wake, i.woken = nil, false
	i.mu.Unlock()
	return ctx.Err()
}
