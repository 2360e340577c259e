package sim

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func gateAt(label string, nth int) Gate {
	return Gate{Address: Address{Actor{"p", 0, "main"}, label, nth}, Offers: []Offer{{Fault, killBefore}, {Fault, killAfter}, {Then, Value{Verb: "q#0/main"}}}}
}

func half(g Gate, c Class) []Weighted { return Split(g, c, 5000) }

func TestSeeded_OneAnswerNeverMovesAnother(t *testing.T) {
	all := map[int]Value{}
	d := Seeded(7, 1000, half)
	for i := 1; i <= 100; i++ {
		all[i] = d.Decide(gateAt("sql:X", i), Fault)
	}
	d = Seeded(7, 1000, half)
	for i := 100; i >= 1; i -= 3 {
		d.Decide(gateAt("sql:Y", i), Fault)
		require.Equal(t, all[i], d.Decide(gateAt("sql:X", i), Fault))
	}
}

func TestSeeded_SharesComeOut(t *testing.T) {
	d := Seeded(1, 100000, func(Gate, Class) []Weighted { return []Weighted{{killBefore, 1000}, {killAfter, 3000}} })
	count := map[Value]int{}
	for i := range 20000 {
		count[d.Decide(gateAt(fmt.Sprint("l", i), 1), Fault)]++
	}
	require.InDelta(t, 2000, count[killBefore], 200)
	require.InDelta(t, 6000, count[killAfter], 300)
}

func TestSeeded_BoundsWhatBreaksButNotSwitches(t *testing.T) {
	d := Seeded(1, 2, half)
	faults, switches := 0, 0
	for i := 1; i <= 100; i++ {
		if d.Decide(gateAt("sql:X", i), Fault) != (Value{}) {
			faults++
		}
		if d.Decide(gateAt("sql:X", i), Then) != (Value{}) {
			switches++
		}
	}
	require.Equal(t, 2, faults)
	require.Greater(t, switches, 20)
}

func TestSeeded_WhatIsNotOfferedIsPlainAndCostsNothing(t *testing.T) {
	sure := []Weighted{{Value{"cut", "after"}, 10000}}
	d := Seeded(1, 1, func(Gate, Class) []Weighted { return sure })
	require.Zero(t, d.Decide(gateAt("sql:X", 1), Fault))
	sure = []Weighted{{killAfter, 10000}}
	require.Equal(t, killAfter, d.Decide(gateAt("sql:X", 2), Fault))
	require.Zero(t, Seeded(1, 1, nil).Decide(gateAt("sql:X", 2), Fault))
}

func TestSplit_PartsSumToTheWhole(t *testing.T) {
	g := Gate{Offers: []Offer{{Then, Value{Verb: "a"}}, {Then, Value{Verb: "b"}}, {Fault, killAfter}, {Then, Value{Verb: "c"}}}}
	require.Equal(t, []Weighted{{Value{Verb: "a"}, 34}, {Value{Verb: "b"}, 33}, {Value{Verb: "c"}, 33}}, Split(g, Then, 100))
	require.Empty(t, Split(g, Outcome, 100))
}
