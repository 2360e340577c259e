package delivery

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres"
)

// Config are the settings of a delivery worker. Zero values mean the production defaults.
type Config struct {
	Batch     int              // intents a claim; 20
	PollIdle  time.Duration    // between two claims that found nothing; 1 s
	Limits    engine.Limits    // 8 attempts, 3 crashes, back-off 5 s to 15 min, ask every minute
	Exponents engine.Exponents // minor units of amounts in messages; the provider's, Stripe's by default
}

func (c Config) withDefaults() Config {
	or := func(d *time.Duration, usual time.Duration) {
		if *d == 0 {
			*d = usual
		}
	}
	orInt := func(n *int, usual int) {
		if *n == 0 {
			*n = usual
		}
	}
	orInt(&c.Batch, 20)
	orInt(&c.Limits.AttemptsMax, 8)
	orInt(&c.Limits.CrashesMax, 3)
	or(&c.PollIdle, time.Second)
	or(&c.Limits.Backoff.Min, 5*time.Second)
	or(&c.Limits.Backoff.Max, 15*time.Minute)
	or(&c.Limits.AskEvery, time.Minute)
	if c.Exponents == nil {
		c.Exponents = engine.StripeExponents
	}
	return c
}

// Worker delivers the intents of one channel, one at a time.
type Worker struct {
	rt      engine.Runtime
	db      *postgres.DB
	channel engine.Channel
	config  Config
	idle    *engine.Idle
	note    func(record engine.Key, err error)
}

// New makes the worker of one channel. A process has at most one for each.
func New(rt engine.Runtime, db *postgres.DB, channel engine.Channel, c Config) *Worker {
	return &Worker{rt: rt, db: db, channel: channel, config: c.withDefaults(), idle: engine.NewIdle(rt),
		note: func(engine.Key, error) {}}
}

// Note sets who hears of records that could not be worked on now; they are taken up again by a later claim.
func (w *Worker) Note(hear func(record engine.Key, err error)) { w.note = hear }

// Wake spares the worker its idle wait: intents of its channel may have been committed.
func (w *Worker) Wake() { w.idle.Wake() }

// Run works until drain is set, or ctx is over and then returns its error. On drain it finishes the call that is
// under way and hands back what it only leased.
func (w *Worker) Run(ctx context.Context, drain engine.Event) error {
	stop := w.idle.Follow(ctx, string(w.channel.Name())+"/drain", drain)
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

// Pass claims one batch and works on it. It gives the number of intents that could be worked on, so that what stays
// claimed is not claimed again at once; the error is the claim's own.
func (w *Worker) Pass(ctx context.Context) (worked int, err error) {
	terms := w.channel.Terms()
	batch, err := w.db.ClaimIntents(ctx, postgres.ClaimIntents{Channel: w.channel.Name(), Batch: w.config.Batch,
		CanLookUp: terms.LookUp, ResendWithin: w.db.ResendWithin(terms)})
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
		err := w.deliver(ctx, c)
		if postgres.RecordsFault(err) {
			err = errors.Join(err, w.db.FinishIntent(ctx, c.Claim, afterFault(err, c, w.config.Limits)))
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

// deliver takes one claimed intent as far as it can go now.
func (w *Worker) deliver(ctx context.Context, c postgres.ClaimedIntent) error {
	if why := exhausted(c, w.config.Limits); why != "" {
		return w.db.FinishIntent(ctx, c.Claim, postgres.IntentFinish{From: c.State, To: engine.IntentDead,
			Outcome: engine.Failed, Code: why})
	}
	if c.State == engine.IntentUnknown && w.channel.Terms().LookUp {
		return w.ask(ctx, c)
	}
	return w.submit(ctx, c)
}

func (w *Worker) handBack(ctx context.Context, batch []postgres.ClaimedIntent) error {
	claims := make([]engine.Claim, 0, len(batch))
	for _, c := range batch {
		claims = append(claims, c.Claim)
	}
	return w.db.HandBackIntents(ctx, claims)
}
