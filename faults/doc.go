// Package faults is the vocabulary of what can go wrong: each kind says what it would do at a gate, prints and parses,
// and knows from the history of a run when it has bitten.
//
// A kind bites when its postcondition held, not when it was drawn: a stall that ended before anybody noticed was no
// expired lease, and a timeout after acceptance needs the effect and the caller that got no answer. A drill whose kinds
// never bite over a campaign is vacuous.
//
// What can be carried out stands at the gate (sim.Offer): the kernel offers kills, stalls, suspends and latencies, the wire
// (sim/pg) cuts, ended backends and late bytes, the world outcomes, ticks, callbacks, and what becomes of clocks, of the
// database server and of an operator's hand. A kind picks from these, so it never invents what nobody can carry out. A
// few kinds are facts that nobody decides: two transactions that really collided, a pool that was really empty.
//
// # The kinds
//
//	clocks     duplicate-tick early-tick late-tick missing-tick dst-gap dst-repeat skew wall-step mono-drift database-step
//	processes  crash late-statement same-name slow-drain two-versions stall expired-lease suspend delay answer-late
//	database   cut-before cut-after cut-during commit-lost commit-late completes-anyway not-sent lingering-locks slow-commit
//	           deadlock serialization-failure unique-violation backend-killed pool-exhausted
//	           server-restart read-only lost-tail restore
//	provider   provider-timeout-before provider-timeout-after throttled throttled-bare pending unavailable failed rejected
//	           other-answer key-forgotten truncated-statement empty-statement page-shift
//	           callback-late callback-doubled callback-reordered callback-early callback-nameless
//	channels   channel-timeout-before channel-timeout-after answer-lost contact-invalid bounce outage
//	queue      delayed-ack letters-full poison-message
//	operator   redrive-twice redrive-all approve-stale forgotten-pause
//
// One deviation can be of several kinds: a stall that outlasts a lease is also an expired lease, a callback may be a
// provider's or a channel's receipt. What is unknown to a caller has its three arms as kinds of their own: never
// (cut-before, not-sent, …-timeout-before), already (cut-after, answer-lost, …-timeout-after) and still to come (commit-late,
// late-statement, completes-anyway, …-timeout-after with a later effect).
//
// # Marks
//
// Postconditions outside of processes and database are read from marks (sim.History.Mark) that whoever carried a fault
// out leaves at its bare actor: fired and missed (ticks), effect, gave up, forgot, shifted, down, poisoned (services: the
// place of the call, label/nth), heard, taken, nameless and bounced (callbacks: the place of the act, which time, how far off),
// draining and drained (processes), restarted, standby stopped, failed over, backed up and restored (server), redriven,
// redrove everything, approved stale, paused and unpaused (operator), parked (letters).
//
// # Plans
//
// A Plan is a list of rules (kind, how often, which values, where), one line of text a rule. Plan.Weigh feeds
// sim.Seeded; nothing here draws.
//
//	crash 40 first 2 only kill before at worker-*/* sql:*; letters-full 0; switch 300; most 3
//
// # A new kind
//
// It is one file and one line in Kinds. Its row in naive_test.go says what it breaks: the test runs a deliberately naive
// engine on a real server until this kind alone bites and breaks it, and again without the kind.
package faults
