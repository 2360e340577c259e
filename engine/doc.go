// Package engine has the nouns, ports and tables of recondrill's engine: what an account, a window, an invoice, a
// statement row, a break, a job, an intent and a correction are; the states the last three may be in, and every exit
// of those states; what the outside promises (Terms) and what a call to it came to (Outcome); and Runtime, a
// process's only way to time, chance and order.
//
//	tick → admission → job → reconcile ─┬─ correction → submitting → provider
//	                                    └─ intent     → submitting → channel → receipt
//
// It imports the standard library only, and everything else under engine/ imports it. Nothing here acts: decisions
// are pure functions in ledger, calendar, match and advice; acts are in admission, reconcile and delivery; what is
// authoritative is the database behind package postgres.
//
// Money is integer minor units with the exponent of the provider that stated it. A parse never yields a silent zero:
// what is not written as an amount is an error that names what would be accepted.
//
// It promises no exactly-once: a call outside may stay unknown, and then the tables here make the record stop.
package engine
