package faults

import "github.com/recondrill/recondrill/sim"

// answer is a service that says plainly that it will not, or not yet, or says too little.
func answer(name, words string) Kind {
	return kind{name: name, forms: []form{answers(words)}, bit: saidSo}
}

// throttled is a service that says when to come again (Retry-After); throttled-bare does not.
func throttled() Kind {
	return kind{name: "throttled", forms: []form{{sim.Outcome, "throttled", positive}}, bit: saidSo}
}

// saidSo bites when the call was answered so: the outcome is in the history.
func saidSo(d sim.Deviation, r run) bool {
	return some(r.after(), func(e sim.Entry) bool { return e.What == "outcome" && isAt(e, d.At) })
}

// pageShift is a list that moves while it is read page by page. It bites when a row was missed or came twice: then the
// world marks it ("shifted").
func pageShift() Kind {
	return kind{name: "page-shift", forms: []form{answers("page shift")}, bit: func(d sim.Deviation, r run) bool {
		return some(r.after(), at(d, "shifted"))
	}}
}

// at finds the service's own mark about the very call that a deviation decided.
func at(d sim.Deviation, what string) func(sim.Entry) bool {
	return func(e sim.Entry) bool {
		return e.What == what && e.Actor.Process == d.At.Actor.Process && e.Text == place(d.At)
	}
}
