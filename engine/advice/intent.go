package advice

import (
	"time"

	"github.com/recondrill/recondrill/engine"
)

// IntentFacts is what advice must know of an intent. Times are the database's.
type IntentFacts struct {
	State          engine.IntentState
	Version        int64
	Now            time.Time
	Since          time.Time // in this state since
	LeaseUntil     time.Time // with leased and submitting
	NotBefore      time.Time // with ready: not claimed earlier
	SubmittedAt    time.Time // first submission under the present key; zero = never
	ResendRefused  bool      // with unknown: the same key again was refused, perhaps because the first call was accepted
	Terms          engine.Terms
	Lost           engine.Lost // it may have been sent in what a failover lost: it is asked about before it acts
	Paused         string      // why an operator stopped the channel or the account; empty = not paused
	Reason         string      // what the record says of its state
	Ended          string      // why nothing is left to remind of (paid, cancelled, opted out); empty = something is
	PartEnded      string      // with unknown: why one of the invoices in its text, which cannot change, is not to be reminded of; empty = none
	Doubt          string      // why reminding now would be dunning on doubt (open break, payment lag); empty = no doubt
	ContactChanged bool        // the contact's address was corrected after the refusal
	Deaths         int
}

// Intent is the safe act for an intent: a message too few can be sent tomorrow, a message too many cannot be
// taken back.
func Intent(f IntentFacts) Advice {
	a := Advice{Version: f.Version}
	switch f.State {
	case engine.IntentReady:
		if f.Lost.Any() {
			return waiting(a, f.NotBefore, f.Paused, lostWhy(f.Lost, "sent")+": a worker asks about its key before anything else")
		}
		return waiting(a, f.NotBefore, f.Paused, "a worker claims it and re-checks everything before it submits")
	case engine.IntentLeased:
		a.Act, a.Until, a.Why = Wait, f.LeaseUntil, "a worker holds it; nothing has been submitted"
		a.Unsafe = []Unsafe{{Redrive, "the holder may submit right now"}}
	case engine.IntentSubmitting:
		a.Act, a.Until, a.Why = Wait, f.LeaseUntil, "a call may be running; when its lease ends it is called unknown"
		a.Unsafe = []Unsafe{
			{Redrive, "a new act number is a new message to the channel"},
			{ResendSameKey, "the first call may still be on its way"},
			{GiveUp, "the call's own answer would have nowhere to go"},
		}
	case engine.IntentUnknown:
		return unknownIntent(a, f)
	case engine.IntentHeld, engine.IntentReview:
		return heldIntent(a, f)
	case engine.IntentRejected, engine.IntentParked, engine.IntentDead:
		return stoppedIntent(a, f)
	case engine.IntentSent:
		a.Act, a.Why = Nothing, "the channel accepted it; receipts tell the rest"
		a.Unsafe = []Unsafe{{Redrive, "the customer would get it twice"}}
	case engine.IntentSuppressed, engine.IntentGivenUp:
		a.Act, a.Why = Nothing, "ended: "+orNone(f.Reason)
	default:
		return unheardOf(a, string(f.State))
	}
	return a
}

// unknownIntent: ask; else the same key while it is remembered; else end the doubt without sending.
func unknownIntent(a Advice, f IntentFacts) Advice {
	a.Unsafe = []Unsafe{{Redrive, "it may have been sent: a new key would send it again"}}
	switch {
	case cannotAsk(f.Lost, f.Now, f.Terms):
		a.Act, a.Why = Review, lostWhy(f.Lost, "sent")+"; the channel cannot be asked any more: its own log, or the customer, tells"
		a.Unsafe = append(a.Unsafe, Unsafe{ResendSameKey, "the text and the act number of what may have been sent are lost"})
	case f.Terms.LookUp:
		a.Act, a.Until = LookUp, f.Lost.Settled(f.SubmittedAt, f.Terms)
		a.Why = `the channel can be asked; "absent" counts only from ` + stamp(a.Until)
		a.Unsafe = append(a.Unsafe, Unsafe{GiveUp, "the truth can still be known"})
	case f.ResendRefused:
		a.Act, a.Why = GiveUp, "the channel cannot be asked, and refused the same key: "+orNone(f.Reason)+"; it may have accepted it before"
		a.Unsafe = append(a.Unsafe, Unsafe{ResendSameKey, "it gets the same answer"})
	case !mayResend(f.Now, f.SubmittedAt, f.Terms):
		a.Act, a.Why = GiveUp, "the channel can neither be asked nor does it surely still know the key"
		a.Unsafe = append(a.Unsafe, Unsafe{ResendSameKey, "a forgotten key is a new message"})
	case f.Ended != "":
		a.Act, a.Why = GiveUp, "nothing is left to remind of: "+f.Ended
		a.Unsafe = append(a.Unsafe, Unsafe{ResendSameKey, "if the first call was lost, this one would remind for nothing"})
	case f.PartEnded != "":
		a.Act, a.Why = GiveUp, "its text cannot be changed, and reminds of what is settled: "+f.PartEnded
		a.Unsafe = append(a.Unsafe, Unsafe{ResendSameKey, "if the first call was lost, this one would remind of it"})
	case f.Paused != "" || f.Doubt != "":
		a.Act, a.Until = Wait, ResendUntil(f.SubmittedAt, f.Terms)
		a.Why = "paused or in doubt: " + f.Paused + f.Doubt
		a.Unsafe = append(a.Unsafe, Unsafe{ResendSameKey, "if the first call was lost, this one would go out now"})
	default:
		a.Act, a.Why = ResendSameKey, "the channel knows the key until "+stamp(ResendUntil(f.SubmittedAt, f.Terms))+
			" and answers for the first message"
		a.Unsafe = append(a.Unsafe, Unsafe{GiveUp, "the truth can still be known"})
	}
	return a
}

func heldIntent(a Advice, f IntentFacts) Advice {
	switch {
	case f.Ended != "":
		a.Act, a.Why = Suppress, "nothing is left to remind of: "+f.Ended
		a.Unsafe = []Unsafe{{ReleaseHold, "the customer owes nothing"}}
	case f.Doubt != "" && f.State == engine.IntentReview && f.Lost.Any():
		a.Act, a.Why = Review, "in review"+since(f.Since)+": "+f.Doubt
		a.Unsafe = []Unsafe{{ReleaseHold, "the customer may have it already"}}
	case f.Doubt != "" && f.State == engine.IntentReview:
		a.Act, a.Why = Review, "held for too long, in review"+since(f.Since)+", and the doubt is still there: "+f.Doubt
		a.Unsafe = []Unsafe{{ReleaseHold, "the customer may have paid"}}
	case f.Doubt != "":
		a.Act, a.Why = Wait, "held"+since(f.Since)+": "+f.Doubt
		a.Unsafe = []Unsafe{{ReleaseHold, "the customer may have paid"}}
	case f.Paused != "":
		a.Act, a.Why = Wait, "paused: "+f.Paused
		a.Unsafe = []Unsafe{{ReleaseHold, "it would only queue up behind the pause"}}
	default:
		a.Act, a.Why = ReleaseHold, "the reason is gone: "+orNone(f.Reason)
	}
	return a
}

// stoppedIntent is for rejected, parked and dead: surely not sent, as far as the database knows.
func stoppedIntent(a Advice, f IntentFacts) Advice {
	sure := surelyNot(f.Lost, "sent")
	switch {
	case f.Ended != "":
		a.Act, a.Why = GiveUp, sure+", and nothing is left to remind of: "+f.Ended
		a.Unsafe = []Unsafe{{Redrive, "the customer owes nothing"}}
	case f.State == engine.IntentRejected && !f.ContactChanged:
		a.Act, a.Why = GiveUp, "the channel refused for good: "+orNone(f.Reason)+"; later steps have their own intents"
		a.Unsafe = []Unsafe{{Redrive, "the same address gets the same answer, and costs reputation"}}
	case f.Paused != "" || f.Doubt != "":
		a.Act, a.Why = Wait, sure+"; paused or in doubt: "+f.Paused+f.Doubt
		a.Unsafe = []Unsafe{{Redrive, "it is stopped for that reason"}}
	case f.Deaths >= DeathsMax:
		a.Act, a.Why = GiveUp, sure+"; it died too often: "+orNone(f.Reason)
		a.Unsafe = []Unsafe{{Redrive, "the same cause would spend the budget again"}}
	default:
		a.Act, a.Why = Redrive, sure+"; a new act number sends it once: "+orNone(f.Reason)
	}
	return a
}
