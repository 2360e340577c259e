package sim

import (
	"runtime"
	"time"
)

// watch starts the watchdog of a Run and answers what stops it. It only looks whether the floor came back since it
// last looked, so it costs a move nothing; and it can only fail a run, never decide anything in it.
func (k *Kernel) watch() (stop func()) {
	done, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		ticker := time.NewTicker(k.config.Watchdog)
		defer ticker.Stop()
		for seen := int64(-1); ; {
			select {
			case <-done:
				return
			case <-ticker.C:
			}
			given := k.given.Load()
			if given == seen && k.current.Load() != nil {
				k.alarm(given)
			}
			seen = given
		}
	}()
	return func() { close(done); <-gone }
}

// alarm ends the kernel's waiting for the floor, if it still waits for this very move.
func (k *Kernel) alarm(given int64) {
	dump := make([]byte, 1<<20)
	dump = dump[:runtime.Stack(dump, true)]
	select {
	case k.back <- report{what: hangs, given: given, why: string(dump)}:
	default: // the floor is just coming back
	}
}

// hang gives up on the task that has the floor. Its goroutine is left behind.
func (k *Kernel) hang(r report) {
	r.task.hung = true
	k.remove(r.task)
	k.fail(&Hung{Actor: r.task.actor, After: k.config.Watchdog, Dump: r.why})
}
