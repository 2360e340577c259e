package drills

import (
	"fmt"
	"strings"

	"github.com/recondrill/recondrill/sim"
)

// deciderFor is who answers the gates of an order: its script, a sweep's map-maker, or the seed.
func deciderFor(d Drill, o order) (sim.Decider, *mapMaker, error) {
	switch {
	case o.Script != "":
		s, err := sim.ParseScript(o.Script)
		if err != nil {
			return nil, nil, fmt.Errorf("script of %s seed %d: %w", o.Drill, o.Seed, err)
		}
		return sim.Recorded(s), nil, nil
	case o.Gates:
		m := &mapMaker{weigh: d.weigh(), seen: map[sim.Deviation]bool{}}
		return m, m, nil
	default:
		return sim.Seeded(o.Seed, d.most(), d.weigh()), nil, nil
	}
}

// mapMaker runs plain and writes down every deviation that the drill's plan could have chosen.
type mapMaker struct {
	weigh  func(sim.Gate, sim.Class) []sim.Weighted
	seen   map[sim.Deviation]bool
	places []sim.Deviation // in the order in which the plain run met them
}

// Decide answers plain.
func (m *mapMaker) Decide(g sim.Gate, c sim.Class) sim.Value {
	for _, w := range m.weigh(g, c) {
		at := sim.Deviation{At: g.Address, Class: c, Value: w.Value}
		if w.Per10k > 0 && w.Value != (sim.Value{}) && !m.seen[at] {
			m.seen[at] = true
			m.places = append(m.places, at)
		}
	}
	return sim.Value{}
}

// points are scripts of one deviation each.
func (m *mapMaker) points(d Drill, seed uint64) []string {
	texts := make([]string, 0, len(m.places))
	for _, p := range m.places {
		texts = append(texts, sim.Script{Header: d.header(seed), Deviations: []sim.Deviation{p}}.String())
	}
	return texts
}

// unused names the deviations of a recorded script that met nothing: "" where all did, or nothing was recorded.
func unused(d sim.Decider) string {
	recorded, ok := d.(*sim.RecordedDecider)
	if !ok {
		return ""
	}
	var stale []string
	for _, s := range recorded.Unused() {
		stale = append(stale, s.String())
	}
	return strings.Join(stale, "; ")
}
