// Package node is one running process of the engine: which parts it runs, how it starts, beats and ends.
//
//	Run ─┬─ admission   slots → jobs                 ─┐
//	     ├─ reconcile   jobs → envelopes              │ woken in process by what one of the others committed
//	     ├─ refund      approved corrections          │
//	     ├─ email sms push   one worker each, isolated┘
//	     ├─ heartbeat   says that what we leased is still worked on
//	     └─ maintenance held intents whose reason is gone; conservation counted twice before it alarms
//
// Drain hands back what is only leased, finishes what is submitting, and deregisters the process, so that others take
// over at once. Dying does none of that and needs none: the heartbeat stops, the leases end.
//
// A process whose heartbeat fails for longer than its leases last stops everything it does, because others have taken
// over; it starts its parts again when it is heard again. Each claim is guarded on its own besides (its StopAt, its
// fence), so nothing here is trusted for safety.
//
// runtime.go is the real engine.Runtime, and the only file of the engine that names time.Now, go and rand.
package node
