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
//	         ├ answer lost ──────── effect now, the connection breaks at once
//	call ────┼ timeout, no effect          ┐
//	         ├ timeout, effect now         ├ the caller waits for its own deadline and learns nothing
//	         ├ timeout, effect later 45s   ┘
//	         ├ throttled (how long, or not a word) · failed · rejected · contact invalid ── surely no effect
//	         ├ outage 300s · poison ───────── surely no effect, now and whenever it is asked meanwhile
//	         ├ other answer ──────── a key that was accepted is refused: no new effect, and the old one stands
//	         └ pending ──────────── effect later, the answer says so
//
// A timeout is as long as the caller's virtual deadline: the world never says "timeout" before. Questions (statements,
// look-ups) time out, are throttled and meet outages too; a statement may besides be truncated, empty, or read while its
// pages shifted, and never claims to be whole then. Keys are forgotten when their retention is over, never before: a
// service that broke that promise would leave no caller a safe act.
//
// The receipt of a message is decided once, at `callback PLACE` of its channel, PLACE being the act it tells of: late,
// doubled, overtaken, before the call has its answer, taken and brought again, or telling of a bounce.
//
// # Marks
//
// Marks in the history say what became of a decision, for the fault kinds to judge whether it bit: "effect" PLACE when
// something really happened, "gave up" PLACE when a living caller was left without an answer, "forgot" PLACE when the
// retention of such a key is over, "down" and "poisoned" PLACE for each call refused, "shifted" PLACE, "heard" PLACE N OFF
// for each arrival of a receipt (N before it, OFF after its time), "taken" and "bounced" PLACE, "fired" and "missed" SLOT.
//
// # Footprints
//
// A call touches what it names, as world:SERVICE/THING: the account or the contact, and the key. It reads "world", which
// all that the world does of itself writes, so that it never trades places with a late effect or the end of an outage.
//
// # What it does not promise
//
// The provider refuses a refund above its payment, but not a second one: the damage of a double must be visible in
// money instead of being prevented by luck.
package world
