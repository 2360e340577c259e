package search

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/sim"
)

var killAfter = []sim.Offer{{Class: sim.Fault, Value: sim.Value{Verb: "kill", Arg: "after"}}}

// transfer is a process that moves ten from x to y in one transaction of four statements, once, and comes back when it is
// killed, and a watcher beside it. It fails when the watcher sees half of it. Where it leaks, the first write is seen at
// once, although its gate says that it is inside a transaction.
func transfer(leaks bool) *toy {
	y := &toy{}
	half := false
	y.failing = func(*toy) bool { return half }
	y.setup = func(k *sim.Kernel, y *toy) {
		half = false
		y.cells["x"] = 10
		k.Process("mover", 5*time.Second, func(ctx context.Context, p *sim.Process) error {
			if y.cells["done"] == 1 {
				return nil
			}
			pending := map[string]int{}
			step := func(label, cell string, to int) error {
				g := sim.Gate{Address: sim.Address{Label: "sql:" + label}, Kind: sim.Statement, Offers: killAfter, InTx: label != "Begin", Commit: label == "Commit"}
				if label != "Begin" {
					g.Foot.Writes = []string{"cells"}
				}
				fault, err := k.Pass(ctx, g)
				if err != nil {
					return err
				}
				if pending[cell] = to; leaks {
					y.cells[cell] = to
				}
				if g.Commit {
					for c, v := range pending {
						y.cells[c] = v
					}
				}
				if fault.Verb == "kill" {
					return k.Die(ctx, "after "+label)
				}
				return nil
			}
			if err := step("Begin", "begun", 0); err != nil {
				return err
			}
			if err := step("Take", "x", 0); err != nil {
				return err
			}
			if err := step("Give", "y", 10); err != nil {
				return err
			}
			return step("Commit", "done", 1)
		})
		k.Process("watcher", -1, func(ctx context.Context, p *sim.Process) error {
			for range 3 {
				if err := p.Sleep(ctx, 2*time.Second); err != nil {
					return err
				}
				if _, err := k.Pass(ctx, sim.Gate{Address: sim.Address{Label: "sql:Look"}, Kind: sim.Statement, Foot: sim.Footprint{Reads: []string{"cells"}}}); err != nil {
					return err
				}
				half = half || y.cells["x"]+y.cells["y"] != 10
				y.hear(ctx, p, string(rune('0'+y.cells["x"]))+string(rune('0'+y.cells["y"])))
			}
			return nil
		})
	}
	y.weigh = func(g sim.Gate, c sim.Class) []sim.Weighted {
		if c == sim.Fault {
			return sim.Split(g, c, 1000)
		}
		return nil
	}
	return y
}

// classesOf lists the labels of the kill points of each class in which the mover dies, in the order of the run.
func classesOf(s *Sweep) (out []string) {
	for _, c := range s.classes {
		if !strings.HasPrefix(c.name, "kill mover#0") {
			continue
		}
		var members []string
		for _, p := range c.members {
			members = append(members, p.Deviation.Value.Arg+" "+p.Deviation.At.Label)
		}
		out = append(out, strings.Join(members, ", "))
	}
	return out
}

func TestSweep_DeathsInsideATransactionAreOneClassAndThoseAfterItsCommitAnother(t *testing.T) {
	s := NewSweep(Options{Seed: 1})
	trials, outcomes, _ := drain(t, s, transfer(false), 1, 1000)
	require.Equal(t, []string{
		"before start, after sql:Begin, before sql:Begin, after sql:Take, before sql:Take, after sql:Give, before sql:Give, before sql:Commit",
		"after sql:Commit",
	}, classesOf(s))
	require.Len(t, outcomes, len(trials))
	require.Zero(t, s.Told().Found)
	require.True(t, s.Told().Done, "%+v", s.Told())
	require.Contains(t, s.Told().Frontier, "0 of")
}

func TestSweep_ARuleThatDoesNotHoldIsCountedAndToldAndItsClassIsRunToTheEnd(t *testing.T) {
	for seed := range uint64(20) { // until the sample holds the class
		s := NewSweep(Options{Seed: seed})
		trials, _, _ := drain(t, s, transfer(true), 1, 1000)
		if s.parted == 0 {
			continue
		}
		require.Contains(t, s.Told().Frontier, "1 of ")
		require.NotZero(t, s.found)
		tried := map[string]bool{}
		for _, trial := range trials {
			if len(trial.Deviations) == 1 && trial.Deviations[0].At.Actor.Process == "mover" && trial.Deviations[0].Value.Verb == "kill" {
				tried[trial.Deviations[0].String()] = true
			}
		}
		require.Len(t, tried, 9, "every member of the class, and the other class")
		return
	}
	require.Fail(t, "the sample of no seed up to 20 held the class whose members part")
}

func TestSweep_TriesOnePairOfEachTwoKindsAndLabels(t *testing.T) {
	y := transfer(false)
	s := NewSweep(Options{Seed: 1})
	trials, outcomes, _ := drain(t, s, y, 3, 1000)
	pairs, met := map[string]bool{}, 0
	for i, trial := range trials {
		if len(trial.Deviations) == 2 {
			pairs[kindOf(trial.Deviations[0])+" | "+kindOf(trial.Deviations[1])] = true
			met += one(len(outcomes[i].Used) == 2)
		}
	}
	require.Equal(t, s.pairs, len(pairs))
	require.NotZero(t, met)
	t.Logf("%+v", s.Told())
}

func TestKindOf_NamesThePlaceAndWhatIsDoneWithoutKeysAndNumbers(t *testing.T) {
	for line, want := range map[string]string{
		"a#0/main  sql:Take/2  fault  stall 90s":                         "sql:Take fault stall",
		"a#0/main  wait sql:Take/2  fault  kill before":                  "wait sql:Take fault kill before",
		"a#0/main  call:provider refund(p1,2100,k1)/1  then  b#0/main":   "call:provider refund then",
		"provider  refund(p1,2100,k1)/1  outcome  timeout, effect later": "refund outcome timeout, effect later",
		"cron-1  tick 2026-03-29/1  fault  duplicate +40s":               "tick fault duplicate",
		"a#0/main  join:acct_1/2026-03-01/1  fault  kill before":         "join:acct fault kill before",
		"clock  at 45s/1  then  b#0/main":                                "at then",
		"a#0/main  sql:7b2c1d/1  latency  45s":                           "sql:7b2c1d latency",
	} {
		s, err := sim.ParseScript("version  1\n\n" + line + "\n")
		require.NoError(t, err)
		require.Equal(t, want, kindOf(s.Deviations[0]), line)
	}
}

// The rule itself, on a real server: every point of every class, not a sample.
func TestSweep_PointsOfOneClassContinueAlikeOnPostgreSQL(t *testing.T) {
	points, classes := 0, 0
	for _, p := range smalls {
		s := NewSweep(Options{})
		plain, _ := s.Next()
		o, _ := p.play(t, plain)
		s.Took(plain, o)
		points, classes = points+len(o.Points), classes+len(s.classes)
		for _, c := range s.classes {
			rests := map[string]sim.Deviation{}
			for _, m := range c.members {
				if len(c.members) > 1 {
					o, _ := p.play(t, Trial{How: Scripted, Deviations: []sim.Deviation{m.Deviation}, Need: Need{Rest: true}})
					require.Len(t, o.Used, 1)
					rests[o.Rest] = m.Deviation
				}
			}
			require.LessOrEqual(t, len(rests), 1, "%s, class %s: %v", p.name, c.name, rests)
		}
	}
	require.Less(t, classes, points)
	t.Logf("%d points, %d classes", points, classes)
}
