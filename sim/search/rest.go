package search

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/recondrill/recondrill/sim"
)

// rest digests what the actors of a run saw, each on its own and in its own order. Left out is what lives that were
// killed saw, and the words of the deviations themselves: so two runs that kill one process at different points have
// the same digest when nobody else can tell the difference.
func rest(h *sim.History) string {
	killed := map[sim.Actor]bool{}
	for _, e := range h.Entries {
		if e.What == "killed" {
			killed[e.Actor] = true
		}
	}
	lines := map[sim.Actor][]string{}
	for _, e := range h.Entries {
		life := e.Actor
		life.Task = ""
		if e.What == "deviation" || e.What == "killed" || e.Actor.Task != "" && killed[life] {
			continue
		}
		lines[e.Actor] = append(lines[e.Actor], e.String())
	}
	whole := make([]string, 0, len(lines))
	for _, l := range lines {
		whole = append(whole, strings.Join(l, "\n")) // each line names its actor
	}
	slices.Sort(whole)
	sum := sha256.Sum256([]byte(strings.Join(whole, "\n\n")))
	return hex.EncodeToString(sum[:16])
}
