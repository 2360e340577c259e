package drills

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/advice"
	"github.com/recondrill/recondrill/engine/ops"
	"github.com/recondrill/recondrill/engine/postgres"
	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/oracle"
)

const (
	operatorEvery = 2 * time.Minute // simulated, between two looks
	operatorTired = time.Hour       // of looking in vain; then a look is five times as rare, and a run that turns for ever costs less
	operatorCalm  = 2               // looks that must find nothing to do, one after the other
	operatorSame  = 36              // looks that may find the very same, though something is to move: nothing waits so long
	operatorName  = "person:operator"
)

// operate starts the operator: it looks at every record that is not at an end, does what advice says and nothing
// else, and ends the run when all that is left is at an end or waits for a person.
func (f *fleet) operate() {
	f.healed = true
	f.world.Heal()
	f.bench.sessions.ReadOnly(false)
	f.process("operator", versionNow, restartAfter, func(ctx context.Context, p *sim.Process, db *postgres.DB) error {
		began := p.Mono()
		seen, same := "", 0
		for calm := 0; calm < operatorCalm; {
			busy, now, err := f.look(ctx, db)
			if errors.Is(err, sim.ErrKilled) {
				return err
			}
			for _, record := range f.left {
				f.mark("operator", oracle.LeftToPerson, record)
			}
			calm++
			if busy || err != nil {
				calm = 0
			}
			same++
			if now != seen {
				seen, same = now, 0
			}
			if same == operatorSame {
				f.kernel.Stop() // not settled, which is a finding; the rest of the time would add nothing to it
				return nil
			}
			every := operatorEvery
			if p.Mono()-began > operatorTired {
				every *= 5
			}
			if err := p.Sleep(ctx, every); err != nil {
				return err
			}
		}
		if err := f.count(ctx, db); err != nil {
			return err
		}
		f.settled = true
		f.kernel.Stop()
		return nil
	})
}

// look acts once on every record; busy says that something still moves by itself or was just moved, seen is what there was
// to see.
func (f *fleet) look(ctx context.Context, db *postgres.DB) (busy bool, seen string, err error) {
	f.left = nil
	if err := f.putRight(ctx, db); err != nil {
		return true, "", err
	}
	records, err := ops.Unsettled(ctx, db)
	if err != nil {
		return true, "", err
	}
	counts, err := db.Conserve(ctx)
	if err != nil {
		return true, "", err
	}
	seen = fmt.Sprint(counts)
	for _, r := range records {
		seen += fmt.Sprint(" ", r.Kind, r.Key, r.Version)
	}
	busy = counts.WindowsWaiting > 0 || len(f.receipts) > 0
	for _, r := range records {
		a := ops.Advise(r, f.outside())
		switch {
		case a.Act == advice.Review && r.Correction != nil && r.State == string(engine.CorrectionRejected):
			busy = true
			f.askAnew(ctx, db, r)
		case a.Act == advice.Review && r.Correction != nil:
			f.left = append(f.left, "correction:"+string(r.Key)+" "+r.State)
		case a.Act == advice.Nothing, a.Act == advice.Review:
		case a.Act == advice.Wait && (r.State == string(engine.IntentHeld) || stopped(r) && r.Intent != nil && r.Intent.Doubt != ""):
			// It waits for a named reason, which may outlast the drill; that it has a limit is the engine's own test.
		case a.Act == advice.Wait:
			busy = true
		default:
			busy = true
			f.act(ctx, db, r, a)
		}
	}
	return busy, seen, nil
}

// count has the engine count everything once nothing moves any more: then its own count is in order.
func (f *fleet) count(ctx context.Context, db *postgres.DB) error {
	counted, err := db.Conserve(ctx)
	if err != nil {
		return err
	}
	for _, d := range counted.Differences() {
		f.findings = append(f.findings, oracle.Violation{Oracle: "conservation", Record: "run", Text: "the engine counts what is not so: " + d})
	}
	return nil
}

// putRight ends the stops that were forgotten, and lets a server that took over act.
func (f *fleet) putRight(ctx context.Context, db *postgres.DB) error {
	for len(f.paused) > 0 {
		p := f.paused[0]
		p.By, p.Why = operatorName, "nobody knows what it was for"
		if _, err := ops.Resume(ctx, db, p); err != nil {
			return err
		}
		f.mark(erring, "unpaused", p.Scope+" "+p.Name)
		f.paused = f.paused[1:]
	}
	return f.recover(ctx, db)
}

// recover lets a server that took over, or was set back, act outside, as a person does who knows from when on it may have
// lost what it had said it had.
func (f *fleet) recover(ctx context.Context, db *postgres.DB) error {
	if f.lostSince.IsZero() {
		return nil
	}
	e, err := ops.Standing(ctx, db)
	if err != nil || e.SameServer && e.Stopped == "" {
		return err
	}
	_, err = ops.Recover(ctx, db, ops.Recovery{Since: f.lostSince, By: operatorName, Why: "the server was replaced"})
	return err
}

// oncall is a person who looks now and then whether the server is another one, already while faults strike.
func (f *fleet) oncall() {
	f.process("oncall", versionNow, restartAfter, func(ctx context.Context, p *sim.Process, db *postgres.DB) error {
		for !f.healed {
			if err := f.recover(ctx, db); errors.Is(err, sim.ErrKilled) {
				return err
			}
			if err := p.Sleep(ctx, operatorEvery); err != nil {
				return err
			}
		}
		return nil
	})
}

// act does what the advice says. Advice that the engine then refuses, though the record did not move, is wrong
// advice, which at 02:00 is as bad as none. Any other error is tried again at the next look; one that stays keeps the run
// from settling.
func (f *fleet) act(ctx context.Context, db *postgres.DB, r ops.Record, a advice.Advice) {
	err := ops.Do(ctx, db, ops.Settings{}, a.Act, ops.Act{By: operatorName, Expect: a.Version, Why: a.Why}, r.Kind, r.Key)
	var moved *ops.MovedError
	switch {
	case err == nil, errors.As(err, &moved), errors.Is(err, ops.ErrNoRecord), errors.Is(err, sim.ErrKilled):
		// Done, or somebody else was first.
	case errors.Is(err, ops.ErrNotAllowed):
		f.findings = append(f.findings, oracle.Violation{Oracle: "advice", Record: string(r.Key),
			Text: fmt.Sprintf("%s %s in %s: the advice was %s (%s) and the engine refused it: %v", r.Kind, r.Key, r.State, a.Act, a.Why, err)})
	}
}

// askAnew is what a person decides whose refund the provider refused: its break is still open, so it is proposed again
// under the next act number, which is then approved like any other. What does not get through is done at the next look.
func (f *fleet) askAnew(ctx context.Context, db *postgres.DB, r ops.Record) {
	_, _ = ops.NextAct(ctx, db, ops.Act{By: operatorName, Expect: r.Version, Why: "it is still owed"}, r.Key)
}

func (f *fleet) outside() ops.Outside {
	o := ops.Outside{Provider: terms(f.world.Provider.Terms()), Channels: map[engine.ChannelName]engine.Terms{}}
	for _, c := range f.world.Channels {
		o.Channels[engine.ChannelName(c.Name())] = terms(c.Terms())
	}
	return o
}
