package advice

import (
	"time"

	"github.com/recondrill/recondrill/engine"
)

// Act is what a person (or the drills' operator) may do to a record. Package ops has one function per act.
type Act string

// The acts advice can name.
const (
	Nothing       Act = "nothing"         // the record is final
	Wait          Act = "wait"            // the engine will move it; look again at Until
	Redrive       Act = "redrive"         // back to ready (a correction: approved) with a new attempt budget
	LookUp        Act = "look_up"         // ask the outside by our key
	ResendSameKey Act = "resend_same_key" // submit again under the same key, which the outside still remembers
	ReleaseHold   Act = "release_hold"    // held → ready: the named doubt is gone
	Suppress      Act = "suppress"        // nothing is left to remind of
	Approve       Act = "approve"         // proposed → approved
	Refuse        Act = "refuse"          // the correction is not wanted any more
	GiveUp        Act = "give_up"         // end it without sending
	Review        Act = "review"          // a person reads the evidence and decides; nothing mechanical is safe
)

// Acts is the list of them, for ops and for tests.
func Acts() []Act {
	return []Act{Nothing, Wait, Redrive, LookUp, ResendSameKey, ReleaseHold, Suppress, Approve, Refuse, GiveUp, Review}
}

// Advice is the one safe act for a record as it was seen.
type Advice struct {
	Act     Act
	Version int64     // of the record the advice saw; goes back as --expect, and a record that moved is refused
	Why     string    // for people
	Until   time.Time // with Wait: when to look again, zero where no time is known; with LookUp: when "absent" counts
	Unsafe  []Unsafe  // what must not be done now, in the order of Acts
}

// Unsafe is an act that would do harm, and which.
type Unsafe struct {
	Act Act
	Why string
}

// DeathsMax is how often a record may die before redriving it stops being the advice: the cause is in the record,
// and only a person can find it.
const DeathsMax = 3

// ResendUntil is the last instant at which the same key may be submitted again: the outside must still know the
// key when the call arrives, however long that takes. Zero where the outside does not know keys.
func ResendUntil(firstSubmission time.Time, terms engine.Terms) time.Time {
	if !terms.Keyed || firstSubmission.IsZero() {
		return time.Time{}
	}
	return firstSubmission.Add(terms.KeyRetention - terms.CallTimeout - engine.KeySkew)
}

// mayResend says whether the same key is surely still remembered.
func mayResend(now, firstSubmission time.Time, terms engine.Terms) bool {
	until := ResendUntil(firstSubmission, terms)
	return !until.IsZero() && now.Before(until)
}

// waiting is the advice for what a worker will pick up by itself.
func waiting(a Advice, notBefore time.Time, paused, why string) Advice {
	a.Act, a.Until, a.Why = Wait, notBefore, why
	if paused != "" {
		a.Until, a.Why = time.Time{}, "paused: "+paused
	}
	return a
}

// unheardOf is for a state this build does not know, as after a newer one wrote to the database: hands off.
func unheardOf(a Advice, state string) Advice {
	a.Act, a.Why = Review, "the state "+state+" is not known to this build"
	for _, act := range Acts() {
		if act != Nothing && act != Wait && act != Review {
			a.Unsafe = append(a.Unsafe, Unsafe{act, "its meaning is not known"})
		}
	}
	return a
}

// lostWhy words that an act may be lost.
func lostWhy(l engine.Lost, done string) string {
	return "it may have been " + done + " in what was lost since " + stamp(l.Since)
}

// surelyNot says how sure it is that a stopped record was not sent, or not done.
func surelyNot(l engine.Lost, done string) string {
	if l.Any() {
		return lostWhy(l, done) + ", and redriven it is asked about first"
	}
	return "surely not " + done
}

// cannotAsk: what a failover lost can't be asked about by key, or not any more.
func cannotAsk(l engine.Lost, now time.Time, terms engine.Terms) bool {
	return l.Any() && (!terms.LookUp || l.Forgotten(now, terms))
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05Z") }

// since words how long a record has been waiting.
func since(t time.Time) string { return " since " + stamp(t) }

func orNone(reason string) string {
	if reason == "" {
		return "no reason recorded"
	}
	return reason
}
