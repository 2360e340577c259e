package advice

import (
	"time"

	"github.com/recondrill/recondrill/engine"
)

// JobFacts is what advice must know of a job. Times are the database's.
type JobFacts struct {
	State      engine.JobState
	Version    int64
	Now        time.Time
	Since      time.Time // in this state since
	LeaseUntil time.Time // with leased
	NotBefore  time.Time // with ready: not claimed earlier (back-off, pending)
	Paused     string    // why an operator stopped the account or the provider; empty = not paused
	Reason     string    // what the record says of its state
	Deaths     int       // how often it died
}

// Job is the safe act for a job. Reading a statement again harms nothing, so nothing here guards against reading
// twice; what must not happen is that a window is skipped by mistake or that two workers are made to race.
func Job(f JobFacts) Advice {
	a := Advice{Version: f.Version}
	switch f.State {
	case engine.JobReady:
		return waiting(a, f.NotBefore, f.Paused, "a worker claims it when it is due")
	case engine.JobLeased:
		a.Act, a.Until = Wait, f.LeaseUntil
		a.Why = "a worker holds it until " + stamp(f.LeaseUntil)
		if !f.LeaseUntil.IsZero() && !f.Now.Before(f.LeaseUntil) {
			a.Until = time.Time{}
			a.Why = "its lease ended at " + stamp(f.LeaseUntil) + "; the next claim takes it over"
		}
		a.Unsafe = []Unsafe{{Redrive, "the holder may be committing right now; the fence decides, not a person"}}
	case engine.JobDone:
		a.Act, a.Why = Nothing, "reconciled; its breaks have their own corrections"
		a.Unsafe = []Unsafe{{Redrive, "a new generation needs a restated statement"}}
	case engine.JobCancelled:
		a.Act, a.Why = Nothing, "a person skipped this window"
	case engine.JobReview:
		a.Act, a.Why = Review, "the provider's answer could not be judged"+since(f.Since)+": "+orNone(f.Reason)
	case engine.JobParked, engine.JobDead:
		return redriveJob(a, f)
	default:
		return unheardOf(a, string(f.State))
	}
	return a
}

func redriveJob(a Advice, f JobFacts) Advice {
	switch {
	case f.Paused != "":
		a.Act, a.Why = Wait, "paused: "+f.Paused
		a.Unsafe = []Unsafe{{Redrive, "it would only queue up behind the pause"}}
	case f.Deaths >= DeathsMax:
		a.Act, a.Why = Review, "it died too often for another blind try, dead"+since(f.Since)+": "+orNone(f.Reason)
		a.Unsafe = []Unsafe{{Redrive, "the same cause would spend the budget again"}}
	default:
		a.Act, a.Why = Redrive, "reading again harms nothing; last reason: "+orNone(f.Reason)
	}
	return a
}
