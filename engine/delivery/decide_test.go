package delivery

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres"
)

var (
	noon   = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	limits = Config{}.withDefaults().Limits
	fates  = []engine.Fate{engine.InDoubt, engine.Done, engine.Refused, engine.Again, engine.Spent}
)

func TestFinish_EveryFateOfACallIsALegalExit(t *testing.T) {
	t.Parallel()
	for _, fate := range fates {
		f := finish(engine.IntentSubmitting, engine.Next{Fate: fate}, engine.Outcome{})
		require.True(t, engine.MayTake(engine.Intents(), f.From, f.To, engine.RoleWorker), "%v", f)
	}
}

func TestFinish_EveryFateOfALookUpIsALegalExitOrStays(t *testing.T) {
	t.Parallel()
	for _, kind := range []engine.OutcomeKind{engine.Unknown, engine.Accepted, engine.Rejected, engine.Throttled, engine.Failed, engine.Pending} {
		for _, err := range []error{nil, engine.ErrAbsent, engine.ErrNoLookUp, errors.New("no route")} {
			n := limits.AfterLookUp(engine.Outcome{Kind: kind}, err, engine.Trial{Since: noon, ClaimedAt: noon}, engine.Terms{Settling: 1})
			f := finish(engine.IntentUnknown, n, engine.Outcome{Kind: kind})
			if f.To == engine.IntentUnknown {
				require.Positive(t, f.Delay, "no hot loop")
				continue
			}
			require.True(t, engine.MayTake(engine.Intents(), f.From, f.To, engine.RoleWorker), "%v", f)
		}
	}
}

func TestExhausted_UnknownIsNeverALetter(t *testing.T) {
	t.Parallel()
	c := postgres.ClaimedIntent{State: engine.IntentUnknown, Attempts: 100, Crashes: 100}
	require.Empty(t, exhausted(c, limits))
	require.Equal(t, engine.IntentUnknown, afterFault(errors.New("poison"), c, limits).To)
	c.State = engine.IntentLeased
	require.NotEmpty(t, exhausted(c, limits))
	require.Equal(t, engine.IntentDead, afterFault(errors.New("poison"), c, limits).To)
}
