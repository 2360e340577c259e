package world

import (
	"time"

	"github.com/recondrill/recondrill/sim"
)

// What can be decided about a call that acts, beside the plain acceptance.
const (
	noEffect       = "timeout, no effect"
	effectNow      = "timeout, effect now"
	effectLater    = "timeout, effect later"
	answerLost     = "answer lost"
	throttled      = "throttled" // alone, or with how long to wait
	otherAnswer    = "other answer"
	contactInvalid = "contact invalid"
	outage         = "outage"
	poison         = "poison"
)

// pendingFor is how long a pending act takes to become final.
const pendingFor = 10 * time.Minute

// outcomes are what can be decided about an act. Effects that come later come after the longest call, and a look-up sees
// them before the settling time is over: that is what the settling time promises.
func outcomes(t Terms) []sim.Value {
	seen := t.Settling - t.LookUpLag
	soon := t.CallTimeout + min(15*time.Second, (seen-t.CallTimeout)/3)
	late := seen - (seen-t.CallTimeout)/4
	all := []sim.Value{{}, value(noEffect), value(effectNow), value(effectLater + " " + sim.Seconds(soon.Truncate(time.Second))),
		value(effectLater + " " + sim.Seconds(late.Truncate(time.Second))), value(throttled + " 5s"), value(throttled + " 120s"),
		value("failed"), value("rejected")}
	if t.LookUp {
		all = append(all, value("pending"))
	}
	return append(all, value(answerLost), value(throttled), value(outage+" 300s"), value(outage+" 1200s"))
}

// offers are what can be decided about this act now: nothing while the service ails, another answer only where there
// was one.
func (s *service) offers(r request) []sim.Value {
	if s.down(s.w.k.Now()) || s.poisoned[r.label] {
		return nil
	}
	all := append(s.acting[:len(s.acting):len(s.acting)], r.also...)
	if k := s.remembered(r.key, s.w.k.Now()); k != nil && k.answer.Kind == "accepted" {
		all = append(all, value(otherAnswer))
	}
	return all
}

// foot is what a call touches outside: what it names of this service, and all that the world does by itself (late
// effects, receipts, outages that end), for which it counts as a reader.
func (s *service) foot(things ...string) sim.Footprint {
	f := sim.Footprint{Reads: []string{"world"}}
	for _, thing := range things {
		f = f.With(sim.Footprint{Writes: []string{"world:" + s.name + "/" + thing}})
	}
	return f
}

func value(text string) sim.Value {
	v, err := sim.ParseValue(text)
	if err != nil {
		panic(err) // a literal of this package
	}
	return v
}
