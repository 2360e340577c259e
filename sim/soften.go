package sim

import (
	"slices"
	"time"
)

// merge makes one switch of two that follow each other: the place of one with the choice of the other. It says
// whether it found one.
func (w *shrinking) merge() bool {
	switches := pick(w.best.Deviations, func(d Deviation) bool { return d.Class == Then })
	for i := 1; i < len(switches); i++ {
		first, second := switches[i-1], switches[i]
		both := func(d Deviation) bool { return d != first && d != second }
		for _, one := range []Deviation{{first.At, Then, second.Value}, {second.At, Then, first.Value}} {
			if w.smaller(append(pick(w.best.Deviations, both), one)) {
				return true
			}
		}
	}
	return false
}

// soften makes values plainer, one deviation after the other: a milder one, a shorter duration.
func (w *shrinking) soften() {
	for i := 0; i < len(w.best.Deviations); i++ {
		d := w.best.Deviations[i]
		if w.Milder != nil {
			for _, v := range w.Milder(d) {
				if v == d.Value || w.instead(d, v) {
					break
				}
			}
		}
		if i < len(w.best.Deviations) {
			w.shorten(w.best.Deviations[i])
		}
	}
}

// instead tries another value in the place of d's.
func (w *shrinking) instead(d Deviation, v Value) bool {
	i := slices.Index(w.best.Deviations, d)
	if i < 0 {
		return false
	}
	candidate := slices.Clone(w.best.Deviations)
	candidate[i].Value = v
	used, failed := w.fails(Script{Header: w.best.Header, Deviations: candidate})
	if !failed || len(used.Deviations) > len(candidate) {
		return false
	}
	w.best = used
	return true
}

// sensible are the durations that a story is told with.
var sensible = []time.Duration{
	time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute,
	10 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour,
}

// shorten looks for the shortest sensible duration with which it still fails. Where the next shorter one is too short
// already, that costs one run.
func (w *shrinking) shorten(d Deviation) {
	words, length, ok := timed(d.Value)
	if !ok {
		return
	}
	// With sensible[low] it does not fail, with what stands for high it does.
	low, high := -1, len(pickShorter(length))
	for at := high - 1; high-low > 1; at = (low + high) / 2 {
		v, err := ParseValue(words + Seconds(sensible[at]))
		if err != nil || !w.instead(d, v) {
			low = at
			continue
		}
		high, d.Value = at, v
	}
}

func pickShorter(than time.Duration) []time.Duration {
	n, _ := slices.BinarySearch(sensible, than)
	return sensible[:n]
}

// timed splits a value into its words and the duration that is its last.
func timed(v Value) (words string, length time.Duration, ok bool) {
	words, last := cutLast(v.String())
	length, ok = duration(last)
	return words, length, ok
}
