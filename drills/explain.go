package drills

import (
	"context"
	"fmt"

	"github.com/recondrill/recondrill/reports"
	"github.com/recondrill/recondrill/sim"
)

// explain looks for the fewest deviations that fail the same way, and tells that run. Its answer's run is the
// shrunk one; only story and script are taken from it.
func (b *bench) explain(ctx context.Context, d Drill, o order) (answer, error) {
	script, err := sim.ParseScript(o.Script)
	if err != nil {
		return answer{}, fmt.Errorf("script of %s seed %d: %w", o.Drill, o.Seed, err)
	}
	oracle := script.Header.Oracle
	fails := func(s sim.Script) (sim.Script, bool) {
		if ctx.Err() != nil {
			return s, false
		}
		r := b.run(ctx, d, o.Seed, sim.Recorded(s))
		return r.script, r.run.Verdict == reports.Violation && r.run.Oracle == oracle
	}
	small := sim.Shrink(script, fails)
	r := b.run(ctx, d, o.Seed, sim.Recorded(small))
	return answer{Run: r.run, Script: r.script.String()}, nil
}
