package drills

import (
	"strings"

	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/search"
)

// Searches are the ways of looking that --search accepts, the default first.
func Searches() []string { return search.Names() }

// Bounded says that a search ends by itself, so it needs no number of runs.
func Bounded(name string) bool { return name == "sweep" || name == "exhaustive" }

// listed is a line for each deviation, in one.
func listed(all []sim.Deviation) string {
	lines := make([]string, len(all))
	for i, d := range all {
		lines[i] = d.String()
	}
	return strings.Join(lines, "; ")
}
