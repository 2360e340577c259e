package faults

import (
	"strings"

	"github.com/recondrill/recondrill/sim"
)

const provider = "provider"

// Calls that act are labelled with what they do; a channel is whoever sends.
func isProvider(a sim.Address) bool { return a.Actor.Process == provider }
func isChannel(a sim.Address) bool {
	return a.Actor.Process != provider && strings.HasPrefix(a.Label, "send(")
}

// timeoutBefore is a call that was never carried out and whose caller cannot know. It bites when the caller gave up
// and nothing of this act had happened until then.
func timeoutBefore(name string, at func(sim.Address) bool) Kind {
	return kind{name: name, at: at, forms: []form{answers("timeout, no effect")}, bit: func(d sim.Deviation, r run) bool {
		lost := gaveUp(d, r)
		return lost >= 0 && !effect(d, r.all[:r.at+1+lost])
	}}
}

// timeoutAfter is a call that was, or will be, carried out although its caller got no answer.
func timeoutAfter(name string, at func(sim.Address) bool) Kind {
	return kind{name: name, at: at, bit: doneUnknown,
		forms: []form{answers("timeout, effect now"), {sim.Outcome, "timeout, effect later", positive}}}
}

// answerLost is a call that was carried out and whose connection broke at once.
func answerLost() Kind {
	return kind{name: "answer-lost", forms: []form{answers("answer lost")}, bit: doneUnknown}
}

// doneUnknown bites when the caller gave up and the act is true at the other end, at that time or later.
func doneUnknown(d sim.Deviation, r run) bool { return gaveUp(d, r) >= 0 && effect(d, r.all) }

// gaveUp is when the living caller of this very call was left without an answer.
func gaveUp(d sim.Deviation, r run) int { return first(r.after(), at(d, "gave up")) }

// effect: this act (the same label: the same business key and idempotency key) happened, by whichever call.
func effect(d sim.Deviation, list []sim.Entry) bool {
	return some(list, func(e sim.Entry) bool {
		return e.What == "effect" && e.Actor.Process == d.At.Actor.Process && strings.HasPrefix(e.Text, d.At.Label+"/")
	})
}
