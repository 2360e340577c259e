package engine

import (
	"context"
	"time"
)

// Runtime is a process's only way to time, chance and order. Nothing in the engine starts, waits or draws
// otherwise, so that the same engine runs under the kernel of package sim and on real hardware.
type Runtime interface {
	// Now is this host's wall clock: for logs and headers, never for what is due (that is recon.now()).
	Now() time.Time
	// Mono is this host's monotonic clock since the process started: it judges our own leases.
	Mono() time.Duration
	// ID is unique and unordered; never an identity of a record or a key that leaves.
	ID() [16]byte
	// Sleep waits for d, or until ctx is over and then returns its error.
	Sleep(ctx context.Context, d time.Duration) error
	// Spawn starts a task; whoever spawns must Wait. The name is unique among the tasks of a process that live at
	// one time; a task for one record is named by the record's business key.
	Spawn(ctx context.Context, name string, run func(context.Context) error) Task
	// WithCancel and WithTimeout replace those of package context, whose timers know no simulated clock.
	WithCancel(ctx context.Context) (context.Context, context.CancelFunc)
	WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc)
	// Event makes something that is set once and stays set.
	Event(name string) Event
	// Semaphore makes n permits; 1 is the mutex.
	Semaphore(name string, n int) Semaphore
}

// The three literals are spelled the same in package sim: an alias of an interface literal lets two packages
// share an interface without seeing each other.
type (
	// Task is a spawned task; Wait returns what it returned, or the error of ctx.
	Task = interface {
		Wait(context.Context) error
	}
	// Event wakes all who wait.
	Event = interface {
		Set()
		Wait(context.Context) error
	}
	// Semaphore hands out permits in the order in which they were asked for.
	Semaphore = interface {
		Acquire(context.Context) error
		Release()
	}
)
