package search

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/sim"
)

func TestNew_KnowsEveryNameAndNamesWhatItAccepts(t *testing.T) {
	for _, name := range Names() {
		r, err := New(name, Options{})
		require.NoError(t, err)
		require.Equal(t, name, r.Name())
		trial, ok := r.Next()
		require.True(t, ok)
		require.Zero(t, trial.ID)
	}
	require.Equal(t, "ladder", Names()[0])
	_, err := New("everest", Options{})
	require.ErrorContains(t, err, "exhaustive")
}

func TestDecider_WhatARunUsedReplaysItHoweverItWasDecided(t *testing.T) {
	y := counters(3, 2)
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			r, err := New(name, Options{Seed: 7})
			require.NoError(t, err)
			deviated := 0
			for range 200 {
				trial, ok := r.Next()
				if !ok {
					break
				}
				o, k := y.play(t, trial)
				deviated += len(o.Used)
				_, again := y.play(t, Trial{How: Scripted, Deviations: o.Used})
				require.Equal(t, k.History().Hash(), again.History().Hash(), "%+v", trial)
				_, twice := y.play(t, trial)
				require.Equal(t, k.History().Hash(), twice.History().Hash(), "%+v", trial)
				r.Took(trial, o)
			}
			require.NotZero(t, deviated)
		})
	}
}

func TestRungs_ProposeTheSameTrialsToOneWorkerAndToFour(t *testing.T) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			var trials [2][]Trial
			for i, workers := range []int{1, 4} {
				r, err := New(name, Options{Seed: 3, Switches: 3})
				require.NoError(t, err)
				trials[i], _, _ = drain(t, r, counters(2, 2), workers, 300)
			}
			require.Equal(t, trials[0], trials[1])
			require.NotEmpty(t, trials[0])
		})
	}
}

func TestRungs_FindALostUpdate(t *testing.T) {
	for _, name := range Names() {
		r, err := New(name, Options{Seed: 1})
		require.NoError(t, err)
		_, outcomes, _ := drain(t, r, counters(2, 2), 2, 200)
		first := 0
		for i, o := range outcomes {
			if o.Failed {
				first = i + 1
				break
			}
		}
		require.NotZero(t, first, name)
		require.NotZero(t, r.Told().Found, name)
		t.Logf("%s: run %d; %+v", name, first, r.Told())
	}
}

func TestPCT_FindsABugOfDepthTwoWithinTheRunsThatItsBoundAllows(t *testing.T) {
	y := counters(2, 1)
	y.weigh = ordersOnly
	y.failing = func(y *toy) bool { return y.cells["x"] == 1 }
	// n tasks, k gates that count, depth d: at least one in n·k^(d-1) runs on average.
	const tasks, gates, runs = 2, 4, 400
	found := 0
	for seed := range runs {
		o, _ := y.play(t, Trial{How: PCT, Seed: uint64(seed), Depth: 1, Length: gates})
		found += one(o.Failed)
	}
	require.GreaterOrEqual(t, found, runs/(tasks*gates))
	t.Logf("%d of %d runs, the bound is %d", found, runs, runs/(tasks*gates))
}

func TestPCT_HasNoMoreChangePointsThanItsDepth(t *testing.T) {
	y := steps("wx wx wx wx", "wx wx wx wx")
	y.weigh = ordersOnly
	for seed := range 100 {
		for depth := range 4 {
			trial := Trial{How: PCT, Seed: uint64(seed), Depth: depth, Length: 8}
			_, k := y.play(t, trial)
			// With two tasks each change makes at most one switch away from the higher one and one back.
			switches := 0
			moves := movesOf(k)
			for i := 1; i < len(moves); i++ {
				switches += one(moves[i] != moves[i-1])
			}
			require.LessOrEqual(t, switches, 1+2*depth, "seed %d", seed)
		}
	}
}

// movesOf lists who moved, from the history.
func movesOf(k *sim.Kernel) (out []sim.Actor) {
	for _, e := range k.History().Entries {
		if e.What == "statement" {
			out = append(out, e.Actor)
		}
	}
	return out
}

func TestPOS_GivesEveryOrderOfARaceAFairShare(t *testing.T) {
	y := steps("wx", "wx", "wx")
	y.weigh = ordersOnly
	finals := map[string]int{}
	for seed := range 600 {
		y.play(t, Trial{How: POS, Seed: uint64(seed)})
		finals[fmt.Sprint(y.heard)]++
	}
	require.Len(t, finals, 6)
	for order, n := range finals {
		require.Greater(t, n, 50, order)
	}
}

func TestSampler_FitsTheLengthOfPCTFromWhatWasMet(t *testing.T) {
	r := NewPCT(Options{Seed: 1})
	trials, _, _ := drain(t, r, steps("wx wx wx wx", "wx wx wx wx"), 3, 2*lengthEvery)
	require.Zero(t, trials[0].Length)
	require.InDelta(t, 8, trials[lengthEvery].Length, 3)
}

func TestTally_SaysHowLikelyTheNextRunIsNew(t *testing.T) {
	var y tally
	for _, f := range []string{"a", "b", "b", "c"} {
		y.count(Outcome{Checked: true, Fingerprint: f})
	}
	y.count(Outcome{})
	require.Contains(t, y.turing(), "50.0 %")
	require.Contains(t, y.told("", y.turing(), false).Frontier, "1 runs could not be checked")
	require.Equal(t, 3, y.told("", "", false).Distinct)
}
