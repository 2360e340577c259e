package delivery

import (
	"context"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres"
)

// submit is the only place that sends. Transaction 1 commits `submitting` with the bytes; only when that is known, and
// only while the whole call fits into the lease, it calls; transaction 2 commits what came of it.
func (w *Worker) submit(ctx context.Context, c postgres.ClaimedIntent) error {
	limits := w.config.Limits
	done, err := w.db.SubmitIntent(ctx, c.Claim, c.State, func(f postgres.IntentFacts) postgres.Decision {
		return check(f, rules{limits.Delay(trial(c)), limits.AskEvery, w.db.ResendWithin(w.channel.Terms()), w.config.Exponents})
	})
	if err != nil || done.Decision.To != engine.IntentSubmitting {
		return err
	}
	outcome := engine.Outcome{Kind: engine.Throttled, Code: "the lease was too short for the call"}
	if w.rt.Mono()+w.channel.Terms().CallTimeout <= done.Claim.StopAt {
		outcome = w.send(ctx, done.Message)
	} // else: we know that we did not send, and nobody else may send under this claim
	return w.db.FinishIntent(ctx, done.Claim, finish(engine.IntentSubmitting, limits.AfterCall(outcome, trial(c)), outcome))
}

// send calls the channel under its own deadline, with no transaction open.
func (w *Worker) send(ctx context.Context, m engine.Message) engine.Outcome {
	ctx, cancel := w.rt.WithTimeout(ctx, w.channel.Terms().CallTimeout)
	defer cancel()
	return w.channel.Send(ctx, m)
}
