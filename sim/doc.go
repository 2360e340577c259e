// Package sim is a deterministic, cooperative kernel: it runs the tasks of many simulated processes one at a time,
// stops each of them at every gate (a statement, a call to the outside, a sleep, a wait, a start) and decides there
// who goes next, what fails, what the outside answers and when time moves. It knows no PostgreSQL, no payments and
// no names of faults: package sim/pg puts a real server under it, sim/world puts an outside around it.
//
// # What is decided, and how it is written down
//
// Everything that is not the plain run is a Deviation: at an Address (actor, label, how often this actor stood
// there), of a Class (then, fault, latency, outcome), a Value. Plain means: the same task goes on until it sleeps or
// blocks, at most K moves, then round robin in order of creation; no fault, the first outcome, no latency. A run is
// its Script, which is the set of its deviations: never a list of indices, so one decision taken away leaves all
// others where they are.
//
// # States of a task
//
//	          spawn                    chosen                    returns
//	(nothing) ─────▶ ready (at a gate) ──────▶ running ─────────────────────▶ ended
//	                   ▲   ▲   ▲                │  │  │
//	                   │   │   └─ timer ─ sleeping ┘  │
//	                   │   └─ set, released ─ waiting ┘
//	                   └─ granted, deadline ─ blocked ┘ (its statement waits inside the server)
//
// Exactly one task runs; it hands the floor back over a channel, and so does the kernel, which gives the race
// detector its happens-before. The clock moves only when nobody may run. Death answers every gate with ErrKilled.
//
// # What is authoritative
//
// The History: one line a move, hashed as it grows. Two runs are the same when their hashes are; Difference names
// the first line in which they part. Pids, pointers, map orders and real time never enter it.
//
// # What it does not promise
//
// A goroutine started with `go` behind the kernel's back is not scheduled (StrayTasks finds those that live long
// enough to be sampled). Code that blocks on anything but a gate hangs the run, which the watchdog then fails: the
// watchdog is the only reader of real time here, and it never decides anything.
//
// # How it fails
//
// Run answers *Stuck (everything waits, no timer), *Livelock (more than S moves at one instant), *Hung (the
// watchdog), *Panicked (a task panicked) or *Stray (a gate was reached by a goroutine that had not the floor).
package sim
