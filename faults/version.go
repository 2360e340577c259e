package faults

import "github.com/recondrill/recondrill/sim"

// twoVersions is a process that runs the version before, as in a deploy that has not come to its host. It bites when
// both it and a process of the new version claimed something.
func twoVersions() Kind {
	previous := breaks("version previous")
	return kind{name: "two-versions", forms: []form{previous}, bit: func(d sim.Deviation, r run) bool {
		old := map[string]bool{}
		for _, e := range r.all {
			if e.Deviation != nil && previous.fits(e.Deviation.Value) {
				old[e.Actor.Process] = true
			}
		}
		return some(r.after(), func(e sim.Entry) bool { return claims(e) && e.Actor.Process == d.At.Actor.Process }) &&
			some(r.all, func(e sim.Entry) bool { return claims(e) && !old[e.Actor.Process] })
	}}
}
