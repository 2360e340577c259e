package drills

import (
	"context"
	"fmt"

	"github.com/recondrill/recondrill/reports"
	"github.com/recondrill/recondrill/sim"
)

// again makes a run a second time, from the deviations the first one used, and compares line by line. A difference
// is its own verdict and is never retried: whatever the first run said is not to be believed.
func (b *bench) again(ctx context.Context, d Drill, first *result, run reports.Run) reports.Run {
	second := b.run(ctx, d, first.run.Seed, sim.Recorded(first.script))
	if second.run.Verdict == reports.Error {
		run.Verdict, run.Error = reports.Error, "made again: "+second.run.Error
		return run
	}
	line, left, right, same := sim.Difference(first.history, second.history)
	switch {
	case !same:
		run.Error = fmt.Sprintf("line %d differs: first %q, then %q", line, left, right)
	case first.tables != second.tables:
		run.Error = fmt.Sprintf("the same history left other tables: %s and %s", first.tables, second.tables)
	case first.judged() != second.judged():
		run.Error = fmt.Sprintf("the same run was judged two ways: %s, then %s", first.judged(), second.judged())
	default:
		return run
	}
	run.Verdict = reports.Nondeterministic
	run.Story = []string{run.Error}
	return run
}

// judged is the verdict with all that was found, in the order in which it was found.
func (r *result) judged() string {
	return fmt.Sprintf("%s %v %v", r.run.Verdict, r.findings, r.run.Faults)
}
