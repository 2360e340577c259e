package delivery

import (
	"time"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres"
)

// rules are what check needs besides the facts.
type rules struct {
	failed       time.Duration // wait after text that could not be made
	askEvery     time.Duration // wait of what stays unknown
	resendWithin time.Duration // since the first submission
	exponents    engine.Exponents
}

// check decides, under the locks, what becomes of a claimed intent. It is pure: a transaction that is done again asks
// again.
func check(f postgres.IntentFacts, r rules) postgres.Decision {
	if f.From == engine.IntentUnknown {
		return checkResend(f, r)
	}
	var ended, left []postgres.Pair
	for _, p := range f.Pairs {
		switch {
		case p.DroppedWhy != "":
		case p.Ended != "":
			ended = append(ended, p)
		default:
			left = append(left, p)
		}
	}
	switch {
	case f.OptedOut:
		return postgres.Decision{To: engine.IntentSuppressed, Why: "opted out", Dropped: ended}
	case len(left) == 0:
		return postgres.Decision{To: engine.IntentSuppressed, Why: endedWhy(f.Pairs), Dropped: ended}
	case f.Address == "":
		return postgres.Decision{To: engine.IntentSuppressed, Why: "address erased", Dropped: ended}
	case f.Paused != "":
		return postgres.Decision{To: engine.IntentReady, Why: f.Paused}
	case f.Doubt != "":
		return postgres.Decision{To: engine.IntentHeld, Why: f.Doubt}
	}
	fixed := f.Fixed.Hash != ""
	if fixed && len(ended) == 0 {
		return postgres.Decision{To: engine.IntentSubmitting, Content: f.Fixed}
	}
	words, err := wordsOf(f, left, r.exponents)
	var content postgres.Content
	if err == nil {
		content, err = render(f.Template, f.Address, words)
	}
	if err != nil {
		return postgres.Decision{To: engine.IntentReady, Why: err.Error(), Delay: r.failed, Burns: true}
	}
	return postgres.Decision{To: engine.IntentSubmitting, Dropped: ended, Content: content, NewAct: fixed}
}

// checkResend lets an unknown intent go out again under its key and with its bytes, or leaves it unknown: what may
// have been sent can be neither suppressed nor changed.
func checkResend(f postgres.IntentFacts, r rules) postgres.Decision {
	stay := func(why string) postgres.Decision {
		return postgres.Decision{To: engine.IntentUnknown, Why: "not sent again: " + why, Delay: r.askEvery}
	}
	for _, p := range f.Pairs {
		if p.DroppedWhy == "" && p.Ended != "" {
			return stay(string(p.Invoice) + " " + p.Ended)
		}
	}
	switch {
	case f.Fixed.Hash == "":
		return stay("nothing was fixed")
	case !f.Now.Before(f.FirstSubmittedAt.Add(r.resendWithin)):
		return stay("the channel may have forgotten the key")
	case f.OptedOut:
		return stay("opted out")
	case f.Paused != "":
		return stay(f.Paused)
	case f.Doubt != "":
		return stay(f.Doubt)
	default:
		return postgres.Decision{To: engine.IntentSubmitting, Content: f.Fixed}
	}
}

func endedWhy(pairs []postgres.Pair) string {
	for _, p := range pairs {
		if p.DroppedWhy != "" {
			return p.DroppedWhy
		}
		if p.Ended != "" {
			return p.Ended
		}
	}
	return "covers nothing"
}
