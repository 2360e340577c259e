package faults

import "github.com/recondrill/recondrill/sim"

// cut is a connection that breaks: before the statement reached the server, or after the server had carried it out
// and before the client heard.
func cut(name, when string) Kind {
	return kind{name: name, forms: []form{breaks("cut " + when)}, bit: broken}
}

// commitLost is a COMMIT whose client can't know whether it happened: it never did, or it did and the answer is lost.
func commitLost() Kind {
	return kind{name: "commit-lost", forms: []form{breaks("cut before"), breaks("cut after")}, bit: broken,
		at: func(a sim.Address) bool { return a.Label == "sql:commit" }}
}

// backendKilled is a backend that an administrator ends: before it was asked, or when it had answered.
func backendKilled() Kind {
	return kind{name: "backend-killed", forms: []form{breaks("terminated before"), breaks("terminated after")}, bit: broken}
}

// broken bites when the client lived on with the broken connection, and when the server had answered exactly where the
// value says after.
func broken(d sim.Deviation, r run) bool {
	sent := behind(r.after(), func(e sim.Entry) bool { return e.What == "statement" && isAt(e, d.At) })
	return answered(sent, d.At) == (d.Value.Arg == "after") && livedOn(sent, d)
}

// livedOn: the life did something else behind its deviation. Before it moved there is no list.
func livedOn(list []sim.Entry, d sim.Deviation) bool {
	return some(list, func(e sim.Entry) bool {
		return sameLife(e, d.At.Actor) && e.What != "killed" && e.Deviation == nil && !isAt(e, d.At)
	})
}

// cutDuring is a connection that breaks while its statement waits in the server. It bites when the client went on with
// another one.
func cutDuring() Kind {
	return kind{name: "cut-during", forms: []form{breaks("cut waiting")}, bit: func(d sim.Deviation, r run) bool {
		waits := some(r.all, func(e sim.Entry) bool { return e.What == "blocked" && isAt(e, d.At) })
		return waits && some(r.after(), func(e sim.Entry) bool { return e.What == "statement" && sameLife(e, d.At.Actor) })
	}}
}

// commitLate is a COMMIT whose client loses the connection while the bytes are still under way. It bites when they
// landed after the same process had come back over another connection.
func commitLate() Kind {
	return kind{name: "commit-late", forms: []form{breaksFor("commit late")}, bit: func(d sim.Deviation, r run) bool {
		rest := behind(r.after(), func(e sim.Entry) bool { return e.What == "statement" && isAt(e, d.At) })
		there := first(rest, func(e sim.Entry) bool { return landed(e, d.At.Label) })
		return there >= 0 && some(rest[:there], func(e sim.Entry) bool {
			return e.What == "statement" && sameLife(e, d.At.Actor)
		})
	}}
}
