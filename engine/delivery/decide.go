package delivery

import (
	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres"
)

// trial is what a claim knows for the rules of package engine.
func trial(c postgres.ClaimedIntent) engine.Trial {
	return engine.Trial{Key: c.Key, Attempts: c.Attempts, Crashes: c.Crashes, Resend: c.State == engine.IntentUnknown,
		LastCode: c.LastCode, Since: c.Since, ClaimedAt: c.ClaimedAt, Lost: c.Lost}
}

// finish writes a fate as an intent's next state.
func finish(from engine.IntentState, n engine.Next, o engine.Outcome) postgres.IntentFinish {
	f := postgres.IntentFinish{From: from, Outcome: o.Kind, Ref: o.Ref, Code: n.Code, Delay: n.Delay, Burns: n.Burns}
	switch n.Fate {
	case engine.Done:
		f.To = engine.IntentSent
	case engine.Refused:
		f.To = engine.IntentRejected
	case engine.Again:
		f.To = engine.IntentReady
	case engine.Spent:
		f.To = engine.IntentDead
	default:
		f.To = engine.IntentUnknown
	}
	return f
}

// exhausted says why a claimed intent is not tried any more; empty = it is. An unknown one is never a letter.
func exhausted(c postgres.ClaimedIntent, l engine.Limits) string {
	if c.State == engine.IntentUnknown {
		return ""
	}
	return l.Exhausted(trial(c))
}

// afterFault is what becomes of a claimed intent that cannot be written as it is: an unknown one waits for a person.
func afterFault(cause error, c postgres.ClaimedIntent, l engine.Limits) postgres.IntentFinish {
	n := engine.Next{Delay: l.AskEvery, Code: cause.Error()}
	if c.State == engine.IntentLeased {
		n = l.AfterFault(cause, trial(c))
	}
	return finish(c.State, n, engine.Outcome{})
}
