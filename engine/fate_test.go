package engine

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	trials   = Limits{AttemptsMax: 4, CrashesMax: 2, Backoff: Backoff{time.Second, time.Minute}, AskEvery: time.Minute}
	outcomes = []OutcomeKind{Unknown, Accepted, Rejected, Throttled, Failed, Pending}
)

// everyCall visits each outcome × attempts × resend × what the outside asked to wait.
func everyCall(visit func(o Outcome, t Trial)) {
	for _, kind := range outcomes {
		for attempts := range trials.AttemptsMax + 2 {
			for _, resend := range []bool{false, true} {
				for _, after := range []time.Duration{0, time.Hour} {
					visit(Outcome{Kind: kind, RetryAfter: after}, Trial{Key: "k", Attempts: attempts, Resend: resend})
				}
			}
		}
	}
}

func TestAfterCall_OnlyWhatIsSaidToBeSureEndsTheDoubt(t *testing.T) {
	t.Parallel()
	everyCall(func(o Outcome, r Trial) {
		n := trials.AfterCall(o, r)
		require.Equal(t, o.Kind == Accepted, n.Fate == Done)
		require.Equal(t, o.Kind == Rejected && !r.Resend, n.Fate == Refused, "a resend may be refused because the first was accepted")
		surelyNot := (o.Kind == Throttled || o.Kind == Failed) && !r.Resend
		require.Equal(t, surelyNot, n.Fate == Again || n.Fate == Spent, "%v %v", o, r)
	})
}

func TestAfterCall_OnlyAFailureBurnsAndOnlyTheLastKills(t *testing.T) {
	t.Parallel()
	everyCall(func(o Outcome, r Trial) {
		n := trials.AfterCall(o, r)
		require.Equal(t, o.Kind == Failed && !r.Resend, n.Burns)
		require.Equal(t, n.Burns && r.Attempts+1 >= trials.AttemptsMax, n.Fate == Spent)
		if n.Fate == InDoubt || n.Fate == Again {
			require.Positive(t, n.Delay, "no hot loop")
		}
		if o.Kind == Throttled {
			require.GreaterOrEqual(t, n.Delay, o.RetryAfter)
		}
	})
}

func TestAfterLookUp_AbsentCountsOnlyAfterTheSettlingTime(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	terms := Terms{LookUp: true, Settling: 10 * time.Minute}
	for _, asked := range []time.Duration{0, time.Minute, 10*time.Minute - 1, 10 * time.Minute, time.Hour} {
		n := trials.AfterLookUp(Outcome{}, ErrAbsent, Trial{Since: began, ClaimedAt: began.Add(asked)}, terms)
		require.Equal(t, asked >= terms.Settling, n.Fate == Again, "%v", asked)
		require.False(t, n.Burns)
		if n.Fate == InDoubt {
			require.Equal(t, terms.Settling-asked, n.Delay, "asks again when it counts")
		}
	}
}

// What a failover lost: the last call of the existence that is gone settles too, and a key is forgotten at last.
func TestAfterLookUp_AbsentProvesNothingOfWhatIsLostBeforeItSettledOrWhenItMayBeForgotten(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	terms := Terms{LookUp: true, Settling: 10 * time.Minute, KeyRetention: 24 * time.Hour}
	lost := Lost{Since: began.Add(-time.Hour), Until: began.Add(5 * time.Minute)}
	for asked, again := range map[time.Duration]bool{0: false, 10 * time.Minute: false, 15*time.Minute - 1: false, 15 * time.Minute: true,
		23*time.Hour - KeySkew - 1: true, 23*time.Hour - KeySkew: false, 48 * time.Hour: false} {
		trial := Trial{Since: began, ClaimedAt: began.Add(asked), Lost: lost}
		require.Equal(t, again, trials.AfterLookUp(Outcome{}, ErrAbsent, trial, terms).Fate == Again, "%v", asked)
		require.Equal(t, Done, trials.AfterLookUp(Outcome{Kind: Accepted}, nil, trial, terms).Fate, "what is found is found")
		trial.Lost = Lost{}
		require.Equal(t, asked >= terms.Settling, trials.AfterLookUp(Outcome{}, ErrAbsent, trial, terms).Fate == Again)
	}
	require.False(t, lost.Forgotten(began.Add(1000*time.Hour), Terms{LookUp: true}), "it names no retention")
}

func TestAfterLookUp_NoAnswerIsNoAnswer(t *testing.T) {
	t.Parallel()
	for _, kind := range outcomes {
		for _, err := range []error{ErrNoLookUp, errors.New("no route")} {
			require.Equal(t, InDoubt, trials.AfterLookUp(Outcome{Kind: kind}, err, Trial{}, Terms{}).Fate)
		}
		want := map[OutcomeKind]Fate{Accepted: Done, Rejected: Refused, Failed: Again}[kind]
		require.Equal(t, want, trials.AfterLookUp(Outcome{Kind: kind}, nil, Trial{}, Terms{}).Fate)
	}
}

func TestExhausted_CountsClaimsThatKilledTheirProcess(t *testing.T) {
	t.Parallel()
	require.Empty(t, trials.Exhausted(Trial{Attempts: 3, Crashes: 1}))
	require.NotEmpty(t, trials.Exhausted(Trial{Crashes: 2}))
	require.NotEmpty(t, trials.Exhausted(Trial{Attempts: 4}))
}
