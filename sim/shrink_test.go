package sim

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func noisy(n int) Script {
	s := Script{Header: Header{Oracle: "lost"}}
	for i := range n {
		s.Deviations = append(s.Deviations, Deviation{Address{Bare("a"), "l", i + 1}, Class(i % 4), Value{Verb: "v"}})
	}
	return s
}

// needs fails while the numbered deviations are all there.
func needs(runs *int, numbers ...int) func(Script) (Script, bool) {
	return func(s Script) (Script, bool) {
		*runs++
		have := map[int]bool{}
		for _, d := range s.Deviations {
			have[d.At.Nth] = true
		}
		for _, n := range numbers {
			if !have[n] {
				return s, false
			}
		}
		return s, true
	}
}

func TestShrink_LeavesOnlyWhatTheFailureNeeds(t *testing.T) {
	runs := 0
	small := Shrink(noisy(40), needs(&runs, 3, 21, 38))
	require.Len(t, small.Deviations, 3)
	require.Less(t, runs, 90)
	require.Equal(t, "lost", small.Header.Oracle)
}

func TestShrink_NeedsNoDeviationAtAllInOneTryAClass(t *testing.T) {
	runs := 0
	require.Empty(t, Shrink(noisy(40), needs(&runs)).Deviations)
	require.Equal(t, 2, runs)
}

func TestShrink_AnotherOracleOrALargerSetIsNotAccepted(t *testing.T) {
	start := noisy(6)
	other := Shrink(start, func(s Script) (Script, bool) { s.Header.Oracle = "other"; return s, true })
	require.Equal(t, start, other)
	grown := Shrink(start, func(s Script) (Script, bool) { return noisy(6), true })
	require.Equal(t, start, grown)
}

func TestShrink_TakesTheUsedSetWhichMayBeSmallerThanTheCandidate(t *testing.T) {
	small := Shrink(noisy(12), func(s Script) (Script, bool) {
		used := Script{Header: s.Header}
		for _, d := range s.Deviations {
			if d.At.Nth == 5 || d.At.Nth == 6 {
				used.Deviations = append(used.Deviations, d)
			}
		}
		return used, len(used.Deviations) == 2
	})
	require.Len(t, small.Deviations, 2)
}

func TestShrink_IsBoundedByTriesAndByStop(t *testing.T) {
	runs := 0
	Shrinker{Tries: 5, Fails: needs(&runs, 3, 21, 38)}.Shrink(noisy(40))
	require.Equal(t, 5, runs)
	runs = 0
	Shrinker{Stop: func() bool { return runs == 3 }, Fails: needs(&runs, 3, 21, 38)}.Shrink(noisy(40))
	require.Equal(t, 3, runs)
}
