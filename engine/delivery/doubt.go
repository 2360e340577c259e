package delivery

import (
	"context"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres"
)

// ask resolves an unknown intent by the channel's own word about its key. It reads only: asking twice harms nothing.
func (w *Worker) ask(ctx context.Context, c postgres.ClaimedIntent) error {
	terms := w.channel.Terms()
	asking, cancel := w.rt.WithTimeout(ctx, terms.CallTimeout)
	outcome, err := w.channel.LookUp(asking, c.Key)
	cancel()
	next := w.config.Limits.AfterLookUp(outcome, err, trial(c), terms)
	return w.db.FinishIntent(ctx, c.Claim, finish(engine.IntentUnknown, next, outcome))
}
