package faults

import (
	"strings"
	"time"

	"github.com/recondrill/recondrill/sim"
)

// A callback is what a service tells us by itself of an act that happened there: a provider's webhook, a channel's
// receipt. What becomes of it is decided at `SERVICE callback PLACE`, where PLACE is the act's own decision. The world
// marks when we heard it ("heard": PLACE, which time, how far off its time), and that we took it ("taken").

const callbackLabel = "callback "

func isCallback(a sim.Address) bool { return strings.HasPrefix(a.Label, callbackLabel) }

// told is the act that a callback tells of.
func told(d sim.Deviation) string { return strings.TrimPrefix(d.At.Label, callbackLabel) }

func callback(name string, f form, bit func(d sim.Deviation, r run) bool) Kind {
	return kind{name: name, at: isCallback, forms: []form{f}, bit: bit}
}

// callbackLate comes after its time.
func callbackLate() Kind {
	return callback("callback-late", breaksFor("callback late"), func(d sim.Deviation, r run) bool {
		return some(r.after(), heard(d, func(_ int, off time.Duration) bool { return off > 0 }))
	})
}

// callbackDoubled comes again although it had been taken.
func callbackDoubled() Kind {
	return callback("callback-doubled", breaksFor("callback doubled"), func(d sim.Deviation, r run) bool {
		once := behind(r.after(), heard(d, func(n int, _ time.Duration) bool { return n == 0 }))
		return some(once, heard(d, func(n int, _ time.Duration) bool { return n == 1 }))
	})
}

// callbackReordered comes after another one of its service whose time was later.
func callbackReordered() Kind {
	return callback("callback-reordered", breaksFor("callback reordered"), func(d sim.Deviation, r run) bool {
		last := time.Duration(-1) // the latest time of another one heard so far
		for _, e := range r.after() {
			what, _, off, ok := delivery(e.Text)
			switch {
			case e.What != "heard" || e.Actor.Process != d.At.Actor.Process || !ok:
			case what == told(d):
				return last > e.At-off
			default:
				last = max(last, e.At-off)
			}
		}
		return false
	})
}

// callbackNameless comes without its id, and later as it should be.
func callbackNameless() Kind {
	return callback("callback-nameless", breaksFor("callback nameless"), func(d sim.Deviation, r run) bool {
		return some(r.after(), markOf(d, "nameless"))
	})
}

// callbackEarly comes at the very instant of the act. It bites when we heard it before its caller had committed what it
// was answered.
func callbackEarly() Kind {
	return callback("callback-early", breaks("callback early"), func(d sim.Deviation, r run) bool {
		done := first(r.all, markOf(d, "effect"))
		if done < 0 {
			return false
		}
		caller, ok := callerOf(d, r.all[:done])
		before := untilCommit(caller, r.all, done)
		return ok && some(before, heard(d, func(int, time.Duration) bool { return true }))
	})
}

// delayedAck is a callback that we took and whose sender did not learn of it in time, so that it comes again.
func delayedAck() Kind {
	return callback("delayed-ack", breaksFor("ack late"), func(d sim.Deviation, r run) bool {
		taken := behind(r.after(), markOf(d, "taken"))
		return some(taken, heard(d, func(n int, _ time.Duration) bool { return n > 0 }))
	})
}

// bounce is a receipt that says that the message came back. It bites when we were told so.
func bounce() Kind {
	return callback("bounce", breaks("bounced"), func(d sim.Deviation, r run) bool {
		return some(r.after(), markOf(d, "bounced"))
	})
}

// markOf finds the marks of this word that the service left for the act that a callback tells of.
func markOf(d sim.Deviation, what string) func(sim.Entry) bool {
	return func(e sim.Entry) bool {
		return e.What == what && e.Actor.Process == d.At.Actor.Process && e.Text == told(d)
	}
}

// heard finds the marks of a callback's arrivals.
func heard(d sim.Deviation, holds func(n int, off time.Duration) bool) func(sim.Entry) bool {
	return func(e sim.Entry) bool {
		what, n, off, ok := delivery(e.Text)
		return ok && e.What == "heard" && e.Actor.Process == d.At.Actor.Process && what == told(d) && holds(n, off)
	}
}

// callerOf is who made the call that a callback tells of: the last one that stood at its gate before it happened.
func callerOf(d sim.Deviation, list []sim.Entry) (sim.Actor, bool) {
	label := told(d)
	label = "call:" + d.At.Actor.Process + " " + label[:max(0, strings.LastIndexByte(label, '/'))]
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].What == "call" && list[i].Label == label {
			return list[i].Actor, true
		}
	}
	return sim.Actor{}, false
}

// untilCommit are the entries from an index to the next commit of an actor.
func untilCommit(a sim.Actor, list []sim.Entry, from int) []sim.Entry {
	b := newBooks()
	for i, e := range list {
		if e.Actor == a && b.see(e) && i > from {
			return list[from:i]
		}
	}
	return list[from:]
}
