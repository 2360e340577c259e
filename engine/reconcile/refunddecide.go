package reconcile

import (
	"fmt"
	"strings"
	"time"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres"
)

// check decides, under the locks of the account's books, what becomes of a claimed correction. Pure.
func (c RefundConfig) check(f postgres.CorrectionFacts, resendWithin time.Duration) postgres.CorrectionDecision {
	if f.From == engine.CorrectionUnknown {
		return c.checkResend(f, resendWithin)
	}
	wait := func(why string) postgres.CorrectionDecision {
		return postgres.CorrectionDecision{To: f.From, Why: why, Delay: c.WaitEvery}
	}
	switch {
	case f.BreakState != engine.BreakOpen && f.BreakState != engine.BreakTiming:
		return postgres.CorrectionDecision{To: engine.CorrectionSuperseded, Why: "its break is " + string(f.BreakState)}
	case f.Paused != "":
		return postgres.CorrectionDecision{To: f.From, Why: f.Paused}
	case f.Act == "local":
		return postgres.CorrectionDecision{To: engine.CorrectionApplied, Why: "booked"}
	case f.OtherInDoubt:
		return wait("another refund of payment " + f.Refund.PaymentRef + " is in doubt")
	}
	if above := c.aboveCap(f); above != "" {
		return wait(above)
	}
	return postgres.CorrectionDecision{To: engine.CorrectionSubmitting}
}

// aboveCap bounds what policy approved; a person's approval is bounded by the person.
func (c RefundConfig) aboveCap(f postgres.CorrectionFacts) string {
	switch {
	case !strings.HasPrefix(f.ApprovedBy, "policy:"):
		return ""
	case f.DayNumber >= c.DayNumberMax:
		return fmt.Sprintf("above a cap: %d automatic refunds in 24 h", c.DayNumberMax)
	case f.Refund.Amount > c.DayMoneyMax-f.DayMinor:
		return fmt.Sprintf("above a cap: %d %s of automatic refunds in 24 h", c.DayMoneyMax, f.Refund.Currency)
	default:
		return ""
	}
}

// checkResend lets an unknown refund go out again under its key, or leaves it unknown.
func (c RefundConfig) checkResend(f postgres.CorrectionFacts, resendWithin time.Duration) postgres.CorrectionDecision {
	stay := func(why string) postgres.CorrectionDecision {
		return postgres.CorrectionDecision{To: engine.CorrectionUnknown, Why: "not sent again: " + why, Delay: c.Limits.AskEvery}
	}
	switch {
	case !f.Now.Before(f.FirstSubmittedAt.Add(resendWithin)):
		return stay("the provider may have forgotten the key")
	case f.BreakState != engine.BreakOpen:
		return stay("its break is " + string(f.BreakState))
	case f.OtherInDoubt:
		return stay("another refund of the payment is in doubt")
	case f.Paused != "":
		return stay(f.Paused)
	default:
		return postgres.CorrectionDecision{To: engine.CorrectionSubmitting}
	}
}

// trialOf is what a claim knows for the rules of package engine.
func trialOf(r postgres.ClaimedCorrection) engine.Trial {
	return engine.Trial{Key: r.Key, Attempts: r.Attempts, Crashes: r.Crashes, Resend: r.State == engine.CorrectionUnknown,
		LastCode: r.LastCode, Since: r.Since, ClaimedAt: r.ClaimedAt, Lost: r.Lost}
}

// finishCorrection writes a fate as a correction's next state.
func finishCorrection(from engine.CorrectionState, n engine.Next, o engine.Outcome) postgres.CorrectionFinish {
	f := postgres.CorrectionFinish{From: from, Outcome: o.Kind, Ref: o.Ref, Code: n.Code, Delay: n.Delay, Burns: n.Burns}
	switch n.Fate {
	case engine.Done:
		f.To = engine.CorrectionApplied
	case engine.Refused:
		f.To = engine.CorrectionRejected
	case engine.Again:
		f.To = engine.CorrectionApproved
	case engine.Spent:
		f.To = engine.CorrectionDead
	default:
		f.To = engine.CorrectionUnknown
	}
	return f
}

// exhausted says why a claimed correction is not tried any more; empty = it is. An unknown one is never a letter.
func (c RefundConfig) exhausted(r postgres.ClaimedCorrection) string {
	if r.State == engine.CorrectionUnknown {
		return ""
	}
	return c.Limits.Exhausted(trialOf(r))
}

// afterFault is what becomes of a claimed correction that cannot be written as it is; an unknown one waits for a person.
func (c RefundConfig) afterFault(cause error, r postgres.ClaimedCorrection) postgres.CorrectionFinish {
	n := engine.Next{Delay: c.Limits.AskEvery, Code: cause.Error()}
	if r.State == engine.CorrectionApproved {
		n = c.Limits.AfterFault(cause, trialOf(r))
	}
	return finishCorrection(r.State, n, engine.Outcome{})
}
