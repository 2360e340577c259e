package drills

import (
	"slices"

	"github.com/recondrill/recondrill/reports"
	"github.com/recondrill/recondrill/sim/oracle"
)

// spoil damages what a passing run left, a little and on purpose, once for each oracle that judged the run, and asks
// that oracle: one that says nothing then is blind, and its silence over the campaign is worth nothing. An oracle that
// finds nothing to damage is left out.
func (r *result) spoil() reports.Spoiled {
	seen := reports.Spoiled{}
	for _, o := range oracle.All() {
		if excused(o, r.run.Faults) {
			continue
		}
		if damaged, ok := o.Spoil(r.view); ok {
			seen[o.Name()] = len(o.Check(damaged).Violations) > 0
		}
	}
	return seen
}

// excused: a fault that bit makes the oracle claim nothing.
func excused(o oracle.Oracle, bitten []string) bool {
	return slices.ContainsFunc(o.ExcusedBy(), func(kind string) bool { return slices.Contains(bitten, kind) })
}
