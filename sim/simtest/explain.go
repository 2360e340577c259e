package simtest

import (
	"context"
	"fmt"
	"slices"

	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/search"
)

// simplerMax is how many runs are spent on finding a simpler way to the same claim than what is left after shrinking.
const simplerMax = 120

// explain replays a failure, shrinks it, and tells it.
func (b *Bench) explain(ctx context.Context, o *once) (*Failure, error) {
	if err := b.again(ctx, o); err != nil {
		return nil, err
	}
	f := &Failure{}
	small := b.shrink(ctx, o, f)
	if len(small.Deviations) > 1 && !b.program.unwanted(sim.Then, sim.Value{}) {
		other, err := b.simpler(ctx, o.claim(), f)
		if err != nil {
			return nil, err
		}
		if other != nil && weighs(other.Deviations) < weighs(small.Deviations) {
			small = *other
		}
	}
	small = b.earlier(ctx, small, f)
	last, err := b.run(ctx, scripted(small))
	if err != nil {
		return nil, err
	}
	if last.claim() != o.claim() {
		return nil, fmt.Errorf("nondeterministic: a shrunk script broke %q once and not again", o.claim())
	}
	f.Claim, f.Detail, f.Script, f.Story = last.claim(), last.broken.Error(), last.script, b.tell(last, b.watched(ctx, last))
	return f, nil
}

// shrink leaves out what is not needed.
func (b *Bench) shrink(ctx context.Context, o *once, f *Failure) sim.Script {
	small, _ := sim.Shrinker{Stop: func() bool { return ctx.Err() != nil }, Fails: b.fails(ctx, f)}.Shrink(o.script)
	return small
}

// fails makes the run of a script and counts it.
func (b *Bench) fails(ctx context.Context, f *Failure) func(sim.Script) (sim.Script, bool) {
	return func(s sim.Script) (sim.Script, bool) {
		f.Shrunk++
		try, err := b.run(ctx, scripted(s))
		if err != nil {
			return s, false
		}
		return try.script, try.failed()
	}
}

// earlierMax is how many runs are spent on that.
const earlierMax = 30

// earlier lets each deviation happen the first time that its actor stands there, where that breaks the same claim: what
// comes before it in a run is no part of the story.
func (b *Bench) earlier(ctx context.Context, s sim.Script, f *Failure) sim.Script {
	fails, left := b.fails(ctx, f), earlierMax
	for i := 0; i < len(s.Deviations); i++ {
		for nth := 1; i < len(s.Deviations) && nth < s.Deviations[i].At.Nth && left > 0 && ctx.Err() == nil; nth++ {
			try := sim.Script{Header: s.Header, Deviations: slices.Clone(s.Deviations)}
			try.Deviations[i].At.Nth = nth
			left--
			used, failed := fails(try)
			if failed && used.Header.Oracle == s.Header.Oracle && len(used.Deviations) <= len(s.Deviations) {
				s = used
				break
			}
		}
	}
	return s
}

// simpler looks for the same claim among the orders that few switches make. Leaving out can't turn a fault into the
// switch that would do as well, and the order alone is the better story.
func (b *Bench) simpler(ctx context.Context, claim string, f *Failure) (*sim.Script, error) {
	rung := search.NewExhaustive(search.Options{Seed: b.program.Seed, Switches: 2, Set: -1})
	for range simplerMax {
		trial, more := rung.Next()
		if !more || ctx.Err() != nil {
			return nil, nil
		}
		f.Shrunk++
		o, outcome, err := b.try(ctx, trial)
		if err != nil {
			return nil, err
		}
		if o.claim() == claim {
			s := b.shrink(ctx, o, f)
			return &s, nil
		}
		rung.Took(trial, outcome)
	}
	return nil, nil
}

// weighs is how much there is to understand in a set of deviations: what breaks counts double.
func weighs(deviations []sim.Deviation) int {
	n := 0
	for _, d := range deviations {
		if n++; d.Class != sim.Then {
			n++
		}
	}
	return n
}
