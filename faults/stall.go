package faults

import (
	"strings"
	"time"

	"github.com/recondrill/recondrill/sim"
)

// stall is a process that stands still and does not know it. It bites when somebody else moved on meanwhile and it
// came back to a world that had changed.
func stall() Kind {
	return kind{name: "stall", forms: []form{breaksFor("stall")}, bit: func(d sim.Deviation, r run) bool {
		_, still, back := stood(d, r, "stalled")
		return back && some(still, func(e sim.Entry) bool { return e.What == "answer" && e.Actor.Process != d.At.Actor.Process })
	}}
}

// suspend is a host that sleeps: its process stands still, and so does its monotonic clock. It bites when the lease was
// over for the database while its holder's own clock stood where it had been: another process claimed what it held.
func suspend() Kind {
	return kind{name: "suspend", forms: []form{breaksFor("suspend")}, bit: func(d sim.Deviation, r run) bool {
		before, still, back := stood(d, r, "suspended")
		return back && lost(d.At.Actor, before, still)
	}}
}

// stood finds the stretch in which a process stood still, what was before it, and whether the process came back.
func stood(d sim.Deviation, r run, what string) (before, still []sim.Entry, back bool) {
	of := func(what string) func(sim.Entry) bool {
		return func(e sim.Entry) bool { return e.What == what && sameLife(e, d.At.Actor) }
	}
	stands := first(r.after(), of(what))
	if stands < 0 {
		return nil, nil, false
	}
	rest := r.after()[stands:]
	still = until(rest, of("resumed"))
	return r.all[:r.at+1+stands], still, len(still) < len(rest)
}

// expiredLease is a stall, or a delay at one gate, that outlives the lease of a holder that lives. It bites when
// another process claimed what the holder still believed to be its own.
func expiredLease() Kind {
	return kind{name: "expired-lease", at: isGate, forms: []form{{sim.Latency, "", positive}, breaksFor("stall")}, bit: func(d sim.Deviation, r run) bool {
		over := r.all[r.at].At + d.Value.Duration()
		during := alive(until(r.after(), func(e sim.Entry) bool { return e.At > over }), d.At.Actor)
		return lost(d.At.Actor, r.before(), during)
	}}
}

// outlasts says that a lease is over after a value of expired-lease: it is in the instant in which it ends. Shorter ones are
// no fault of this kind.
func outlasts(v sim.Value, lease time.Duration) bool { return v.Duration() >= lease }

// delay is a task that stands at a gate although it could go on. It bites when the database answered somebody else
// meanwhile.
func delay() Kind {
	return kind{name: "delay", at: isGate, forms: []form{{sim.Latency, "", positive}, {class: sim.Latency, words: "next timer"}}, bit: func(d sim.Deviation, r run) bool {
		start := r.all[r.at].At
		went := first(r.after(), func(e sim.Entry) bool { return e.Deviation == nil && isAt(e, d.At) && e.At > start })
		return went >= 0 && some(r.after()[:went], func(e sim.Entry) bool { return e.What == "answer" && e.Actor != d.At.Actor })
	}}
}

// answerLate is an answer of the database that is long on its way. It bites when the database answered somebody else meanwhile,
// and the task went on by an answer that was old: one that nobody waited for any more was heard by nobody.
func answerLate() Kind {
	return kind{name: "answer-late", forms: []form{breaksFor("answer late")}, bit: func(d sim.Deviation, r run) bool {
		given := behind(r.after(), func(e sim.Entry) bool { return e.What == "answer" && isAt(e, d.At) })
		back := first(given, func(e sim.Entry) bool { return e.What == "statement" && e.Actor == d.At.Actor })
		gaveUp := func(e sim.Entry) bool {
			return e.What == "sleep" && e.Actor == d.At.Actor && strings.Contains(e.Text, "ended by")
		}
		return back >= 0 && !some(given[:back], gaveUp) &&
			some(given[:back], func(e sim.Entry) bool { return e.What == "answer" && e.Actor != d.At.Actor })
	}}
}

// isGate: a task stands here, while what the server notices late is no task's.
func isGate(a sim.Address) bool { return a.Label != noticed }
