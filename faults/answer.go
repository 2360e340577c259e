package faults

import "github.com/recondrill/recondrill/sim"

// answer is a service that says plainly that it will not, or not yet. It bites when the call was answered so: the
// outcome is in the history.
func answer(name, words string, lasts bool) Kind {
	f, accepted := form{class: sim.Outcome, words: words}, words
	if lasts {
		f.duration, accepted = positive, words+" and a duration like 5s"
	}
	return kind{name: name, forms: []form{f}, accepted: accepted, bit: func(d sim.Deviation, r run) bool {
		return some(r.after(), func(e sim.Entry) bool { return e.What == "outcome" && isAt(e, d.At) })
	}}
}
