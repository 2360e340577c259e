package faults

import (
	"strconv"
	"strings"
	"time"

	"github.com/recondrill/recondrill/sim"
)

// tick is a clock outside that fires twice, early, late or never. The world marks how each firing really came
// ("fired": slot, number, how far off) and what did not come ("missed").
func tick(name, verb, mark string, holds func(n int, off time.Duration) bool) Kind {
	f := form{class: sim.Fault, words: verb, duration: positive}
	accepted := verb + " and a duration like 40s"
	if verb == "missing" {
		f.duration, accepted = none, verb
	}
	isTick := func(a sim.Address) bool { return strings.HasPrefix(a.Label, "tick ") }
	return kind{name: name, forms: []form{f}, at: isTick, accepted: accepted, bit: func(d sim.Deviation, r run) bool {
		slot := strings.TrimPrefix(d.At.Label, "tick ")
		return some(r.after(), func(e sim.Entry) bool {
			words := strings.Fields(e.Text)
			if e.What != mark || e.Actor.Process != d.At.Actor.Process || len(words) == 0 || words[0] != slot {
				return false
			}
			if mark == "missed" {
				return true
			}
			if len(words) != 3 {
				return false
			}
			n, errN := strconv.Atoi(words[1])
			off, errOff := time.ParseDuration(words[2])
			return errN == nil && errOff == nil && holds(n, off)
		})
	}}
}
