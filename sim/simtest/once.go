package simtest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/recondrill/recondrill/sim"
)

// once is one run and what it came to.
type once struct {
	script      sim.Script // the deviations that were used; in its header the hash, the verdict and the claim
	history     *sim.History
	broken      error   // what was found; nil: nothing
	ended       []error // what main functions returned
	fingerprint string  // the same for runs that differ in nothing but times and the order of what does not touch
}

func (o *once) failed() bool { return o.broken != nil }

// claim is what was broken, in one line and the same for every way to break it.
func (o *once) claim() string { return o.script.Header.Oracle }

// plan is what a run is made from.
type plan struct {
	seed    uint64 // of ids
	decider sim.Decider
	moves   bool // History.Moves is wanted
}

// scripted is the plan that makes a script's run again.
func scripted(s sim.Script) plan { return plan{s.Header.Seed, sim.Recorded(s), false} }

// run makes one run. An error means that it proves nothing.
func (b *Bench) run(ctx context.Context, from plan) (*once, error) {
	if err := b.sessions.Reset(ctx); err != nil {
		return nil, err
	}
	p := b.program
	latencies := append([]time.Duration{sim.NextTimer}, p.Durations...)
	k := sim.New(sim.Config{Epoch: epoch, Seed: from.seed, Decider: from.decider, Locks: b.sessions, K: movesMax, S: instantMax,
		Latencies: latencies, Stalls: p.Durations, Suspends: p.Durations, Watchdog: watchdogMax, Moves: from.moves})
	if m, ok := from.decider.(*moment); ok {
		m.history = k.History()
	}
	b.sessions.Attach(k)
	setup := &Run{Kernel: k, bench: b}
	o := &once{history: k.History(), script: sim.Script{Header: b.header(from.seed)}}
	err := b.play(ctx, setup, o)
	o.ended = setup.ended
	b.learn(k.History())
	if err != nil {
		return nil, err
	}
	return o, b.seal(ctx, o)
}

// play lets the run happen and asks Check at its two moments.
func (b *Bench) play(ctx context.Context, r *Run, o *once) error {
	k := r.Kernel
	stop := sync.OnceFunc(func() {
		k.Close()
		b.sessions.Detach()
	})
	defer stop()
	b.program.Start(r)
	defer func() { o.fingerprint = k.Fingerprint() }()
	for _, settled := range []bool{false, true} {
		until := b.program.Lasts
		if settled {
			k.Heal()
			until += b.program.Settles
		}
		stopped := k.Run(ctx, until)
		if err := b.sessions.Err(); err != nil {
			return err
		}
		if o.broken = finding(stopped); o.broken == nil && stopped != nil {
			return stopped
		}
		if settled {
			stop()
		}
		if err := b.check(ctx, settled, o); err != nil || o.failed() {
			return err
		}
	}
	return errors.Join(k.BootErrors()...)
}

// finding is the kernel's word that a run could not go on, as a broken claim; nil where it says nothing of the program.
func finding(stopped error) error {
	var stuck *sim.Stuck
	var livelock *sim.Livelock
	var panicked *sim.Panicked
	switch {
	case errors.As(stopped, &stuck):
		return &Broken{"everybody waits and nothing will ever wake them", stuck.Error()}
	case errors.As(stopped, &livelock):
		return &Broken{"it goes round and round while time stands still", livelock.Error()}
	case errors.As(stopped, &panicked):
		return &Broken{"it panicked", fmt.Sprintf("%s: %v", panicked.Actor, panicked.Value)}
	}
	return nil
}

func (b *Bench) check(ctx context.Context, settled bool, o *once) error {
	if o.failed() {
		return nil
	}
	s := &State{Settled: settled, ctx: ctx, bench: b}
	o.broken = b.program.Check(s)
	return s.err
}

// seal fills in what the run came to.
func (b *Bench) seal(ctx context.Context, o *once) error {
	tables, err := b.sessions.Dump(ctx)
	if err != nil {
		return err
	}
	o.history.Mark("tables", "final", tables.Hash())
	h := &o.script.Header
	o.script.Deviations, h.Verdict = o.history.Used, "pass"
	if b.server.CanStop() {
		h.Hash = o.history.Hash()
	}
	if o.failed() {
		h.Verdict, h.Oracle = "violation", claimOf(o.broken)
	}
	return nil
}

// again makes a run a second time and answers an error where it is another one. On a server that can't be stopped
// between two steps no replay is claimed.
func (b *Bench) again(ctx context.Context, o *once) error {
	if !b.server.CanStop() {
		return nil
	}
	second, err := b.run(ctx, scripted(o.script))
	if err != nil {
		return err
	}
	line, left, right, same := sim.Difference(o.history, second.history)
	if !same {
		return fmt.Errorf("nondeterministic: the same run made again parts at line %d: first %q, then %q; the program uses time, chance or goroutines that are not the kernel's", line, left, right)
	}
	if o.claim() != second.claim() {
		return fmt.Errorf("nondeterministic: the same run was judged two ways: %v, then %v", o.broken, second.broken)
	}
	return nil
}
