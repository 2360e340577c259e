package engine

import (
	"errors"
	"time"
)

// Fate is what an outcome makes of a record that acts outside, whatever the record is: a message or a refund.
type Fate uint8

// The fates. The zero value is InDoubt: a forgotten case means stop.
const (
	InDoubt Fate = iota // nobody can tell: ask, or the same key, or a person
	Done                // the outside did it
	Refused             // the outside will not do it
	Again               // surely not done: it may be tried again
	Spent               // surely not done, and tried often enough: a dead letter
)

// Next is a fate with its waiting.
type Next struct {
	Fate  Fate
	Delay time.Duration // not touched before
	Burns bool          // an attempt
	Code  string        // why, for people
}

// Trial is what is known of a record when the outside answers.
type Trial struct {
	Key       Key
	Attempts  int       // burnt so far in this budget
	Crashes   int       // processes that died over it
	LastCode  string    // what the last try came to, for people
	Resend    bool      // the call went out under a key that may have been accepted before
	Since     time.Time // with a look-up: when the record became unknown
	ClaimedAt time.Time // with a look-up: before it was asked; both are the database's
	Lost      Lost      // what a failover may have lost of the record
}

// Limits bounds trying and asking.
type Limits struct {
	AttemptsMax int           // failures of one budget, after which a record is a dead letter
	CrashesMax  int           // processes that died over it, likewise
	Backoff     Backoff       // after a failure, or a throttled call without RetryAfter
	AskEvery    time.Duration // between two tries to resolve an unknown
}

// AfterCall is the fate by an acting call's outcome. Of a resend, "surely not done" and "refused" are said of that call only:
// the doubt about the one before stays.
func (l Limits) AfterCall(o Outcome, t Trial) Next {
	switch o.Kind {
	case Accepted:
		return Next{Fate: Done, Code: o.Code}
	case Rejected:
		if t.Resend { // perhaps because the key is taken: by the message or the refund that was accepted
			return Next{Fate: InDoubt, Delay: l.AskEvery, Code: o.Code}
		}
		return Next{Fate: Refused, Code: o.Code}
	case Throttled, Failed:
		if t.Resend {
			return Next{Fate: InDoubt, Delay: max(l.AskEvery, o.RetryAfter), Code: o.Code}
		}
		return l.surelyNot(t, o.Kind == Failed, o.RetryAfter, o.Code)
	default: // pending: taken, not final yet
		return Next{Fate: InDoubt, Delay: l.AskEvery, Code: o.Code}
	}
}

// AfterLookUp is the fate by the outside's answer about a key. Absent counts only when it was asked the settling time
// after the record became unknown: no call of it can have begun later than that; and of what a failover lost, only while
// the outside surely still knows the key: else it is a person's.
func (l Limits) AfterLookUp(o Outcome, err error, t Trial, terms Terms) Next {
	settled := t.Lost.Settled(t.Since, terms)
	switch {
	case errors.Is(err, ErrAbsent) && t.ClaimedAt.Before(settled):
		return Next{Fate: InDoubt, Delay: settled.Sub(t.ClaimedAt), Code: "looked up: absent, but not settled yet"}
	case errors.Is(err, ErrAbsent) && t.Lost.Forgotten(t.ClaimedAt, terms):
		return Next{Fate: InDoubt, Delay: forgottenEvery, Code: "looked up: absent, but the key may be forgotten by now"}
	case errors.Is(err, ErrAbsent):
		return Next{Fate: Again, Code: "looked up: absent"}
	case err != nil:
		return Next{Fate: InDoubt, Delay: l.AskEvery, Code: "look-up: " + err.Error()}
	case o.Kind == Accepted:
		return Next{Fate: Done, Code: "looked up: " + o.Code}
	case o.Kind == Rejected:
		return Next{Fate: Refused, Code: "looked up: " + o.Code}
	case o.Kind == Failed:
		return Next{Fate: Again, Delay: l.Delay(t), Code: "looked up: " + o.Code}
	default:
		return Next{Fate: InDoubt, Delay: l.AskEvery, Code: "looked up: " + o.Kind.String()}
	}
}

// forgottenEvery is between two look-ups of what only a person can still tell.
const forgottenEvery = time.Hour

// AfterFault is the fate of a record that surely has not acted and cannot be worked on as it is: what is poisonous
// costs attempts, and then its place.
func (l Limits) AfterFault(cause error, t Trial) Next { return l.surelyNot(t, true, 0, cause.Error()) }

// Exhausted says why a record that surely has not acted is not tried any more; empty = it is.
func (l Limits) Exhausted(t Trial) string {
	switch {
	case t.Crashes >= l.CrashesMax:
		return "its process died over it too often; before: " + t.LastCode
	case t.Attempts >= l.AttemptsMax:
		return "attempts are spent: " + t.LastCode
	default:
		return ""
	}
}

func (l Limits) surelyNot(t Trial, burns bool, asked time.Duration, code string) Next {
	n := Next{Fate: Again, Delay: max(l.Delay(t), asked), Burns: burns, Code: code}
	if burns && t.Attempts+1 >= l.AttemptsMax {
		n.Fate = Spent
	}
	return n
}

// Delay is the wait after a failure.
func (l Limits) Delay(t Trial) time.Duration {
	return l.Backoff.Delay(t.Attempts, Jitter(t.Key, t.Attempts))
}
