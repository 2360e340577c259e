package faults

import (
	"slices"

	"github.com/recondrill/recondrill/sim"
)

// Weigh is the plan as sim.Seeded wants it: a function of the gate. Where several rules draw, their shares add up.
// The plan must be one that ParsePlan accepts; a rule of an unknown kind draws nothing.
func (p Plan) Weigh(durations Durations) func(g sim.Gate, c sim.Class) []sim.Weighted {
	var drawers []drawer
	for _, r := range p.Rules {
		if k, err := Find(r.Kind); err == nil && r.Per10k > 0 {
			drawers = append(drawers, drawer{r, k, durations})
		}
	}
	return func(g sim.Gate, c sim.Class) []sim.Weighted {
		switch {
		case c == sim.Then && p.Switch > 0:
			return sim.Split(g, c, p.Switch)
		case c == sim.Hold && p.Hold > 0:
			return append(draw(drawers, g, c), sim.Split(g, c, p.Hold)...)
		case c == sim.Latency && p.Latency > 0 && isGate(g.Address):
			return append(draw(drawers, g, c), sim.Split(g, c, p.Latency)...)
		case c == sim.Fault, c == sim.Outcome, c == sim.Latency, c == sim.Hold:
			return draw(drawers, g, c)
		}
		return nil
	}
}

// drawer is a rule with its kind.
type drawer struct {
	rule      Rule
	kind      Kind
	durations Durations
}

func draw(drawers []drawer, g sim.Gate, c sim.Class) []sim.Weighted {
	var all []sim.Weighted
	if len(g.Offers) == 0 {
		return nil
	}
	place := g.Address.Actor.String() + " " + g.Address.Label
	for _, d := range drawers {
		if d.rule.First > 0 && g.Address.Nth > d.rule.First || d.rule.Where != "" && !glob(d.rule.Where, place) {
			continue
		}
		values := d.values(g, c)
		for i, v := range values {
			share := d.rule.Per10k / len(values)
			if i < d.rule.Per10k%len(values) { // the remainder goes to the mildest
				share++
			}
			all = append(all, sim.Weighted{Value: v, Per10k: share})
		}
	}
	return all
}

// values are what the rule may do here, of this class.
func (d drawer) values(g sim.Gate, c sim.Class) []sim.Value {
	return slices.DeleteFunc(d.kind.Draw(g), func(v sim.Value) bool {
		tooShort := d.kind.Name() == "expired-lease" && !outlasts(v, d.durations.Lease)
		return tooShort || !g.Offered(c, v) || d.rule.Only != "" && !glob(d.rule.Only, v.String())
	})
}

// glob matches text against a pattern in which * stands for any text, also none.
func glob(pattern, text string) bool {
	star, mark := -1, 0
	p, t := 0, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, t
			p++
		case p < len(pattern) && pattern[p] == text[t]:
			p, t = p+1, t+1
		case star >= 0:
			mark++
			p, t = star+1, mark
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}
