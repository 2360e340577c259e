// Package advice tells the one safe act for a record: pure functions from facts (the record, its neighbours, the
// outside's terms, the database's time) to an Act, why, and what would do harm instead.
//
// What is authoritative is the stored record; the facts are a copy of one version of it, and the advice carries that
// version so that an act on a record that moved meanwhile is refused.
//
// The rule behind every answer: unknown means stop. What may have acted is never made to act again except by a
// look-up, by the same key while the outside surely still knows it, or by a person. A state that surely did not act
// (parked, dead, rejected) may be redriven. While the engine itself will move a record, the advice is to wait.
//
// It does not promise that the record can still move when the act arrives (the version check does), and it knows no
// policy: limits and caps reach it as facts.
package advice
