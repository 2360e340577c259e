// Package admission lets ticks in: it turns the slots of a schedule into bounded batches of jobs.
//
//	tick ─▶ slot (from the schedule, never from the clock that ticked) ─▶ Admit: one transaction
//	         night's row locked ─ batch of due windows from its cursor ─ record of the slot ─ next windows ─ cursor
//
// A slot is admitted once, whoever ticks, however often: its row decides, and a second tick gets the first one's
// answer. A tick before its slot waits for it by the database's clock; a slot that nobody ticked for is found by the
// watermark, the schedule's last admitted slot, and admitted late. Policies may drop ticks, never windows: whatever is
// due waits behind the night's cursor until a slot releases it.
//
// An account whose zone does not load keeps its jobs; only its next window is not written, and an alarm says so.
//
// It promises no job at an exact time, and nothing about windows that nobody wrote: each admission writes the next
// window of what it released.
package admission
