// Package drills is the meeting place: the only one that sees both the engine and the simulation, and the catalogue
// of exercises.
//
//	Campaign ─ orders ─▶ crew ─▶ worker process (one a server) ─▶ bench.run
//	   ▲                                                            │ reset · world · books · fleet
//	   └───────────── answers, in (drill, seed) order ◀─────────────┤ phase 1: faults
//	                                                                │ phase 2: healed, the operator does what is advised
//	                                                                └ dump · oracles · verdict
//
// A Drill is data: a world, the processes that live in it, the plan of faults, what must hold. run.go takes one
// through the kernel. What an engine process gets is what it gets in production: its Runtime is a sim.Process, its
// pool dials through sim/pg, its ports are answered by sim/world (ports.go). What is simulated differs from production
// in settings.go, in the server's name (sameIdentity in bench.go) and in what sim/pg replaces (recon.now()).
//
// Authoritative is the journal of events (package reports), and for one run its script: the seed's deviations, which
// replay. A failure and every tenth pass are made again after other runs and compared line by line; a difference is
// the verdict `nondeterministic`, and is never retried.
//
// Not promised: that a pass proves anything but that these seeds found nothing. A fault that was planned and never bit,
// or an oracle that had nothing to look at, is `vacuous` over a campaign of 20 runs or more; fewer say nothing.
//
// It fails in two ways only: a *UsageError (nothing was done, exit code 2), and the verdict `error` (exit code 3): a
// server that is gone, a worker that died, a set-up that was refused. Neither is ever green.
package drills
