package simtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/search"
)

// Result is what a search came to.
type Result struct {
	Runs     int
	Distinct int      // runs that were different ones
	Told     []string // by each rung: what it looked at, and what it did not
	Failure  *Failure // nil: nothing was found, which is no proof
}

// Search looks for a failure of the program until it has one, or a bound is reached. An error means that nothing could
// be checked: no server, SQL that is not carried, a program that is not deterministic.
func Search(ctx context.Context, p Program) (*Result, error) {
	b, err := open(ctx, p)
	if err != nil {
		return nil, err
	}
	r, err := b.search(ctx)
	return r, errors.Join(err, b.close(ctx))
}

// search goes up the rungs. The plain run comes first: it must pass, or nothing need be searched, and it must replay.
func (b *Bench) search(ctx context.Context) (*Result, error) {
	rung, err := search.New(b.program.Search, search.Options{Seed: b.program.Seed})
	if err != nil {
		return nil, err
	}
	r := &Result{}
	if o, err := b.plain(ctx); err != nil || o.failed() {
		return b.found(ctx, r, o, "the plain run", err)
	}
	began := time.Now()
	defer func() {
		if r.Runs > 0 {
			told := rung.Told()
			r.Distinct, r.Told = told.Distinct, sayings(told)
		}
	}()
	for ctx.Err() == nil && r.Runs < b.program.Runs && time.Since(began) < b.program.For {
		trial, more := rung.Next()
		if !more {
			break
		}
		o, outcome, err := b.try(ctx, trial)
		if err != nil {
			return nil, err
		}
		r.Runs++
		rung.Took(trial, outcome)
		if o.failed() {
			return b.found(ctx, r, o, strings.TrimPrefix(trial.Rung, "ladder/"), nil)
		}
	}
	return r, ctx.Err()
}

// found ends a search.
func (b *Bench) found(ctx context.Context, r *Result, o *once, by string, err error) (*Result, error) {
	if err == nil {
		r.Failure, err = b.explain(ctx, o)
	}
	if err != nil {
		return nil, err
	}
	r.Failure.Found, r.Failure.Rung = r.Runs, by
	return r, nil
}

// plain makes the run without deviations, twice. A process of it that ends with an error is a mistake in the set-up: no
// fault excuses it.
func (b *Bench) plain(ctx context.Context) (*once, error) {
	o, err := b.run(ctx, plan{seed: b.program.Seed, decider: sim.Plain()})
	if err != nil {
		return nil, err
	}
	if len(o.ended) > 0 {
		return nil, fmt.Errorf("in the run without faults a process returned an error: %w", o.ended[0])
	}
	return o, b.again(ctx, o)
}

// try makes the run of a trial.
func (b *Bench) try(ctx context.Context, trial search.Trial) (*once, search.Outcome, error) {
	recording := trial.Decider(b.program.weights())
	o, err := b.run(ctx, plan{trial.Seed, wanted{b.program, recording}, recording.Moves()})
	if err != nil {
		return nil, search.Outcome{}, err
	}
	outcome := search.Outcome{Failed: o.failed(), Checked: true, Oracle: o.claim(), Fingerprint: o.fingerprint}
	recording.Fill(&outcome, o.history)
	return o, outcome, nil
}

// sayings are one line a rung.
func sayings(t search.Told) []string {
	if len(t.Rungs) > 0 {
		var out []string
		for _, below := range t.Rungs {
			out = append(out, sayings(below)...)
		}
		return out
	}
	if t.Trials == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s: %d runs, bound: %s, not looked at: %s", t.Rung, t.Trials, t.Bound, t.Frontier)}
}
