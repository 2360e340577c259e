package search

import "fmt"

// tally counts what a rung's trials came to.
type tally struct {
	name      string
	trials    int
	found     int
	unchecked int
	prints    map[string]int // how often each fingerprint was seen
	once      int            // fingerprints seen once
}

// Name implements Rung.
func (t *tally) Name() string { return t.name }

func (t *tally) count(o Outcome) {
	t.trials++
	if o.Failed {
		t.found++
	}
	if !o.Checked {
		t.unchecked++
		return
	}
	if t.prints == nil {
		t.prints = map[string]int{}
	}
	t.prints[o.Fingerprint]++
	switch t.prints[o.Fingerprint] {
	case 1:
		t.once++
	case 2:
		t.once--
	}
}

// fresh estimates, as Good and Turing did, the chance that the next run comes to a fingerprint not yet seen: the share of
// the runs whose fingerprint came once.
func (t *tally) fresh() float64 {
	if t.trials == t.unchecked {
		return 1
	}
	return float64(t.once) / float64(t.trials-t.unchecked)
}

func (t *tally) turing() string {
	if t.trials == t.unchecked {
		return "nothing was run"
	}
	return fmt.Sprintf("next run is new with %.1f %% (%d of %d runs came to a fingerprint seen once)", 100*t.fresh(), t.once, t.trials-t.unchecked)
}

func (t *tally) told(bound, frontier string, done bool) Told {
	if t.unchecked > 0 {
		frontier += fmt.Sprintf("; %d runs could not be checked", t.unchecked)
	}
	return Told{Rung: t.name, Bound: bound, Frontier: frontier, Trials: t.trials, Distinct: len(t.prints), Found: t.found, Done: done}
}
