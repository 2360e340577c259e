package drills

import (
	"context"
	"errors"
	"time"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/advice"
	"github.com/recondrill/recondrill/engine/ops"
	"github.com/recondrill/recondrill/engine/postgres"
	"github.com/recondrill/recondrill/sim"
)

const (
	erring       = "operator" // the actor of mistakes in scripts and histories
	erringName   = "person:trainee"
	mistakeEvery = 3 * time.Minute
)

// err starts a person who acts against advice while faults strike, as it is decided: clicks a redrive twice, redrives
// everything there is, approves by a page that is out of date, stops something and forgets it.
func (f *fleet) err() {
	offers := []sim.Value{{Verb: "redrive", Arg: "twice"}, {Verb: "redrive", Arg: "everything"}, {Verb: "approve", Arg: "stale"}, {Verb: "pause", Arg: "forgotten"}}
	f.person("trainee", mistakeEvery, mistakeEvery, func(ctx context.Context, db *postgres.DB) error {
		return f.mistake(ctx, db, f.kernel.Tick(erring, "act", offers))
	})
}

// person starts somebody who acts while faults strike, again and again. What fails is left for the next time.
func (f *fleet) person(name string, first, every time.Duration, act func(context.Context, *postgres.DB) error) {
	f.process(name, versionNow, restartAfter, func(ctx context.Context, p *sim.Process, db *postgres.DB) error {
		for wait := first; !f.healed; wait = every {
			if err := p.Sleep(ctx, wait); err != nil {
				return err
			}
			if err := act(ctx, db); errors.Is(err, sim.ErrKilled) {
				return err
			}
		}
		return nil
	})
}

// mistake carries one out. What the engine refuses is refused; what did not get through is not tried again.
func (f *fleet) mistake(ctx context.Context, db *postgres.DB, v sim.Value) error {
	if v == (sim.Value{}) {
		return nil
	}
	if v.Verb == "pause" {
		return f.pauseAndForget(ctx, db)
	}
	records, err := ops.Unsettled(ctx, db)
	if err != nil {
		return err
	}
	switch v.String() {
	case "redrive twice":
		for _, r := range records {
			if stopped(r) {
				return errors.Join(f.redrive(ctx, db, r), f.redriveAgain(ctx, db, r))
			}
		}
	case "redrive everything":
		for _, r := range records {
			if err := f.redrive(ctx, db, r); errors.Is(err, sim.ErrKilled) {
				return err
			}
		}
		f.mark(erring, "redrove everything", "")
	case "approve stale":
		for _, r := range records {
			if r.State == string(engine.CorrectionProposed) && ops.Advise(r, f.outside()).Act == advice.Approve {
				return f.approveTwice(ctx, db, r)
			}
		}
	}
	return nil
}

// stopped: a letter, or as good as one.
func stopped(r ops.Record) bool {
	return r.State == string(engine.JobDead) || r.State == string(engine.JobParked) || r.Kind == ops.Intent && r.State == string(engine.IntentRejected)
}

func (f *fleet) redrive(ctx context.Context, db *postgres.DB, r ops.Record) error {
	f.mark(erring, "redriven", string(r.Key))
	return ops.Redrive(ctx, db, ops.Act{By: erringName, Expect: r.Version, Why: "all of it"}, r.Kind, r.Key)
}

// redriveAgain looks at the record anew, so that only its state can refuse it.
func (f *fleet) redriveAgain(ctx context.Context, db *postgres.DB, r ops.Record) error {
	now, err := ops.Look(ctx, db, r.Kind, r.Key)
	if err != nil {
		return err
	}
	return f.redrive(ctx, db, now)
}

// approveTwice approves, and approves once more what the page still shows.
func (f *fleet) approveTwice(ctx context.Context, db *postgres.DB, r ops.Record) error {
	a := ops.Act{By: erringName, Expect: r.Version, Why: "it looked right"}
	if err := ops.Approve(ctx, db, ops.Settings{}, a, r.Key); err != nil {
		return err
	}
	f.mark(erring, "approved stale", string(r.Key))
	return ops.Approve(ctx, db, ops.Settings{}, a, r.Key)
}

// pauseAndForget stops one thing after the other: a channel, the provider, all.
func (f *fleet) pauseAndForget(ctx context.Context, db *postgres.DB) error {
	things := []postgres.Pause{{Scope: "channel", Name: "sms"}, {Scope: "provider"}, {Scope: "all"}}
	p := things[len(f.paused)%len(things)]
	p.By, p.Why, p.Lasts = erringName, "to have a look", 24*time.Hour
	f.paused = append(f.paused, p) // before the answer, which may be lost
	f.mark(erring, "paused", p.Scope+" "+p.Name)
	return ops.Pause(ctx, db, p)
}
