package faults

import (
	"time"

	"github.com/recondrill/recondrill/sim"
)

// SkewLabel is where a host's skew is decided: Kernel.Tick(process, SkewLabel, Skews(…)) before its first boot.
const SkewLabel = "skew"

// Skews are the offers of a host's wall clock: ahead and behind by each duration.
func Skews(by ...time.Duration) []sim.Value { return bothWays("skew", "", by) }

// SkewOf reads what was decided; zero where nothing was.
func SkewOf(v sim.Value) time.Duration { return v.Duration() }

// WallSteps are the offers of a host whose wall clock jumps, at any instant.
func WallSteps(by ...time.Duration) []sim.Value { return bothWays("wall", "step ", by) }

// DatabaseSteps are the offers of a database whose clock jumps.
func DatabaseSteps(by ...time.Duration) []sim.Value { return bothWays("database", "step ", by) }

func bothWays(verb, words string, by []time.Duration) []sim.Value {
	var all []sim.Value
	for _, d := range by {
		all = append(all, sim.Value{Verb: verb, Arg: words + sim.Seconds(d)}, sim.Value{Verb: verb, Arg: words + sim.Seconds(-d)})
	}
	return all
}

// skew is a host whose wall clock is wrong from the start.
func skew() Kind { return wrongTime("skew", "skew", hostUsed) }

// wallStep is a host whose wall clock jumps.
func wallStep() Kind { return wrongTime("wall-step", "wall step", hostUsed) }

// databaseStep is a database server whose clock jumps.
func databaseStep() Kind {
	return wrongTime("database-step", "database step", func(sim.Entry, sim.Deviation) bool { return true })
}

// wrongTime bites when somebody who has the clock claimed or admitted something: when the wrong time could be used.
func wrongTime(name, words string, used func(e sim.Entry, d sim.Deviation) bool) Kind {
	return kind{name: name, forms: []form{{sim.Fault, words, signed}}, bit: func(d sim.Deviation, r run) bool {
		return some(r.after(), func(e sim.Entry) bool { return usesTime(e) && used(e, d) })
	}}
}

func hostUsed(e sim.Entry, d sim.Deviation) bool { return e.Actor.Process == d.At.Actor.Process }
