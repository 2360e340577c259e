package reports

import (
	"fmt"
	"maps"
	"slices"
)

// spoiled counts what a run's oracles said of damage that was planted for them.
func (t *Tally) spoiled(by Spoiled) {
	for oracle, noticed := range by {
		t.shown[oracle]++
		if noticed {
			t.seen[oracle]++
		}
	}
}

// addOracles gives each oracle that was shown damage its entry among the canaries. One that noticed none of it is blind:
// what it passed proves nothing.
func (t *Tally) addOracles(s *Summary) {
	for _, oracle := range t.oracles() {
		shown := t.shown[oracle]
		s.Canaries[oracle] = t.seen[oracle] > 0
		if s.Canaries[oracle] {
			continue
		}
		s.Verdict = Worse(s.Verdict, Error)
		if shown == 0 {
			s.Reasons = append(s.Reasons, fmt.Sprintf("the oracle %s was never shown any damage, so nobody knows whether it sees", oracle))
			continue
		}
		s.Reasons = append(s.Reasons, fmt.Sprintf("the oracle %s did not notice what was damaged for it in %s, so its passes prove nothing", oracle, Count(shown, "run")))
	}
}

// oracles are those that were shown damage; over a whole catalogue with enough runs, all that judged anything.
func (t *Tally) oracles() []string {
	all := maps.Clone(t.shown)
	if t.whole() {
		for _, d := range t.drills {
			for oracle, n := range d.Checked {
				if n > 0 { // else it is vacuous, which is another thing
					all[oracle] += 0
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// whole: all drills there are were run, often enough to judge what never happened.
func (t *Tally) whole() bool {
	return !t.start.Named && len(t.drills) > 0 && !slices.ContainsFunc(t.drills, func(d *DrillTally) bool { return d.Drawn < VacuityRuns || d.stopped })
}

// drawn says that faults were drawn in a run by their weights; search is the campaign's, for runs that name no rung.
func (r Run) drawn(search string) bool {
	switch r.Rung {
	case "":
		return search != "sweep" && search != "exhaustive"
	case "sweep", "exhaustive":
		return false
	default:
		return true
	}
}
