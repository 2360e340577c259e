// Package world is what stands outside the engine: cron hosts, a payment provider, message channels, and payers.
// Each keeps its own truth, which nothing in the engine ever sees; Truth is what oracles judge by.
//
// # What is authoritative
//
// The provider's rows (its balance transactions) and the messages that reached a contact. The books are only what our
// ledger is told before a run: the provider's truth with the planted differences. Doubles show by business identity
// (two refunds of one payment, one text twice to one contact), never by a key: a double under a new key is a double.
//
// # Where it comes from
//
// Everything generated is a function of (seed, name), never the next draw of a stream: taking an invoice away moves no
// other. From exported statements (Setup.Statements) the files are the truth, and the planted differences are what a
// plain comparison of the two files finds (compare.go), which shares no code with the engine.
//
// # Calls
//
// A call is one gate of the caller's task, one outcome decision of the service, and at most one effect:
//
//	         ┌ accepted ─────────── effect now, the answer arrives
//	call ────┼ timeout, no effect          ┐
//	         ├ timeout, effect now         ├ the caller waits for its own deadline and learns nothing
//	         ├ timeout, effect later 45s   ┘
//	         ├ throttled · failed · rejected ── surely no effect
//	         └ pending ──────────── effect later, the answer says so
//
// A timeout is as long as the caller's virtual deadline: the world never says "timeout" before.
// Marks in the history say what became of it: "effect" (label/nth) when something really happened, "gave up" when a
// living caller was left without an answer.
//
// # What it does not promise
//
// The provider refuses a refund above its payment, but not a second one: the damage of a double must be visible in
// money instead of being prevented by luck.
package world
