package faults

import (
	"time"

	"github.com/recondrill/recondrill/sim"
)

// SkewLabel is where a host's skew is decided: Kernel.Tick(process, SkewLabel, Skews(…)) before its first boot.
const SkewLabel = "skew"

// Skews are the offers of a host's wall clock: ahead and behind by each duration.
func Skews(by ...time.Duration) []sim.Value {
	var all []sim.Value
	for _, d := range by {
		all = append(all, sim.Value{Verb: "skew", Arg: sim.Seconds(d)}, sim.Value{Verb: "skew", Arg: sim.Seconds(-d)})
	}
	return all
}

// SkewOf reads what was decided; zero where nothing was.
func SkewOf(v sim.Value) time.Duration { return length(v) }

// skew is a host whose wall clock is wrong. It bites when that process claimed or admitted something: when it could
// have used the wrong time.
func skew() Kind {
	return kind{name: "skew", accepted: "skew and a duration like 90s or -90s",
		forms: []form{{class: sim.Fault, words: "skew", duration: signed}},
		bit: func(d sim.Deviation, r run) bool {
			return some(r.after(), func(e sim.Entry) bool {
				return e.Actor.Process == d.At.Actor.Process && (claims(e) || admits(e))
			})
		}}
}
