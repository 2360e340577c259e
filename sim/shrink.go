package sim

import (
	"cmp"
	"slices"
	"strings"
)

// Shrinker makes a failing script smaller and plainer. A candidate is accepted only when it fails by the same oracle
// and what it really used is a smaller set, or one of the same size that is plainer. Runs are what it costs, so no set
// is run twice.
//
// First it looks for the deviations that the failure needs, one after the other: the deviations are put in a row, what
// is likely needed first and switches last, and the shortest part of the row from its beginning that still fails ends
// in one that is needed. That takes about a run for each halving of the row and each deviation needed, where leaving
// out ever smaller pieces takes that many for each piece. It is exact where more deviations never hide the failure; so
// afterwards each that is left is tried without. Then switches are merged, and values made milder.
type Shrinker struct {
	Tries int         // runs it may spend; 0 means 200
	Stop  func() bool // asked before every run; nil never stops
	// Fails runs a candidate and answers the script it really used (a subset of the candidate's deviations, with
	// the run's header) and whether it failed.
	Fails func(Script) (used Script, failed bool)
	// Likely says how likely a deviation is needed, above 0 for what bit. It only saves runs; nil: nothing is known.
	Likely func(Deviation) int
	// Milder lists values to try in a deviation's place, the mildest first; nil: shorter durations only.
	Milder func(Deviation) []Value
}

// Shrink is Shrinker with its defaults.
func Shrink(s Script, fails func(Script) (Script, bool)) Script {
	small, _ := Shrinker{Fails: fails}.Shrink(s)
	return small
}

// Shrink answers the smallest script it found; s itself where nothing smaller or plainer fails in the same way. done says
// that it tried all it had to: false where Tries or Stop ended it, so that something smaller may well be left.
func (r Shrinker) Shrink(s Script) (small Script, done bool) {
	if r.Tries == 0 {
		r.Tries = 200
	}
	if r.Likely == nil {
		r.Likely = func(Deviation) int { return 0 }
	}
	w := &shrinking{Shrinker: r, best: s, known: map[string]result{}}
	w.need()
	w.single()
	for w.merge() {
		w.single()
	}
	w.soften()
	return w.best, !w.cut
}

// shrinking is one Shrink under way.
type shrinking struct {
	Shrinker
	best  Script // fails
	cut   bool   // a run was not made any more
	known map[string]result
}

type result struct {
	used   Script
	failed bool
}

// fails runs a candidate, unless it is known what it comes to.
func (w *shrinking) fails(candidate Script) (Script, bool) {
	set := setKey(candidate.Deviations)
	r, ok := w.known[set]
	if !ok {
		if w.Tries <= 0 || w.Stop != nil && w.Stop() {
			w.Tries, w.cut = 0, true
			return Script{}, false
		}
		w.Tries--
		r.used, r.failed = w.Fails(candidate)
		r.failed = r.failed && r.used.Header.Oracle == w.best.Header.Oracle
		w.known[set] = r
		if len(r.used.Deviations) < len(candidate.Deviations) {
			w.known[setKey(r.used.Deviations)] = r // what met nothing changed nothing: it was the same run
		}
	}
	return r.used, r.failed
}

// smaller tries a candidate and makes it the best one where it is smaller.
func (w *shrinking) smaller(deviations []Deviation) bool {
	used, failed := w.fails(Script{Header: w.best.Header, Deviations: deviations})
	if !failed || len(used.Deviations) >= len(w.best.Deviations) {
		return false
	}
	w.best = used
	return true
}

// need leaves what the failure needs, found one by one.
func (w *shrinking) need() {
	row := w.row()
	var needed []Deviation
	for len(row) > 0 {
		needed, row = w.shortest(needed, row)
		if n := len(row); n > 0 {
			needed, row = append(needed, row[n-1]), row[:n-1]
		}
	}
}

// shortest cuts a row that fails together with what is needed to its shortest beginning that does. Both come back
// without what was not used any more.
func (w *shrinking) shortest(needed, row []Deviation) (still, cut []Deviation) {
	low := -1 // with row[:low] it does not fail
	for probes := w.borders(row); len(row)-low > 1; {
		at := (low + len(row)) / 2
		if len(probes) > 0 {
			at, probes = probes[0], probes[1:]
			if at >= len(row) {
				continue
			}
		}
		if !w.smaller(w.inOrder(needed, row[:at])) {
			low = at
			continue
		}
		probes = nil
		if low > 0 {
			low = len(w.usedOf(row[:low]))
		}
		needed, row = w.usedOf(needed), w.usedOf(row[:at])
		low = min(low, len(row)-1)
	}
	return needed, row
}

// row puts what breaks before what delays before what switches, and in each the likely first.
func (w *shrinking) row() []Deviation {
	row := slices.Clone(w.best.Deviations)
	slices.SortStableFunc(row, func(a, b Deviation) int {
		return cmp.Or(cmp.Compare(rank(a.Class), rank(b.Class)), cmp.Compare(w.Likely(b), w.Likely(a)))
	})
	return row
}

func rank(c Class) int {
	switch c {
	case Fault, Outcome:
		return 0
	case Latency:
		return 1
	case Hold:
		return 2
	default:
		return 3
	}
}

// borders are where the row is best cut first: nothing at all, the likely faults, all but what is held and switched.
func (w *shrinking) borders(row []Deviation) []int {
	likely := pick(row, func(d Deviation) bool { return rank(d.Class) == 0 && w.Likely(d) > 0 })
	delays := pick(row, func(d Deviation) bool { return rank(d.Class) <= 1 })
	return slices.Compact([]int{0, len(likely), len(delays)})
}

// inOrder is what is in one of the two, in the order of the script.
func (w *shrinking) inOrder(a, b []Deviation) []Deviation {
	return pick(w.best.Deviations, func(d Deviation) bool { return slices.Contains(a, d) || slices.Contains(b, d) })
}

// usedOf is what of these the best script has.
func (w *shrinking) usedOf(these []Deviation) []Deviation {
	return pick(these, func(d Deviation) bool { return slices.Contains(w.best.Deviations, d) })
}

func pick(from []Deviation, f func(Deviation) bool) []Deviation {
	var out []Deviation
	for _, d := range from {
		if f(d) {
			out = append(out, d)
		}
	}
	return out
}

// single tries without each that is left, until a whole round finds nothing.
func (w *shrinking) single() {
	for i := 0; i < len(w.best.Deviations); i++ {
		gone := w.best.Deviations[i]
		if w.smaller(pick(w.best.Deviations, func(d Deviation) bool { return d != gone })) {
			i = -1
		}
	}
}

// setKey is the set, whatever its order.
func setKey(set []Deviation) string {
	lines := make([]string, len(set))
	for i, d := range set {
		lines[i] = d.String()
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
