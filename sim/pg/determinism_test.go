package pg

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/sim"
)

// runsFor lets a longer hunt be asked for: RECONDRILL_RUNS=2000 go test -run Determinism.
func runsFor(short int) int {
	if n, err := strconv.Atoi(os.Getenv("RECONDRILL_RUNS")); err == nil {
		return n
	}
	return short
}

// requireSame fails with the first line in which two runs part.
func requireSame(t *testing.T, what string, a, b outcome) {
	t.Helper()
	if line, left, right, same := sim.Difference(a.history, b.history); !same {
		require.Failf(t, what, "line %d\n  %s\n  %s", line, left, right)
	}
	require.Equal(t, a.tables, b.tables, what)
	require.Equal(t, a.hash(), b.hash(), what)
}

// TestToy_SameSeedSameHash: seeds with every kind of fault, then again in another order on the same warm server, then the
// deviations that were used, replayed.
func TestToy_SameSeedSameHash(t *testing.T) {
	y := openToy(t)
	n := runsFor(60)
	seeded := func(i int) sim.Decider { return sim.Seeded(uint64(i), 3, toyWeights) }
	first := make([]outcome, n)
	kinds := map[string]int{}
	distinct := map[string]bool{}
	for i := range n {
		first[i] = y.run(t, seeded(i), toyWorkers(true))
		require.NoError(t, first[i].err, "seed %d", i)
		require.Empty(t, first[i].doubled(), "seed %d", i)
		require.Empty(t, first[i].unfinished(), "seed %d", i)
		distinct[first[i].hash()] = true
		for _, d := range first[i].history.Used {
			if d.Class == sim.Fault {
				kinds[d.Value.Verb]++
			}
		}
	}
	for i := n - 1; i >= 0; i-- {
		requireSame(t, fmt.Sprintf("seed %d, again after other runs", i), first[i], y.run(t, seeded(i), toyWorkers(true)))
	}
	for i := range n {
		again := sim.Recorded(sim.Script{Deviations: first[i].history.Used})
		requireSame(t, fmt.Sprintf("seed %d, its deviations replayed", i), first[i], y.run(t, again, toyWorkers(true)))
		require.Empty(t, again.Unused())
	}
	t.Logf("%d seeds, %d distinct runs, faults met: %v", n, len(distinct), kinds)
	for _, verb := range []string{"kill", "cut", "late", "commit", "stall"} {
		if n < 60 {
			break // too few to meet the rare ones
		}
		require.NotZero(t, kinds[verb], "no %s among %v", verb, kinds)
	}
}

func TestToy_AFinishWithoutFenceIsFound(t *testing.T) {
	y := openToy(t)
	for i := range 400 {
		o := y.run(t, sim.Seeded(uint64(i), 2, toyWeights), toyWorkers(false))
		if len(o.doubled()) > 0 {
			t.Logf("found by seed %d: %v", i, o.history.Used)
			again := y.run(t, sim.Recorded(sim.Script{Deviations: o.history.Used}), toyWorkers(false))
			requireSame(t, "the finding replayed", o, again)
			return
		}
	}
	require.Fail(t, "the planted bug was not found in 400 runs")
}

// TestToy_EveryWayToGetAServerGivesTheSameHash: versions and transports are no part of what is hashed.
func TestToy_EveryWayToGetAServerGivesTheSameHash(t *testing.T) {
	var first []outcome
	var firstWay string
	for _, w := range testWays(t) {
		way := w.How + " " + w.Version
		s, err := Open(t.Context(), Options{How: w.How, Image: w.Image, Run: "toy", Core: -1})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close(context.Background())) })
		y := newToy(t, s, "toy")
		var all []outcome
		for i := range 8 {
			all = append(all, y.run(t, sim.Seeded(uint64(i), 3, toyWeights), toyWorkers(true)))
			var won []string
			all = append(all, y.run(t, sim.Seeded(uint64(i), 0, switches), twoWaiters(&won)))
		}
		if first == nil {
			first, firstWay = all, way
			continue
		}
		for i := range all {
			requireSame(t, fmt.Sprintf("run %d on %s and %s", i, firstWay, way), first[i], all[i])
		}
	}
}
