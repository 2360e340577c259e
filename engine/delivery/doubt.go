package delivery

import (
	"context"
	"errors"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres"
)

// ask resolves an unknown intent by the channel's own word about its key. It reads only: asking twice harms nothing.
func (w *Worker) ask(ctx context.Context, c postgres.ClaimedIntent) error {
	outcome, err := w.lookUp(ctx, c.Key)
	next := w.config.Limits.AfterLookUp(outcome, err, trial(c), w.channel.Terms())
	if next.Fate == engine.Again && c.Lost.Any() {
		return w.askLost(ctx, c, next)
	}
	return w.db.FinishIntent(ctx, c.Claim, finish(engine.IntentUnknown, next, outcome))
}

// askLost asks about whatever else a failover's lost seconds may have sent in this intent's place. Only when the channel
// knows none of it was nothing sent.
func (w *Worker) askLost(ctx context.Context, c postgres.ClaimedIntent, absent engine.Next) error {
	keys, err := w.db.LostIntentKeys(ctx, c.Claim.Record)
	if err != nil {
		return err
	}
	for _, k := range keys {
		outcome, err := w.lookUp(ctx, k.Key)
		switch {
		case errors.Is(err, engine.ErrAbsent), err == nil && (outcome.Kind == engine.Failed || k.Act == 0 && outcome.Kind == engine.Rejected):
			continue // surely not sent under this key
		case err == nil && k.Act > 0:
			if err := w.db.AdoptAct(ctx, c.Claim, k.Act); err != nil {
				return err
			}
		case err == nil:
			return w.db.FinishIntent(ctx, c.Claim, postgres.IntentFinish{From: engine.IntentUnknown, To: engine.IntentReview,
				HeldWhy: "lost: the channel knows " + string(k.Key) + ", which may have said the same"})
		}
		next := w.config.Limits.AfterLookUp(outcome, err, trial(c), w.channel.Terms())
		return w.db.FinishIntent(ctx, c.Claim, finish(engine.IntentUnknown, next, outcome))
	}
	f := finish(engine.IntentUnknown, absent, engine.Outcome{})
	f.Asked = c.Lost.Through
	return w.db.FinishIntent(ctx, c.Claim, f)
}

// lookUp asks about one key, under the call's deadline.
func (w *Worker) lookUp(ctx context.Context, key engine.Key) (engine.Outcome, error) {
	ctx, cancel := w.rt.WithTimeout(ctx, w.channel.Terms().CallTimeout)
	defer cancel()
	return w.channel.LookUp(ctx, key)
}
