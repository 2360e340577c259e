package reports

import "fmt"

// Verdict is what a run or a campaign came to.
type Verdict string

// The verdicts.
const (
	Pass             Verdict = "pass"
	Vacuous          Verdict = "vacuous"          // a fault that never bit, an oracle that checked nothing, a stale regression
	Violation        Verdict = "violation"        // an invariant broke; a livelock or a stuck run is one too
	Nondeterministic Verdict = "nondeterministic" // the same script ran two ways
	Error            Verdict = "error"            // could not be checked; never green
)

// found is what a run or a drill of a canary comes to where it does not count: the planted bug was found.
const found = "found"

// ExitUsage is the exit code of bad usage or bad input; it is not a verdict.
const ExitUsage = 2

// Verdicts are all of them, the best first: the worst one decides a campaign.
func Verdicts() []Verdict { return []Verdict{Pass, Vacuous, Violation, Nondeterministic, Error} }

// Exit is the exit code. What is no verdict could not be checked.
func (v Verdict) Exit() int {
	switch v {
	case Pass:
		return 0
	case Violation:
		return 1
	case Nondeterministic:
		return 4
	case Vacuous:
		return 5
	default:
		return 3
	}
}

// Worse gives the worse of two verdicts. The zero Verdict is no verdict yet and loses to every other.
func Worse(a, b Verdict) Verdict {
	if rank(b) > rank(a) {
		return b
	}
	return a
}

// ParseVerdict reads a verdict's word.
func ParseVerdict(s string) (Verdict, error) {
	if s == "" || rank(Verdict(s)) == len(Verdicts()) {
		return "", fmt.Errorf("verdict %q: accepted are %v", s, Verdicts())
	}
	return Verdict(s), nil
}

// rank orders verdicts; an unheard-of word is the worst, so that it can never turn green.
func rank(v Verdict) int {
	if v == "" {
		return -1
	}
	for i, known := range Verdicts() {
		if v == known {
			return i
		}
	}
	return len(Verdicts())
}
