package search

import (
	"slices"
	"strings"

	"github.com/recondrill/recondrill/sim"
)

// depend says that the order of two moves can matter: they are of one process (its tasks share memory that nobody
// sees, and what stands outside under one name shares its state), or their footprints meet. Lives of a process are one.
func depend(a sim.Actor, foot sim.Footprint, b sim.Actor, other sim.Footprint) bool {
	return a.Process == b.Process || foot.Meets(other)
}

// drawsSequence says that a sequence moves on, which outlives a ROLLBACK. A footprint does not say what a thing is: this
// goes by the name that PostgreSQL gives to sequences of its own making. Of others a sweep's own check finds out.
func drawsSequence(f sim.Footprint) bool {
	return slices.ContainsFunc(f.Writes, func(thing string) bool { return strings.HasSuffix(thing, "_seq") })
}
