package faults

import "github.com/recondrill/recondrill/sim"

// slowDrain is a process that was told to go and goes on for that long, while its successor starts at once. The world
// marks when it was told ("draining") and when it had gone ("drained"). It bites when it still worked with the database
// although another process had claimed something meanwhile.
func slowDrain() Kind {
	return kind{name: "slow-drain", forms: []form{breaksFor("drain")}, bit: func(d sim.Deviation, r run) bool {
		name := d.At.Actor.Process
		stretch := until(behind(r.after(), marked(name, "draining")), marked(name, "drained"))
		stretch = behind(stretch, func(e sim.Entry) bool { return claims(e) && e.Actor.Process != name })
		return some(stretch, func(e sim.Entry) bool { return e.What == "answer" && e.Actor.Process == name })
	}}
}
