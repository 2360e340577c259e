// Package faults is the vocabulary of what can go wrong: each kind says what it would do at a gate, prints and parses,
// and knows from the history of a run when it has bitten.
//
// A kind bites when its postcondition held, not when it was drawn: a stall that ended before anybody noticed was no
// expired lease, and a timeout after acceptance needs the effect and the caller that got no answer. A drill whose kinds
// never bite over a campaign is vacuous.
//
// What can be carried out stands at the gate (sim.Offer): the wire offers cuts and late statements, the world offers
// outcomes and ticks, the kernel offers kills, stalls and latencies. A kind picks from these, so it never invents
// what nobody can carry out.
//
// A Plan is a list of rules (kind, how often, which values, where), one line of text a rule. Plan.Weigh feeds
// sim.Seeded; nothing here draws.
package faults
