package faults

import "github.com/recondrill/recondrill/sim"

// otherAnswer is a service that once did what a key asks for, and answers the same key otherwise now. It bites when the
// act had happened before and this call was answered.
func otherAnswer() Kind {
	return kind{name: "other-answer", forms: []form{answers("other answer")}, bit: func(d sim.Deviation, r run) bool {
		return effect(d, r.before()) && saidSo(d, r)
	}}
}

// keyForgotten is a service that remembers keys for a while only. It bites when the act happened again, or when the key
// of an act was forgotten whose caller had no answer ("forgot" marks it): whoever asks again now does it again.
func keyForgotten() Kind {
	return forgotten{kind{name: "key-forgotten", forms: []form{answers("key forgotten")}, bit: func(d sim.Deviation, r run) bool {
		return effect(d, r.before()) && some(r.after(), at(d, "effect"))
	}}}
}

type forgotten struct{ kind }

func (forgotten) came(list []sim.Entry) bool {
	unknown := map[string]bool{} // service and act
	return some(list, func(e sim.Entry) bool {
		act := e.Actor.Process + " " + e.Text
		unknown[act] = unknown[act] || e.What == "gave up"
		return e.What == "forgot" && unknown[act]
	})
}
