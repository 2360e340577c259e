package search

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLadder_EveryBeginningHoldsEachRungsShare(t *testing.T) {
	l := NewLadder(Options{Seed: 1})
	trials, _, _ := drain(t, l, counters(3, 3), 4, 321)
	of := map[string]int{}
	for i, trial := range trials {
		require.Equal(t, i, trial.ID)
		_, rung, _ := strings.Cut(trial.Rung, "/")
		of[rung]++
		if n := i + 1; n > 64 { // the bounded rungs have but one trial to begin with
			require.GreaterOrEqual(t, of["random"], n*6/32-6)
			require.GreaterOrEqual(t, of["pct"], n*4/32-4)
			require.GreaterOrEqual(t, of["pos"], n*4/32-4)
			require.GreaterOrEqual(t, of["exhaustive"], n*8/32-40)
		}
	}
	t.Log(of)
}

func TestLadder_GoesOnWithDrawnOrdersWhenTheBoundedRungsAreDone(t *testing.T) {
	l := NewLadder(Options{Seed: 1})
	trials, _, _ := drain(t, l, counters(2, 1), 4, 800)
	require.Len(t, trials, 800)
	last := map[How]int{}
	for _, trial := range trials[700:] {
		last[trial.How]++
	}
	require.Zero(t, last[Scripted])
	require.Greater(t, last[POS], 20)
	require.Greater(t, last[PCT], 20)
	told := l.Told()
	require.Len(t, told.Rungs, 5)
	require.True(t, told.Rungs[0].Done && told.Rungs[1].Done)
	require.False(t, told.Done)
	sum := 0
	for _, r := range told.Rungs {
		require.NotEmpty(t, r.Bound)
		require.NotEmpty(t, r.Frontier)
		sum += r.Trials
	}
	require.Equal(t, told.Trials, sum)
}
