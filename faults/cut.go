package faults

import "github.com/recondrill/recondrill/sim"

// cut is a connection that breaks: before the statement reached the server, or after the server had carried it out
// and before the client heard. It bites when the client lived on with the broken connection, and, after, when the
// server had answered.
func cut(name, when string) Kind {
	return kind{name: name, accepted: "cut " + when, forms: []form{{class: sim.Fault, words: "cut " + when}},
		bit: func(d sim.Deviation, r run) bool {
			sent := first(r.after(), func(e sim.Entry) bool { return e.What == "statement" && isAt(e, d.At) })
			if sent < 0 {
				return false // it died before it moved
			}
			rest := r.after()[sent+1:]
			answered := some(rest, func(e sim.Entry) bool { return e.What == "answer" && isAt(e, d.At) })
			return answered == (when == "after") && some(rest, func(e sim.Entry) bool {
				return sameLife(e, d.At.Actor) && e.What != "killed" && !isAt(e, d.At)
			})
		}}
}

// commitLate is a COMMIT whose client loses the connection while the bytes are still under way. It bites when they
// landed after the same process had come back over another connection.
func commitLate() Kind {
	return kind{name: "commit-late", accepted: "commit late and a duration like 5s",
		forms: []form{{class: sim.Fault, words: "commit late", duration: positive}},
		bit: func(d sim.Deviation, r run) bool {
			sent := first(r.after(), func(e sim.Entry) bool { return e.What == "statement" && isAt(e, d.At) })
			if sent < 0 {
				return false
			}
			rest := r.after()[sent+1:]
			there := first(rest, func(e sim.Entry) bool { return landed(e, d.At.Label) })
			return there >= 0 && some(rest[:there], func(e sim.Entry) bool {
				return e.What == "statement" && sameLife(e, d.At.Actor)
			})
		}}
}
