package drills

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/recondrill/recondrill/faults"
	"github.com/recondrill/recondrill/reports"
	"github.com/recondrill/recondrill/sim"
)

// What is spent on one story: runs, and gates passed in them, since a run that does not settle is twenty times a night
// that does. Counts, not a time: the same failure ends in the same story.
const (
	shrinkTries = 80
	shrinkGates = 30_000
)

// explain looks for the fewest deviations that fail the same way, and tells that run. Its answer's run is the
// shrunk one; only story and script are taken from it.
func (b *bench) explain(ctx context.Context, d Drill, o order) (answer, error) {
	script, err := sim.ParseScript(o.Script)
	if err != nil {
		return answer{}, fmt.Errorf("script of %s seed %d: %w", o.Drill, o.Seed, err)
	}
	r := b.shrink(ctx, d, script, b.run(ctx, d, script.Header.Seed, sim.Recorded(script)).history, shrinkTries, shrinkGates)
	return answer{Run: r.run, Script: r.script.String()}, nil
}

// shrink makes a failing script as small as it gets within so many runs, and so many gates passed in them. whole is the
// history of its run: what did damage in it is likely to be needed.
func (b *bench) shrink(ctx context.Context, d Drill, script sim.Script, whole *sim.History, tries, gates int) *result {
	oracle := script.Header.Oracle
	spent := 0
	bit := map[sim.Deviation]bool{}
	fails := func(s sim.Script) (sim.Script, bool) {
		r := b.run(ctx, d, script.Header.Seed, sim.Recorded(s))
		spent += r.run.Gates
		return r.script, r.run.Verdict == reports.Violation && r.run.Oracle == oracle
	}
	kinds := faults.Kinds()
	for _, deviation := range whole.Used {
		bit[deviation] = slices.ContainsFunc(kinds, func(k faults.Kind) bool { return k.Bit(deviation, whole) })
	}
	small := sim.Shrinker{Tries: tries, Stop: func() bool { return ctx.Err() != nil || spent > gates }, Fails: fails,
		Likely: func(d sim.Deviation) int {
			switch {
			case !bit[d]:
				return 0
			case strings.HasPrefix(d.At.Label, "sql:Claim"), strings.HasPrefix(d.At.Label, "sleep"):
				return 1 // between two records it does less than within one
			}
			return 2
		}}.Shrink(script)
	return b.run(ctx, d, script.Header.Seed, sim.Recorded(small))
}
