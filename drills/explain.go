package drills

import (
	"context"
	"fmt"

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
	oracle := script.Header.Oracle
	spent := 0
	fails := func(s sim.Script) (sim.Script, bool) {
		r := b.run(ctx, d, o.Seed, sim.Recorded(s))
		spent += r.run.Gates
		return r.script, r.run.Verdict == reports.Violation && r.run.Oracle == oracle
	}
	small := sim.Shrinker{Tries: shrinkTries, Stop: func() bool { return ctx.Err() != nil || spent > shrinkGates }, Fails: fails}.Shrink(script)
	r := b.run(ctx, d, o.Seed, sim.Recorded(small))
	return answer{Run: r.run, Script: r.script.String()}, nil
}
