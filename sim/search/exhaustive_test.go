package search

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/sim"
)

func sorted(m map[string]int) []string { return slices.Sorted(maps.Keys(m)) }

func TestExhaustive_ComesToWhatFullEnumerationComesTo(t *testing.T) {
	for name, y := range map[string]*toy{
		"lost update":          counters(2, 2),
		"three":                counters(3, 1),
		"independent":          steps("wa wa", "wb wb", "wc wc"),
		"readers":              steps("ra rb", "rb ra", "wa"),
		"crossed":              steps("wa wb", "wb wa"),
		"chain":                steps("wa rb", "wb rc", "wc ra"),
		"over time":            steps("wa ~ rb", "wb ~ ra wa"),
		"unequal":              steps("wa ~ wb", "rb", "wa rb"),
		"readers and a writer": steps("rx wy", "rx", "wx rx"),
	} {
		t.Run(name, func(t *testing.T) {
			full := NewExhaustive(Options{Switches: -1, Full: true, Set: -1})
			_, _, want := drain(t, full, y, 1, 100000)
			require.True(t, full.Told().Done)
			reduced := NewExhaustive(Options{Switches: -1, Set: -1})
			_, _, got := drain(t, reduced, y, 1, 100000)
			require.True(t, reduced.Told().Done)
			require.Equal(t, sorted(want), sorted(got))
			t.Logf("%d finals, %d fingerprints: full %d runs, reduced %d runs (%d redundant)", len(want), full.Told().Distinct, full.Told().Trials, reduced.Told().Trials, reduced.redundant)
			require.Zero(t, full.astray+reduced.astray)
			require.Less(t, reduced.trials, full.trials)
			require.Equal(t, full.Told().Distinct, reduced.Told().Distinct, "it leaves out no order of moves that meet")
		})
	}
}

// drawnSteps is the toy of a seed: three processes of one to three steps.
func drawnSteps(seed uint64) *toy {
	words := strings.Fields("ra wa rb wb rc wc ~ ra wb")
	lists := make([]string, 3)
	for i := range lists {
		for j := range 1 + draw(seed, "steps", strconv.Itoa(i))%2 {
			lists[i] += words[draw(seed, "step", fmt.Sprint(i, j))%uint64(len(words))] + " "
		}
	}
	return steps(lists...)
}

func TestExhaustive_WidensItsBoundUntilNothingIsLeft(t *testing.T) {
	lost, ends := 0, 0
	for seed := range uint64(30) {
		y := drawnSteps(seed)
		_, _, want := drain(t, NewExhaustive(Options{Switches: -1, Set: -1, Full: true}), y, 1, 100000)
		bounded := NewExhaustive(Options{Switches: 1, Set: -1})
		_, _, some := drain(t, bounded, y, 1, 100000)
		require.True(t, bounded.Told().Done)
		if len(some) < len(want) {
			require.NotZero(t, bounded.beyond, "what a bound leaves out is told")
		}
		lost, ends = lost+len(want)-len(some), ends+len(want)
		widening := NewExhaustive(Options{Set: -1})
		_, _, got := drain(t, widening, y, 2, 100000)
		require.True(t, widening.Told().Done)
		require.Equal(t, sorted(want), sorted(got), "seed %d", seed)
	}
	require.NotZero(t, lost)
	t.Logf("one switch leaves out %d of %d ends", lost, ends)
}

func TestExhaustive_AFootprintThatNamesTooLittleLosesEnds(t *testing.T) {
	y := counters(2, 1)
	y.blind = true
	_, _, want := drain(t, NewExhaustive(Options{Switches: -1, Set: -1, Full: true}), y, 1, 1000)
	_, _, got := drain(t, NewExhaustive(Options{Switches: -1, Set: -1}), y, 1, 1000)
	require.Less(t, len(got), len(want), "the comparison can fail")
}

func TestExhaustive_SetsWhatIsGivenBesidesOrders(t *testing.T) {
	kill := sim.Deviation{At: sim.Address{Actor: sim.Actor{Process: "p1", Task: "main"}, Label: "sql:Writex", Nth: 1}, Class: sim.Fault, Value: sim.Value{Verb: "kill", Arg: "after"}}
	x := NewExhaustive(Options{Switches: -1, Given: []sim.Deviation{kill}})
	trials, outcomes, _ := drain(t, x, counters(2, 2), 2, 1000)
	require.True(t, x.Told().Done)
	orders := map[int]map[string]bool{0: {}, 1: {}}
	for i, o := range outcomes {
		set := slices.ContainsFunc(trials[i].Deviations, func(d sim.Deviation) bool { return d == kill })
		orders[one(set)][o.Fingerprint] = true
	}
	require.Len(t, orders[0], 34, "as without")
	require.Greater(t, len(orders[1]), 5)
}

func TestExhaustive_TasksOfOneProcessAreReorderedWhateverTheyTouch(t *testing.T) {
	y := &toy{setup: func(k *sim.Kernel, y *toy) {
		k.Process("p", -1, func(ctx context.Context, p *sim.Process) error {
			memory := 0
			other := p.Spawn(ctx, "other", func(ctx context.Context) error {
				_, err := k.Pass(ctx, sim.Gate{Address: sim.Address{Label: "sql:Nothing"}, Kind: sim.Statement})
				memory = 2
				return err
			})
			if _, err := k.Pass(ctx, sim.Gate{Address: sim.Address{Label: "sql:Nothing"}, Kind: sim.Statement}); err != nil {
				return err
			}
			memory = 1
			err := other.Wait(ctx)
			y.cells["memory"] = memory
			return err
		})
	}}
	_, _, finals := drain(t, NewExhaustive(Options{Switches: -1}), y, 1, 100)
	require.Len(t, finals, 2)
}

func TestExhaustive_SaysWhenARunDoesNotGoTheWayItWasSent(t *testing.T) {
	x := NewExhaustive(Options{Switches: -1})
	y := counters(2, 1)
	plain, _ := x.Next()
	o, _ := y.play(t, plain)
	x.Took(plain, o)
	next, ok := x.Next()
	require.True(t, ok)
	x.Took(next, o) // what the plain run came to
	require.Contains(t, x.Told().Frontier, "1 runs went astray")
}
