package reports

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// coverRow is what was done to the engine at one place while its record was in one state.
type coverRow struct {
	At, State string
	Kinds     string // "crash 12 · stall 3": runs in which each bit there, the most frequent first
	Runs      int    // of the most frequent one
}

// coverage is label × kind × record state over the drills that count: where which faults bit. What is not in it was
// not tried, or did no damage.
func (t *Tally) coverage() []coverRow {
	type place struct{ at, state string }
	kinds := map[place]map[string]int{}
	for _, d := range t.drills {
		if !d.Counts {
			continue
		}
		for b, n := range d.Bites {
			p := place{b.At, b.State}
			if kinds[p] == nil {
				kinds[p] = map[string]int{}
			}
			kinds[p][b.Kind] += n
		}
	}
	var rows []coverRow
	for p, bitten := range kinds {
		names := slices.SortedFunc(maps.Keys(bitten), func(a, b string) int {
			return cmp.Or(cmp.Compare(bitten[b], bitten[a]), cmp.Compare(a, b))
		})
		row := coverRow{At: p.at, State: p.state, Runs: bitten[names[0]]}
		for i, name := range names {
			names[i] = fmt.Sprintf("%s %s", name, grouped(bitten[name]))
		}
		row.Kinds = strings.Join(names, " · ")
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b coverRow) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.State, b.State)) })
	return rows
}

// covered says in one sentence how much that is.
func covered(rows []coverRow) string {
	places, states := map[string]bool{}, map[string]bool{}
	for _, r := range rows {
		places[r.At] = true
		if r.State != "" {
			states[r.State] = true
		}
	}
	return fmt.Sprintf("Faults bit at %s, in %s of the record in hand. What is not listed was not tried, or did no damage there.", Count(len(places), "place"), Count(len(states), "state"))
}
