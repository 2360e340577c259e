package advice

import (
	"time"

	"github.com/recondrill/recondrill/engine"
)

// CorrectionFacts is what advice must know of a correction. Times are the database's.
type CorrectionFacts struct {
	State         engine.CorrectionState
	Kind          engine.CorrectionKind
	Version       int64
	Now           time.Time
	Since         time.Time // in this state since
	LeaseUntil    time.Time // with submitting
	SubmittedAt   time.Time // first submission under its key; zero = never
	ResendRefused bool      // with unknown: the same key again was refused, perhaps because the first call was accepted
	Terms         engine.Terms
	Lost          engine.Lost // it may have been done in what a failover lost: it is asked about before it acts
	Paused        string      // why an operator stopped the provider or the account; empty = not paused
	Reason        string      // what the record says of its state
	BreakOpen     bool        // its break still asks for it
	OtherInDoubt  bool        // another correction of the same payment is submitting or unknown
	ApprovedOnce  string      // with proposed: who approved it already, where its amount takes two persons; empty = nobody
	OverCap       string      // which cap of number, money or share it is above; empty = none
	Deaths        int
}

// Correction is the safe act for a correction. Money that left twice comes back only by asking people for it.
func Correction(f CorrectionFacts) Advice {
	a := Advice{Version: f.Version}
	switch f.State {
	case engine.CorrectionProposed:
		return proposedCorrection(a, f)
	case engine.CorrectionApproved:
		if f.Lost.Any() {
			return waiting(a, time.Time{}, f.Paused, lostWhy(f.Lost, "done")+": a worker asks about its key before anything else")
		}
		return waiting(a, time.Time{}, f.Paused, "a worker re-checks and submits it")
	case engine.CorrectionSubmitting:
		a.Act, a.Until, a.Why = Wait, f.LeaseUntil, "a call may be running; when its lease ends it is called unknown"
		a.Unsafe = []Unsafe{
			{Redrive, "the refund may be on its way"},
			{ResendSameKey, "the first call may still be on its way"},
			{Refuse, "it cannot be called back"},
		}
	case engine.CorrectionUnknown:
		return unknownCorrection(a, f)
	case engine.CorrectionRejected:
		if !f.BreakOpen {
			a.Act, a.Why = Nothing, "refused by the provider, and its break is gone"
			break
		}
		a.Act, a.Why = Review, "the provider refused for good: "+orNone(f.Reason)+"; the break is still open"
		a.Unsafe = []Unsafe{{ResendSameKey, "the same key gets the same answer"}}
	case engine.CorrectionParked, engine.CorrectionDead:
		return stoppedCorrection(a, f)
	case engine.CorrectionApplied:
		a.Act, a.Why = Nothing, "done"
		a.Unsafe = []Unsafe{{Redrive, "it would be done twice"}}
	case engine.CorrectionRefused, engine.CorrectionSuperseded:
		a.Act, a.Why = Nothing, "ended: "+orNone(f.Reason)
	default:
		return unheardOf(a, string(f.State))
	}
	return a
}

func proposedCorrection(a Advice, f CorrectionFacts) Advice {
	switch {
	case !f.BreakOpen:
		a.Act, a.Why = Refuse, "its break no longer asks for it"
		a.Unsafe = []Unsafe{{Approve, "it would correct what is already right"}}
	case f.Kind == engine.CorrectionTask:
		a.Act, a.Why = Review, "a person's task: "+orNone(f.Reason)
		a.Unsafe = []Unsafe{{Approve, "nothing mechanical corrects it"}}
	case f.OtherInDoubt:
		a.Act, a.Why = Wait, "another act on the same payment is still in doubt"
		a.Unsafe = []Unsafe{{Approve, "both may come to be done"}}
	case f.OverCap != "":
		a.Act, a.Why = Review, "above a cap: "+f.OverCap
		a.Unsafe = []Unsafe{{Approve, "so many differences at once may be one wrong statement"}}
	case f.Paused != "":
		a.Act, a.Why = Wait, "paused: "+f.Paused
		a.Unsafe = []Unsafe{{Approve, "it would only queue up behind the pause"}}
	case f.ApprovedOnce != "":
		a.Act, a.Why = Review, f.ApprovedOnce+" approved it, and its amount takes two persons: another one must approve it too"
		a.Unsafe = []Unsafe{{Approve, "by the same person: twice the same is one person"}}
	default:
		a.Act, a.Why = Approve, "its break is open, and no other act on the payment is in doubt"
	}
	return a
}

// unknownCorrection: ask; else the same key while it is remembered; else a person asks the provider's people.
func unknownCorrection(a Advice, f CorrectionFacts) Advice {
	a.Unsafe = []Unsafe{
		{Redrive, "it may have been done: another key would do it again"},
		{Refuse, "it may have been done"},
	}
	switch {
	case cannotAsk(f.Lost, f.Now, f.Terms):
		a.Act, a.Why = Review, lostWhy(f.Lost, "done")+"; the provider cannot be asked any more by key: its own list of refunds tells"
		a.Unsafe = append(a.Unsafe, Unsafe{ResendSameKey, "a forgotten key is a second refund"})
		return a
	case f.Terms.LookUp:
		a.Act, a.Until = LookUp, f.Lost.Settled(f.SubmittedAt, f.Terms)
		a.Why = `the provider can be asked; "absent" counts only from ` + stamp(a.Until)
		return a
	case f.ResendRefused:
		a.Act, a.Why = Review, "the provider cannot be asked, and refused the same key: "+orNone(f.Reason)+"; it may have done it before"
	case !mayResend(f.Now, f.SubmittedAt, f.Terms):
		a.Act, a.Why = Review, "unknown"+since(f.Since)+"; the provider can neither be asked nor does it surely still know the key"
	case f.OtherInDoubt || !f.BreakOpen:
		a.Act, a.Why = Review, "it may have been done, and it is no longer sure that it is wanted"
	case f.Paused != "":
		a.Act, a.Until, a.Why = Wait, ResendUntil(f.SubmittedAt, f.Terms), "paused: "+f.Paused
	default:
		a.Act = ResendSameKey
		a.Why = "the provider knows the key until " + stamp(ResendUntil(f.SubmittedAt, f.Terms)) +
			" and answers for the first call"
		return a
	}
	a.Unsafe = append(a.Unsafe, Unsafe{ResendSameKey, "if the first call was lost or its key forgotten, this one pays out"})
	return a
}

// stoppedCorrection is for parked and dead: surely not done, as far as the database knows.
func stoppedCorrection(a Advice, f CorrectionFacts) Advice {
	sure := surelyNot(f.Lost, "done")
	switch {
	case !f.BreakOpen:
		a.Act, a.Why = Refuse, sure+", and its break no longer asks for it"
		a.Unsafe = []Unsafe{{Redrive, "it would correct what is already right"}}
	case f.OtherInDoubt:
		a.Act, a.Why = Wait, sure+"; another act on the same payment is still in doubt"
		a.Unsafe = []Unsafe{{Redrive, "both may come to be done"}}
	case f.Paused != "":
		a.Act, a.Why = Wait, sure+"; paused: "+f.Paused
		a.Unsafe = []Unsafe{{Redrive, "it would only queue up behind the pause"}}
	case f.Deaths >= DeathsMax:
		a.Act, a.Why = Review, sure+"; it died too often: "+orNone(f.Reason)
		a.Unsafe = []Unsafe{{Redrive, "the same cause would spend the budget again"}}
	default:
		a.Act, a.Why = Redrive, sure+"; last reason: "+orNone(f.Reason)
	}
	return a
}
