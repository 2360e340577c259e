// Package sim is a deterministic, cooperative kernel: it runs the tasks of many simulated processes one at a time,
// stops each of them at every gate (a statement, a call to the outside, a sleep, a wait, a start) and decides there
// who goes next, what fails, what the outside answers and when time moves. It knows no PostgreSQL, no payments and
// no names of faults: package sim/pg puts a real server under it, sim/world puts an outside around it.
//
// # What is decided, and how it is written down
//
// Everything that is not the plain run is a Deviation: at an Address (actor, label, how often this actor stood
// there), of a Class (then, fault, latency, outcome, hold), a Value. Plain means: the same task goes on until it sleeps
// or blocks, at most K moves, then round robin in order of creation; no fault, the first outcome, no latency, nothing
// held back. A run is its Script, which is the set of its deviations: never a list of indices, so one decision taken
// away leaves all others where they are. A Shrinker takes away what a failure does not need.
//
// At a gate the kernel asks by itself, in this order and each once: fault and latency when a task arrives, then who
// moves. Whoever passes the gate can offer faults there (Gate.Offers, Backend.Offers) and choose what is held (Choose);
// what is decided where no task stands, for a clock of the world or a server that notices a death, is asked (Ask, Tick).
//
// # States of a task
//
//	          spawn                    chosen                    returns
//	(nothing) ─────▶ ready (at a gate) ──────▶ running ─────────────────────▶ ended
//	                   ▲   ▲   ▲                  │  │  │
//	                   │   │   └─ timer ── sleeping  │  │
//	                   │   └─ set, released ── waiting  │
//	                   └─ granted, deadline, cut ─ blocked (its statement waits inside the server)
//
// Exactly one task runs; it hands the floor back over a channel, and so does the kernel, which gives the race
// detector its happens-before. The clock moves only when nobody may run, or where it was chosen (Config.Clock). Death
// answers every gate with ErrKilled. A process that is stalled or suspended stands still with all its tasks, wherever
// they stand, but not with its backends; suspended, its monotonic clock stands still as well.
//
// # Whose time it is
//
// There is one true time, the world's (Kernel.Now). A host's wall clock can be skewed and stepped, its monotonic clock
// drifts and stands still while the process is suspended, and the database's clock can be stepped (ServerNow). Timers of
// a process go by its monotonic clock. A context that ends while its statement stands at a gate or waits in the server
// has arms to decide: not sent or sent all the same, cancelled or completed anyway.
//
// # What is authoritative
//
// The History: one line a move, hashed as it grows. Two runs are the same when their hashes are; Difference names
// the first line in which they part. Pids, pointers, map orders and real time never enter it.
//
// The fingerprint says less: in which order the moves were made that could notice each other, by their footprints, and
// what came of them. It counts how many runs are really different, and a search looks at footprints (History.Moves,
// Gate.Standing) to leave out orders that are the same. Both are as good as the footprints: one that leaves something
// out makes two runs look alike that are not. What has none touches nothing outside its process; moves of the world
// touch all of the world.
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
