// Package delivery brings intents to their contacts: one worker a channel, isolated from the others, and it never
// calls the payment provider.
//
//	ready ─claim─▶ leased ─transaction 1─▶ submitting ─COMMIT known─▶ Send ─transaction 2─▶ sent | rejected | unknown
//	                  └─▶ suppressed | held | ready                        surely not sent ─▶ ready | dead | parked
//	unknown ─look-up, or the same key while it is remembered─▶ sent | rejected | ready | submitting; else a person
//
// What is authoritative is the stored intent: its state, its key and the bytes that its first submission fixed. No
// transaction is open during a call, and no call begins before the COMMIT of `submitting` is known and unless the
// whole call fits into what is left of the lease, by this process's monotonic clock. A lease that ends in a call
// makes the intent unknown; it is never sent again blindly.
//
// The bytes belong to the key. Before the first submission under a key, what was paid meanwhile is dropped and the
// text rendered anew. After a submission that surely sent nothing, the same bytes go out again under the same key,
// except where a covered invoice ended meanwhile: then the next act number, a new key, gets new text.
//
// It does not promise that a message is sent (a channel may refuse, a doubt may hold it for a person), nor "not paid
// when it arrived": the promise is not paid when submission began.
package delivery
