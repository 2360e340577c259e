package simtest

import (
	"context"
	"slices"

	"pgregory.net/rapid"

	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/search"
)

// deviationsMax is how many deviations rapid may draw for one run.
const deviationsMax = 12

// Rapid is a property for rapid.Check: no set of deviations breaks a claim.
//
//	b := simtest.Open(t, program())
//	rapid.Check(t, b.Rapid)
//
// The whole set is drawn before the run, as small numbers that stand for what could deviate in the plain run; what is
// not reached in the end has no effect. So rapid's own shrinking never meets a run that asks for something else than
// the last one did. The story is that of the shrunk script, as in Check: ours is the smaller one.
func (b *Bench) Rapid(t *rapid.T) {
	ctx := context.Background()
	points, err := b.points(ctx)
	if err != nil {
		t.Fatalf("simtest: %v", err)
	}
	numbers := rapid.SliceOfN(rapid.IntRange(0, max(0, len(points)-1)), 0, deviationsMax).Draw(t, "deviations")
	script := sim.Script{Header: b.header(b.program.Seed)}
	for _, n := range numbers {
		if n < len(points) && !slices.ContainsFunc(script.Deviations, func(d sim.Deviation) bool { return asks(d, points[n]) }) {
			script.Deviations = append(script.Deviations, points[n])
		}
	}
	o, err := b.run(ctx, scripted(script))
	if err != nil {
		t.Fatalf("simtest: %v", err)
	}
	if !o.failed() {
		return
	}
	f := b.told[o.claim()]
	if f == nil {
		if f, err = b.explain(ctx, o); err != nil {
			t.Fatalf("simtest: %v", err)
		}
		b.told[o.claim()] = f
	}
	for _, line := range f.Story {
		t.Log(line)
	}
	t.Log("\n" + f.Text())
	t.Fatalf("simtest: %s", f.Claim) // no detail: rapid takes another text for another failure
}

// asks says that two deviations answer the same question.
func asks(a, b sim.Deviation) bool { return a.At == b.At && a.Class == b.Class }

// points are the deviations that were possible in the plain run.
func (b *Bench) points(ctx context.Context) ([]sim.Deviation, error) {
	if b.possible != nil {
		return b.possible, nil
	}
	if _, err := b.plain(ctx); err != nil {
		return nil, err
	}
	_, outcome, err := b.try(ctx, search.Trial{How: search.Scripted, Seed: b.program.Seed, Need: search.Need{Points: true}})
	for _, p := range outcome.Points {
		b.possible = append(b.possible, p.Deviation)
	}
	return b.possible, err
}
