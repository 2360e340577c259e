// Package drills is the meeting place: the only one that sees both the engine and the simulation, and the catalogue
// of exercises.
//
//	hunt (a search.Rung) ─ trials ─▶ Campaign ─ orders ─▶ crew ─▶ worker process (one a server) ─▶ bench.run
//	   ▲                                ▲                           │ reset · world · books · fleet
//	   └──────── outcomes ◀─────────────┴─ answers, in their order ◀┤ phase 1: faults
//	                                                                │ phase 2: healed, the operator does what is advised
//	                                                                └ dump · oracles · verdict
//
// A Drill is data: a world, the processes that live in it, the plan of faults, what must hold. run.go takes one
// through the kernel. What an engine process gets is what it gets in production: its Runtime is a sim.Process, its
// pool dials through sim/pg, its ports are answered by sim/world (ports.go). What is simulated differs from production
// in settings.go, and in what sim/pg replaces (recon.now(), recon.server_identity()).
//
// Beside the engine's processes live actors, each only where the plan has a kind of fault that it carries out: the server
// that restarts, fails over and is set back (server.go), the hosts' clocks (hostclock.go), a deploy (deploy.go), a person who
// acts against advice (mistake.go), one who recovers a server that took over (operator.go). instants.go says when they
// are asked. Two kinds of persons who do what is right come by a drill's settings: the desk (desk.go) and the clerk
// (clerk.go). Not drilled are callbacks of the provider: the engine has no inbox for them yet.
//
// The search of each drill lives in the parent: it proposes trials and is told their outcomes in the order in which it
// proposed them, so the same command makes the same lines on however many servers, and a campaign that was interrupted
// goes on from its journal (resume.go). Its own account, what it covered and what it did not look at, ends the campaign.
//
// Authoritative is the journal of events (package reports), and for one run its script: the deviations that it used,
// which replay. A failure and every tenth pass are made again elsewhere (again.go) and compared line by line; a difference
// is the verdict `nondeterministic`, and is never retried. A schema that asks the server for time or chance is refused when
// a bench is opened, and one run of each drill is searched for goroutines that nobody scheduled.
//
// Not promised: that a pass proves anything but that these runs found nothing. A fault that was planned and never bit,
// or an oracle that had nothing to look at, is `vacuous` over 20 runs of a drill or more in which faults were drawn; fewer
// say nothing. An oracle for which nothing happens in a drill (Drill.Blind) is left out. One that does not see what is
// damaged for it (spoil.go) is an `error`.
//
// It fails in two ways only: a *UsageError (nothing was done, exit code 2), and the verdict `error` (exit code 3): a
// server that is gone, a worker that died, a set-up that was refused. Neither is ever green.
package drills
