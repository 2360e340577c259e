package sim

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

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
	require.Less(t, runs, 35)
	require.Equal(t, "lost", small.Header.Oracle)
}

func TestShrink_NeedsNoDeviationAtAllInOneTry(t *testing.T) {
	runs := 0
	require.Empty(t, Shrink(noisy(40), needs(&runs)).Deviations)
	require.Equal(t, 1, runs)
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
	_, done := Shrinker{Tries: 5, Fails: needs(&runs, 3, 21, 38)}.Shrink(noisy(40))
	require.Equal(t, 5, runs)
	require.False(t, done)
	runs = 0
	_, done = Shrinker{Stop: func() bool { return runs == 3 }, Fails: needs(&runs, 3, 21, 38)}.Shrink(noisy(40))
	require.Equal(t, 3, runs)
	require.False(t, done)
	_, done = Shrinker{Fails: needs(&runs, 3, 21, 38)}.Shrink(noisy(40))
	require.True(t, done)
}

// pieces is delta debugging as it was before: ever smaller pieces of what breaks are left out, then of the switches.
// It is the measure for the tries that a Shrinker needs.
func pieces(best Script, fails func(Script) (Script, bool)) Script {
	for before := -1; before != len(best.Deviations); {
		before = len(best.Deviations)
		for _, group := range [][]Class{{Fault, Latency, Outcome}, {Then, Hold}} {
			best = piecesOf(best, group, fails)
		}
	}
	return best
}

func piecesOf(best Script, group []Class, fails func(Script) (Script, bool)) Script {
	for n := 1; ; {
		members := pick(best.Deviations, func(d Deviation) bool { return slices.Contains(group, d.Class) })
		if len(members) == 0 {
			return best
		}
		n = min(n, len(members))
		found := false
		for i := 0; i < n && !found; i++ {
			gone := members[i*len(members)/n : (i+1)*len(members)/n]
			rest := pick(best.Deviations, func(d Deviation) bool { return !slices.Contains(gone, d) })
			if used, failed := fails(Script{Header: best.Header, Deviations: rest}); failed && len(used.Deviations) < len(best.Deviations) {
				best, found = used, true
			}
		}
		switch {
		case found:
			n = max(n-1, 1)
		case n == len(members):
			return best
		default:
			n *= 2
		}
	}
}

func TestShrink_OfToysNeedsFewerTriesThanPiecesDo(t *testing.T) {
	before, after, found, oldSizes, sizes := 0, 0, 0, 0, 0
	for seed := uint64(1); seed <= 400; seed++ {
		k, lost := playToy(t, Seeded(seed, 3, toyWeights))
		if !lost {
			continue
		}
		found++
		count := func(into *int) func(Script) (Script, bool) {
			return func(s Script) (Script, bool) {
				*into++
				k, lost := playToy(t, Recorded(s))
				return toyScript(k), lost
			}
		}
		old := pieces(toyScript(k), count(&before))
		small := Shrink(toyScript(k), count(&after))
		oldSizes, sizes = oldSizes+len(old.Deviations), sizes+len(small.Deviations)
	}
	t.Logf("%d failures: %d tries to %d deviations, by pieces %d to %d", found, after, sizes, before, oldSizes)
	require.Greater(t, found, 20)
	require.Less(t, after, before)
	require.LessOrEqual(t, sizes, oldSizes)
}

func TestShrink_OfLargeScriptsNeedsHalfTheTriesThatPiecesDo(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	before, after := 0, 0
	for range 100 {
		numbers := make([]int, 1+chance.IntN(3))
		for i := range numbers {
			numbers[i] = 1 + chance.IntN(50)
		}
		old, small := pieces(noisy(50), needs(&before, numbers...)), Shrink(noisy(50), needs(&after, numbers...))
		require.Equal(t, old, small)
	}
	t.Logf("%d tries, by pieces %d", after, before)
	require.Less(t, after, before*3/5)
}

func TestShrink_RunsNoSetTwice(t *testing.T) {
	_, script := failingSeed(t)
	seen := map[string]bool{}
	Shrink(script, func(s Script) (Script, bool) {
		k := setKey(s.Deviations)
		require.False(t, seen[k], k)
		seen[k] = true
		k2, lost := playToy(t, Recorded(s))
		return toyScript(k2), lost
	})
	require.Greater(t, len(seen), 3)
}

func TestShrink_LikelyOnesSaveTries(t *testing.T) {
	with, without := 0, 0
	small, _ := Shrinker{Fails: needs(&with, 22, 38), Likely: func(d Deviation) int {
		if d.At.Nth == 22 || d.At.Nth == 38 {
			return 1
		}
		return 0
	}}.Shrink(noisy(40)) // both are faults
	require.Len(t, small.Deviations, 2)
	Shrink(noisy(40), needs(&without, 22, 38))
	require.Less(t, with, without)
	require.LessOrEqual(t, with, 5)
}

func TestShrink_WhatHidesAFailureIsLeftOutAsWell(t *testing.T) {
	// 1 and 9 together fail; 5 hides it unless 7 is there. So more is not always more.
	runs := 0
	small := Shrink(noisy(12), func(s Script) (Script, bool) {
		runs++
		have := map[int]bool{}
		for _, d := range s.Deviations {
			have[d.At.Nth] = true
		}
		return s, have[1] && have[9] && (!have[5] || have[7])
	})
	require.Len(t, small.Deviations, 2)
}

func TestShrink_MergesSwitchesThatFollowEachOther(t *testing.T) {
	at := func(actor string, nth int) Address { return Address{Actor{actor, 0, "main"}, "sql:Step", nth} }
	two := Script{Header: Header{Oracle: "lost"}, Deviations: []Deviation{
		{at("a", 1), Then, Value{Verb: "b#0/main"}},
		{at("b", 1), Then, Value{Verb: "c#0/main"}},
	}}
	// It fails when c goes on after a's first step, however it got there.
	small := Shrink(two, func(s Script) (Script, bool) {
		next := "a"
		for _, d := range s.Deviations {
			if d.At.Actor.Process == next {
				next = d.Value.Verb[:1]
			}
		}
		return s, next == "c"
	})
	require.Equal(t, []Deviation{{at("a", 1), Then, Value{Verb: "c#0/main"}}}, small.Deviations)
}

func TestShrink_MakesValuesPlainer(t *testing.T) {
	start := Script{Header: Header{Oracle: "lost"}, Deviations: []Deviation{
		{Address{Actor{"w", 0, "main"}, "sql:Step", 1}, Fault, Value{"stall", "7200s"}},
		{Address{Bare("provider"), "refund", 1}, Outcome, Value{"timeout,", "effect later 90s"}},
		{Address{Actor{"w", 0, "main"}, "sql:Step", 2}, Fault, Value{"kill", "after"}},
	}}
	runs := 0
	small, _ := Shrinker{
		Milder: func(d Deviation) []Value {
			if d.Class == Outcome {
				return []Value{{Verb: "pending"}, {"timeout,", "effect now"}, d.Value}
			}
			return nil
		},
		Fails: func(s Script) (Script, bool) {
			runs++
			ok := [3]bool{}
			for _, d := range s.Deviations {
				length, timed := duration(d.Value.Arg)
				ok[0] = ok[0] || d.Value.Verb == "stall" && timed && length >= 45*time.Second
				ok[1] = ok[1] || d.Value.Verb == "timeout,"
				ok[2] = ok[2] || d.Value == killAfter
			}
			return s, ok == [3]bool{true, true, true}
		},
	}.Shrink(start)
	require.Equal(t, []Value{{"stall", "60s"}, {"timeout,", "effect now"}, killAfter}, values(small))
	require.Less(t, runs, 25)
}

func values(s Script) []Value {
	out := make([]Value, len(s.Deviations))
	for i, d := range s.Deviations {
		out[i] = d.Value
	}
	return out
}

func TestShrink_ADurationThatIsNeededCostsOneTry(t *testing.T) {
	start := Script{Header: Header{Oracle: "lost"}, Deviations: []Deviation{{Address{Bare("w"), "l", 1}, Latency, Value{Verb: "91s"}}}}
	runs := 0
	small := Shrink(start, func(s Script) (Script, bool) {
		runs++
		return s, len(s.Deviations) == 1 && s.Deviations[0].Value.Verb == "91s"
	})
	require.Equal(t, start, small)
	require.Equal(t, 2, runs, "without it, and with a minute")
}
