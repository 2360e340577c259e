package reconcile

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres"
)

// RefundConfig are the settings of a Refunder. Zero values mean the production defaults.
type RefundConfig struct {
	Batch        int           // corrections a claim; 10
	PollIdle     time.Duration // between two claims that found nothing; 1 s
	Limits       engine.Limits // 8 attempts, 3 crashes, back-off 30 s to 1 h, ask every minute
	WaitEvery    time.Duration // before what a cap or another refund's doubt stops is looked at again; 15 min
	DayNumberMax int           // automatic refunds of an account in 24 hours; 50
	DayMoneyMax  int64         // their money in one currency, minor units; 5,000,000
}

func (c RefundConfig) withDefaults() RefundConfig {
	for _, d := range []struct {
		value *time.Duration
		usual time.Duration
	}{
		{&c.PollIdle, time.Second}, {&c.Limits.Backoff.Min, 30 * time.Second}, {&c.Limits.Backoff.Max, time.Hour},
		{&c.Limits.AskEvery, time.Minute}, {&c.WaitEvery, 15 * time.Minute},
	} {
		if *d.value == 0 {
			*d.value = d.usual
		}
	}
	for _, n := range []struct {
		value *int
		usual int
	}{{&c.Batch, 10}, {&c.Limits.AttemptsMax, 8}, {&c.Limits.CrashesMax, 3}, {&c.DayNumberMax, 50}} {
		if *n.value == 0 {
			*n.value = n.usual
		}
	}
	if c.DayMoneyMax == 0 {
		c.DayMoneyMax = 5_000_000
	}
	return c
}

// Refunder carries approved corrections out, one at a time. A process has at most one.
type Refunder struct {
	rt       engine.Runtime
	db       *postgres.DB
	provider engine.Provider
	config   RefundConfig
	idle     *engine.Idle
	note     func(record engine.Key, err error)
}

// NewRefunder makes one.
func NewRefunder(rt engine.Runtime, db *postgres.DB, p engine.Provider, c RefundConfig) *Refunder {
	return &Refunder{rt: rt, db: db, provider: p, config: c.withDefaults(), idle: engine.NewIdle(rt), note: func(engine.Key, error) {}}
}

// Note sets who hears of corrections that could not be worked on now; they are taken up again by a later claim.
func (w *Refunder) Note(hear func(record engine.Key, err error)) { w.note = hear }

// Wake spares the refunder its idle wait: corrections may have been approved.
func (w *Refunder) Wake() { w.idle.Wake() }

// Run works until drain is set, or ctx is over and then returns its error. On drain it finishes the call that is
// under way and hands back what it only claimed.
func (w *Refunder) Run(ctx context.Context, drain engine.Event) error {
	stop := w.idle.Follow(ctx, "refund/drain", drain)
	defer stop()
	for !w.idle.Draining() {
		worked, err := w.Pass(ctx)
		if err != nil {
			w.note("", err)
		}
		if worked == w.config.Batch {
			continue // there may be more; less than a batch was all that is due
		}
		if err := w.idle.Wait(ctx, w.config.PollIdle); err != nil {
			return err
		}
	}
	return nil
}

// Pass claims one batch and works on it. It gives the number of corrections that could be worked on, so that what stays
// claimed is not claimed again at once; the error is the claim's own.
func (w *Refunder) Pass(ctx context.Context) (worked int, err error) {
	batch, err := w.db.ClaimCorrections(ctx, postgres.ClaimCorrections{Batch: w.config.Batch,
		CanLookUp: w.provider.Terms().LookUp, ResendWithin: w.db.ResendWithin(w.provider.Terms())})
	if err != nil {
		return 0, err
	}
	for i, c := range batch {
		if w.idle.Draining() {
			return worked, w.handBack(ctx, batch[i:])
		}
		if w.rt.Mono() >= c.Claim.StopAt {
			continue // whoever claims next takes it over
		}
		err := w.correct(ctx, c)
		if postgres.RecordsFault(err) {
			// What was done outside and cannot be booked stays unknown, and a person is asked for.
			err = errors.Join(err, w.db.FinishCorrection(ctx, c.Claim, w.config.afterFault(err, c)), w.db.RaiseAlarms(ctx,
				[]postgres.Alarm{{Kind: "correction_fault", Subject: "correction:" + string(c.Claim.Record), Detail: err.Error()}}))
		}
		switch {
		case err == nil:
			worked++
		case postgres.RecordsFault(err) || !errors.Is(err, engine.ErrLeaseLost):
			w.note(c.Claim.Record, fmt.Errorf("%s: %w", c.Claim.Record, err))
		}
	}
	return worked, nil
}

// correct takes one claimed correction as far as it can go now.
func (w *Refunder) correct(ctx context.Context, c postgres.ClaimedCorrection) error {
	if why := w.config.exhausted(c); why != "" {
		return w.db.FinishCorrection(ctx, c.Claim, postgres.CorrectionFinish{From: c.State, To: engine.CorrectionDead,
			Outcome: engine.Failed, Code: why})
	}
	if c.State == engine.CorrectionUnknown && w.provider.Terms().LookUp {
		return w.ask(ctx, c)
	}
	return w.submit(ctx, c)
}

// submit is the only place that refunds; see delivery's twin. A local posting is done when its transaction is.
func (w *Refunder) submit(ctx context.Context, c postgres.ClaimedCorrection) error {
	done, err := w.db.SubmitCorrection(ctx, c.Claim, c.State, func(f postgres.CorrectionFacts) postgres.CorrectionDecision {
		return w.config.check(f, w.db.ResendWithin(w.provider.Terms()))
	})
	if err != nil || done.Decision.To != engine.CorrectionSubmitting {
		return err
	}
	outcome := engine.Outcome{Kind: engine.Throttled, Code: "the lease was too short for the call"}
	if w.rt.Mono()+w.provider.Terms().CallTimeout <= done.Claim.StopAt {
		outcome = w.refund(ctx, done.Refund)
	} // else: we know that we did not call, and nobody else may call under this claim
	next := w.config.Limits.AfterCall(outcome, trialOf(c))
	return w.db.FinishCorrection(ctx, done.Claim, finishCorrection(engine.CorrectionSubmitting, next, outcome))
}

// refund calls the provider under its own deadline, with no transaction open.
func (w *Refunder) refund(ctx context.Context, r engine.Refund) engine.Outcome {
	ctx, cancel := w.rt.WithTimeout(ctx, w.provider.Terms().CallTimeout)
	defer cancel()
	return w.provider.Refund(ctx, r)
}

// ask resolves an unknown correction by the provider's own word about its key. It reads only.
func (w *Refunder) ask(ctx context.Context, c postgres.ClaimedCorrection) error {
	outcome, err := w.lookUp(ctx, c.Key)
	next := w.config.Limits.AfterLookUp(outcome, err, trialOf(c), w.provider.Terms())
	asked := int32(0)
	if next.Fate == engine.Again && c.Lost.Any() {
		// The next act is born only after a final refusal of this one, which a failover may have lost with it.
		o, err := w.lookUp(ctx, c.NextKey)
		switch {
		case errors.Is(err, engine.ErrAbsent):
			asked = c.Lost.Through
		case err != nil:
			next = w.config.Limits.AfterLookUp(o, err, trialOf(c), w.provider.Terms())
		default:
			next = engine.Next{Fate: engine.Refused, Code: fmt.Sprintf("the provider knows the next act %s (%s), so this one was refused", c.NextKey, o.Kind)}
		}
	}
	f := finishCorrection(engine.CorrectionUnknown, next, outcome)
	f.Asked = asked
	return w.db.FinishCorrection(ctx, c.Claim, f)
}

// lookUp asks about one key, under the call's deadline.
func (w *Refunder) lookUp(ctx context.Context, key engine.Key) (engine.Outcome, error) {
	ctx, cancel := w.rt.WithTimeout(ctx, w.provider.Terms().CallTimeout)
	defer cancel()
	return w.provider.LookUp(ctx, key)
}

func (w *Refunder) handBack(ctx context.Context, batch []postgres.ClaimedCorrection) error {
	claims := make([]engine.Claim, 0, len(batch))
	for _, c := range batch {
		claims = append(claims, c.Claim)
	}
	return w.db.HandBackCorrections(ctx, claims)
}
