package sim

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// act is one statement of a toy process.
type act struct {
	label string
	foot  Footprint
	tells func() string // its outcome; nil: none
}

// orderly runs one process for each list of acts, their moves in this order, and answers the fingerprint. The first
// move of each is its start.
func orderly(t *testing.T, order []int, processes ...[]act) (*Kernel, string) {
	k, err := play(t, Config{Decider: inOrder(order), Latencies: []time.Duration{time.Second}}, func(k *Kernel) {
		for n, acts := range processes {
			k.Process(fmt.Sprint("p", n), -1, func(ctx context.Context, p *Process) error {
				for _, a := range acts {
					if _, err := k.Pass(ctx, Gate{Address: Address{Label: a.label}, Kind: Statement, Foot: a.foot}); err != nil {
						return err
					}
					if a.tells != nil {
						k.Note(ctx, Entry{What: "result", Text: k.Now().String(), Outcome: a.tells()})
					}
				}
				return nil
			})
		}
	})
	require.NoError(t, err)
	return k, k.Fingerprint()
}

// inOrder lets processes move in this order, by number; then plainly.
func inOrder(order []int) Decider {
	return deciderFunc(func(_ Gate, c Class) Value {
		if c != Then || len(order) == 0 {
			return Value{}
		}
		next := order[0]
		order = order[1:]
		return Value{Verb: fmt.Sprintf("p%d#0/main", next)}
	})
}

type deciderFunc func(Gate, Class) Value

func (f deciderFunc) Decide(g Gate, c Class) Value { return f(g, c) }

func writes(names ...string) Footprint { return Footprint{Writes: names} }
func reads(names ...string) Footprint  { return Footprint{Reads: names} }

func single(f Footprint) []act { return []act{{label: "sql:Act", foot: f}} }

func TestFingerprint_TellsOrdersOfMovesApartThatMeetAndNoOthers(t *testing.T) {
	for name, c := range map[string]struct {
		a, b Footprint
		same bool
	}{
		"both write":            {writes("x"), writes("x"), false},
		"one reads":             {writes("x"), reads("x"), false},
		"the other reads":       {reads("x"), writes("x"), false},
		"one of many":           {writes("a", "x"), writes("b", "x"), false},
		"reads and writes":      {Footprint{Reads: []string{"x"}, Writes: []string{"x"}}, reads("x"), false},
		"may touch anything":    {Footprint{All: true}, reads("x"), false},
		"anything and anything": {Footprint{All: true}, Footprint{All: true}, false},
		"both read":             {reads("x"), reads("x"), true},
		"different things":      {writes("x"), writes("y"), true},
		"touches nothing":       {Footprint{}, Footprint{All: true}, true},
	} {
		_, ab := orderly(t, []int{0, 0, 1, 1}, single(c.a), single(c.b))
		_, ba := orderly(t, []int{1, 1, 0, 0}, single(c.a), single(c.b))
		require.Equal(t, c.same, ab == ba, name)
		require.Equal(t, c.same, !c.a.Meets(c.b), name)
	}
}

func TestFingerprint_TellsOrdersApartThroughChains(t *testing.T) {
	// p0 and p1 never meet; both meet p2, whose own order ties them: first p0's, then p1's, or the other way round.
	processes := [][]act{single(writes("x")), single(writes("y")), {{label: "sql:X", foot: reads("x")}, {label: "sql:Y", foot: reads("y")}}}
	_, before := orderly(t, []int{0, 0, 1, 1, 2, 2, 2}, processes...)
	_, swapped := orderly(t, []int{1, 1, 0, 0, 2, 2, 2}, processes...)
	require.Equal(t, before, swapped)
	_, between := orderly(t, []int{2, 0, 0, 2, 1, 1, 2}, processes...)
	require.Equal(t, before, between)
	_, late := orderly(t, []int{0, 0, 2, 2, 2, 1, 1}, processes...)
	require.NotEqual(t, before, late)
	// A change early in a chain is seen at its end, whatever lies between.
	links := [][]act{single(writes("x")), single(writes("x")), single(Footprint{Reads: []string{"x"}, Writes: []string{"y"}}), single(reads("y"))}
	_, chain := orderly(t, []int{0, 0, 1, 1, 2, 2, 3, 3}, links...)
	_, other := orderly(t, []int{1, 1, 0, 0, 2, 2, 3, 3}, links...)
	require.NotEqual(t, chain, other)
}

func TestFingerprint_ManyOrdersHaveAsManyAsThereAreOrdersOfWhatMeets(t *testing.T) {
	// Of the 24 orders of four moves, two pairs of which meet, four are different.
	processes := [][]act{single(writes("x")), single(reads("x")), single(writes("y")), single(Footprint{Reads: []string{"y"}, Writes: []string{"z"}})}
	distinct := map[string]bool{}
	orders := 0
	permute([]int{0, 1, 2, 3}, func(p []int) {
		_, f := orderly(t, append([]int{0, 1, 2, 3}, p...), processes...)
		distinct[f] = true
		orders++
	})
	require.Equal(t, 24, orders)
	require.Len(t, distinct, 4)
}

func permute(p []int, f func([]int)) {
	var rec func(n int)
	rec = func(n int) {
		if n == len(p) {
			f(p)
			return
		}
		for i := n; i < len(p); i++ {
			p[n], p[i] = p[i], p[n]
			rec(n + 1)
			p[n], p[i] = p[i], p[n]
		}
	}
	rec(0)
}

func TestFingerprint_TasksOfOneProcessAlwaysMeet(t *testing.T) {
	run := func(lines string) string {
		d := script(t, lines)
		k, err := play(t, Config{Decider: d}, func(k *Kernel) {
			k.Process("p", -1, func(ctx context.Context, p *Process) error {
				for _, name := range []string{"a", "b"} {
					p.Spawn(ctx, name, func(ctx context.Context) error { return step(ctx, k, "sql:Step") })
				}
				return p.Sleep(ctx, time.Second)
			})
		})
		require.NoError(t, err)
		require.Empty(t, d.Unused())
		return k.Fingerprint()
	}
	require.NotEqual(t, run(""), run("p#0/main  sleep/1  then  p#0/b"))
}

func TestFingerprint_OutcomesCountAndTimesDoNot(t *testing.T) {
	run := func(outcome string, lines string) (hash, fingerprint string) {
		d := script(t, lines)
		k, err := play(t, Config{Decider: d, Latencies: []time.Duration{time.Second}, Stalls: []time.Duration{time.Second}}, func(k *Kernel) {
			k.Process("p", -1, func(ctx context.Context, p *Process) error {
				err := step(ctx, k, "sql:Step")
				k.Note(ctx, Entry{What: "result", Text: k.Now().String(), Outcome: outcome})
				_, err2 := k.Call(ctx, Call{Actor: "provider", Label: "refund", Outcomes: []Value{{"effect", "later 40s"}, {"rejected", ""}}})
				if err2 != nil {
					return err2
				}
				return err
			})
		})
		require.NoError(t, err)
		require.Empty(t, d.Unused())
		return k.History().Hash(), k.Fingerprint()
	}
	hash, plain := run("UPDATE 1", "")
	sameHash, zero := run("UPDATE 0", "")
	require.Equal(t, hash, sameHash, "an outcome is not in the line")
	require.NotEqual(t, plain, zero)
	lateHash, late := run("UPDATE 1", "p#0/main  sql:Step/1  latency  30s")
	require.NotEqual(t, hash, lateHash)
	require.Equal(t, plain, late)
	_, stalled := run("UPDATE 1", "p#0/main  sql:Step/1  fault  stall 30s")
	require.Equal(t, plain, stalled)
	_, later := run("UPDATE 1", "provider  refund/1  outcome  effect later 40s")
	_, muchLater := run("UPDATE 1", "provider  refund/1  outcome  effect later 90s")
	require.NotEqual(t, plain, later)
	require.Equal(t, later, muchLater)
	_, killed := run("UPDATE 1", "p#0/main  sql:Step/1  fault  kill after")
	require.NotEqual(t, plain, killed)
}

func TestTouch_WidensTheMoveUnderWay(t *testing.T) {
	run := func(order []int, touch bool) string {
		k, _ := play(t, Config{Decider: inOrder(order), Moves: true}, func(k *Kernel) {
			for n, name := range []string{"x", "y"} {
				k.Process(fmt.Sprint("p", n), -1, func(ctx context.Context, p *Process) error {
					k.Pass(ctx, Gate{Address: Address{Label: "sql:Act"}, Kind: Statement, Foot: reads(name)})
					if touch {
						k.Touch(writes("session"))
					}
					return nil
				})
			}
		})
		if touch {
			require.Equal(t, []string{"session"}, k.History().Moves[len(k.History().Moves)-1].Foot.Writes)
		}
		return k.Fingerprint()
	}
	for _, touch := range []bool{false, true} {
		require.Equal(t, touch, run([]int{0, 0, 1, 1}, touch) != run([]int{1, 1, 0, 0}, touch))
	}
}

func TestFingerprint_SameSeedSameFingerprint(t *testing.T) {
	distinct := map[string]bool{}
	for seed := uint64(1); seed <= 50; seed++ {
		k, _ := playToy(t, Seeded(seed, 3, toyWeights))
		again, _ := playToy(t, Seeded(seed, 3, toyWeights))
		require.Equal(t, k.Fingerprint(), again.Fingerprint())
		require.Equal(t, k.Fingerprint(), k.Fingerprint(), "asking changes nothing")
		distinct[k.Fingerprint()] = true
	}
	require.Greater(t, len(distinct), 10)
}

func TestSetFoot_HoldsFromTheNextGateOn(t *testing.T) {
	k, err := play(t, Config{Moves: true}, func(k *Kernel) {
		k.World("operator", func(ctx context.Context) error {
			TaskOf(ctx).SetFoot(Footprint{All: true})
			k.SleepWorld(ctx, time.Second)
			TaskOf(ctx).SetFoot(writes("books"))
			return k.SleepWorld(ctx, time.Second)
		})
	})
	require.NoError(t, err)
	var feet []Footprint
	for _, m := range k.History().Moves {
		feet = append(feet, m.Foot)
	}
	require.Equal(t, []Footprint{writes("world"), {All: true}, writes("books")}, feet)
}
