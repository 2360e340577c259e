package node

import (
	"context"
	"crypto/rand"
	"runtime/pprof"
	"sync"
	"time"

	"github.com/recondrill/recondrill/engine"
)

// Runtime is the real one: this host's clocks, goroutines and chance.
type Runtime struct {
	started time.Time
}

var _ engine.Runtime = (*Runtime)(nil)

// NewRuntime starts the monotonic clock.
func NewRuntime() *Runtime { return &Runtime{started: time.Now()} }

// Now is this host's wall clock, in UTC.
func (r *Runtime) Now() time.Time { return time.Now().UTC() }

// Mono is the time since NewRuntime by the monotonic clock.
func (r *Runtime) Mono() time.Duration { return time.Since(r.started) }

// ID is random.
func (r *Runtime) ID() (id [16]byte) {
	_, _ = rand.Read(id[:]) // never fails; it ends the process itself where there is no chance to be had
	return id
}

// Sleep waits for d, or until ctx is over.
func (r *Runtime) Sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

type task struct {
	done chan struct{}
	err  error // written before done is closed
}

// Spawn starts a goroutine that profiles show under its name.
func (r *Runtime) Spawn(ctx context.Context, name string, run func(context.Context) error) engine.Task {
	t := &task{done: make(chan struct{})}
	go func() {
		defer close(t.done)
		pprof.Do(ctx, pprof.Labels("task", name), func(ctx context.Context) { t.err = run(ctx) })
	}()
	return t
}

func (t *task) Wait(ctx context.Context) error {
	select {
	case <-t.done:
		return t.err
	case <-ctx.Done():
	}
	select { // a task that has ended is told of rather than the context
	case <-t.done:
		return t.err
	default:
		return ctx.Err()
	}
}

// WithCancel is the standard one.
func (r *Runtime) WithCancel(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithCancel(ctx)
}

// WithTimeout is the standard one.
func (r *Runtime) WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, d)
}

type event struct {
	once sync.Once
	set  chan struct{}
}

// Event is not set yet.
func (r *Runtime) Event(string) engine.Event { return &event{set: make(chan struct{})} }

func (e *event) Set() { e.once.Do(func() { close(e.set) }) }

func (e *event) Wait(ctx context.Context) error {
	select {
	case <-e.set:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

type semaphore chan struct{}

// Semaphore serves who waits in the order of asking, as channels do.
func (r *Runtime) Semaphore(_ string, n int) engine.Semaphore { return make(semaphore, n) }

func (s semaphore) Acquire(ctx context.Context) error {
	select {
	case s <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s semaphore) Release() { <-s }
