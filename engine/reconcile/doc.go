// Package reconcile turns a job into an envelope, and an approved correction into a refund.
//
//	claim ─▶ begin ─▶ Provider.Statement ─▶ parse ─▶ whole? ─▶ load the books ─▶ match ─▶ plan ─▶ FinishJob
//	          │            │ not ready yet        │ no                                      │
//	          │            └──── handed back, nothing burnt ◀─────┘                          └ one transaction, fenced
//	          └ from here on a claim without an answer is a crash
//
// The provider is read with no transaction open, and what is computed from it is pure (plan.go, proposal.go,
// reminder.go). What is authoritative is the database: a plan made from books that moved meanwhile is refused by
// FinishJob (postgres.ErrStale) and made again.
//
// How it ends: done · handed back (drain, pending, throttled, the database away: no attempt burnt) · retried after a
// back-off (the provider failed, the statement does not read: one attempt) · dead or parked (the attempts are spent,
// or too many processes died of it) · review (the answer can be read and not judged). A lost lease ends everything at
// once and touches nothing.
//
// It promises no order between accounts, and never sends a reminder: it only makes them eligible.
package reconcile
