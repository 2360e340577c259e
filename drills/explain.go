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
	r := b.shrink(ctx, d, script, shrinkTries, shrinkGates)
	return answer{Run: r.run, Script: r.script.String()}, nil
}

// shrink makes a failing script as small as it gets within so many runs, and so many gates passed in them. It tries
// hastily first; where a run needs more time than that to fail, it begins again with all patience. The run that comes back
// was made with all patience.
func (b *bench) shrink(ctx context.Context, d Drill, script sim.Script, tries, gates int) *result {
	s := &shrinking{bench: b, drill: d, script: script, tries: tries, gates: gates}
	for _, p := range []patience{hasty(), judged()} {
		if r, ok := s.with(ctx, p); ok {
			r.tries = s.made
			return r
		}
	}
	return s.run(ctx, judged(), script) // it did not fail a second time; who compares it with the first says so
}

// shrinking is one search for a smaller script.
type shrinking struct {
	bench        *bench
	drill        Drill
	script       sim.Script // fails
	tries, gates int        // that may be spent
	made, passed int        // that were
}

func (s *shrinking) run(ctx context.Context, p patience, script sim.Script) *result {
	r := s.bench.runFor(ctx, p, s.drill, script.Header.Seed, sim.Recorded(script))
	s.made, s.passed = s.made+1, s.passed+r.run.Gates
	return r
}

// fails says that a run failed as the script does.
func (s *shrinking) fails(r *result) bool {
	return r.run.Verdict == reports.Violation && r.run.Oracle == s.script.Header.Oracle
}

// with shrinks by runs of one patience. ok is false where they don't show the failure, or show one that is none.
func (s *shrinking) with(ctx context.Context, p patience) (r *result, ok bool) {
	whole := s.run(ctx, p, s.script)
	if !s.fails(whole) {
		return nil, false
	}
	small, done := sim.Shrinker{Tries: s.tries, Likely: likely(whole.history),
		Stop: func() bool { return ctx.Err() != nil || s.made > s.tries || s.passed > s.gates },
		Fails: func(candidate sim.Script) (sim.Script, bool) {
			try := s.run(ctx, p, candidate)
			return try.script, s.fails(try)
		}}.Shrink(s.script)
	r = s.run(ctx, judged(), small)
	if r.partly = !done; r.partly {
		r.run.Story = tell(r)
	}
	return r, s.fails(r)
}

// likely says which deviations of a run are likely to be needed: those that did damage in it.
func likely(whole *sim.History) func(sim.Deviation) int {
	kinds := faults.Kinds()
	bit := map[sim.Deviation]bool{}
	for _, d := range whole.Used {
		bit[d] = slices.ContainsFunc(kinds, func(k faults.Kind) bool { return k.Bit(d, whole) })
	}
	return func(d sim.Deviation) int {
		switch {
		case !bit[d]:
			return 0
		case strings.HasPrefix(d.At.Label, "sql:Claim"), strings.HasPrefix(d.At.Label, "sleep"):
			return 1 // between two records it does less than within one
		}
		return 2
	}
}
