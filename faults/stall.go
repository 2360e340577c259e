package faults

import (
	"slices"
	"strings"
	"time"

	"github.com/recondrill/recondrill/sim"
)

// stall is a process that stands still and does not know it. It bites when somebody else moved on meanwhile and it
// came back to a world that had changed.
func stall() Kind {
	return kind{name: "stall", accepted: "stall and a duration like 120s",
		forms: []form{{class: sim.Fault, words: "stall", duration: positive}},
		bit: func(d sim.Deviation, r run) bool {
			stalled := first(r.after(), func(e sim.Entry) bool { return e.What == "stalled" && sameLife(e, d.At.Actor) })
			if stalled < 0 {
				return false
			}
			rest := r.after()[stalled:]
			resumed := first(rest, func(e sim.Entry) bool { return e.What == "resumed" && sameLife(e, d.At.Actor) })
			return resumed >= 0 && some(rest[:resumed], func(e sim.Entry) bool {
				return e.What == "answer" && e.Actor.Process != d.At.Actor.Process
			})
		}}
}

// expiredLease is a stall, or a delay at one gate, that outlives the lease of a holder that lives. It bites when
// another process claimed what the holder still believed to be its own.
func expiredLease() Kind {
	return kind{name: "expired-lease", accepted: "a duration like 91s, or stall and one",
		forms: []form{{class: sim.Latency, duration: positive}, {class: sim.Fault, words: "stall", duration: positive}},
		bit: func(d sim.Deviation, r run) bool {
			held := holds(d.At.Actor, r.before())
			until := r.all[r.at].At + length(d.Value)
			rest := r.after()
			if dead := killed(rest, d.At.Actor); dead >= 0 {
				rest = rest[:dead]
			}
			return some(rest, func(e sim.Entry) bool {
				return e.At <= until && claims(e) && e.Actor.Process != d.At.Actor.Process && takesAny(held, e.Keys)
			})
		}}
}

// holds are the records a life believes to be its own: what each of its tasks claimed last, for a task claims again
// only when it is done, less what others have claimed since.
func holds(a sim.Actor, list []sim.Entry) map[string]sim.Actor {
	held := map[string]sim.Actor{} // by key: the task that claimed it
	for _, e := range list {
		if e.What != "answer" || !strings.HasPrefix(e.Label, "sql:Claim") {
			continue
		}
		for key, by := range held {
			if by == e.Actor || slices.Contains(e.Keys, key) {
				delete(held, key)
			}
		}
		for _, key := range e.Keys {
			if sameLife(e, a) {
				held[key] = e.Actor
			}
		}
	}
	return held
}

func takesAny(held map[string]sim.Actor, keys []string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { _, ok := held[key]; return ok })
}

// outlasts says that a value of expired-lease is longer than the lease: shorter ones are no fault of this kind.
func outlasts(v sim.Value, lease time.Duration) bool { return length(v) > lease }
