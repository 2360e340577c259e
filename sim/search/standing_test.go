package search

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/sim"
)

func TestContenders_ALoopThatWaitsByYieldingEnds(t *testing.T) {
	// Without a place behind the others for who yields, a high rank spins until the kernel calls it a livelock.
	ready := false
	y := &toy{weigh: ordersOnly, setup: func(k *sim.Kernel, y *toy) {
		ready = false
		k.Process("spinner", -1, func(ctx context.Context, p *sim.Process) error {
			for !ready {
				if err := p.Sleep(ctx, 0); err != nil {
					return err
				}
			}
			return nil
		})
		k.Process("setter", -1, func(ctx context.Context, p *sim.Process) error {
			err := y.write(ctx, p, "x", 1)
			ready = true
			return err
		})
	}}
	for seed := range uint64(50) {
		for _, how := range []How{PCT, POS} {
			o, _ := y.play(t, Trial{How: how, Seed: seed, Depth: 2})
			require.True(t, o.Checked)
		}
	}
}

func TestPCT_ADemotedTaskCanStandStillUntilALeaseIsOver(t *testing.T) {
	y := steps("wx ~ wx", "wx wx")
	y.weigh = func(g sim.Gate, c sim.Class) []sim.Weighted {
		if c == sim.Latency {
			return sim.Split(g, c, 1)
		}
		return nil
	}
	late := 0
	for seed := range uint64(200) {
		o, k := y.play(t, Trial{How: PCT, Seed: seed, Depth: 3, Length: 4})
		for _, d := range o.Used {
			late += one(d.Class == sim.Latency)
		}
		require.LessOrEqual(t, k.Since(), 62*time.Second)
	}
	require.Greater(t, late, 20)
}

func TestPCT_ANewLifeHasTheRankOfTheOldOne(t *testing.T) {
	p := newPriorities(Trial{Seed: 1}, Weights{}.normal(), nil)
	old, fresh := sim.Actor{Process: "worker-1", Life: 0, Task: "main"}, sim.Actor{Process: "worker-1", Life: 3, Task: "main"}
	require.Equal(t, p.rank(rankName(old)), p.rank(rankName(fresh)))
	require.NotEqual(t, p.rank(rankName(old)), p.rank(rankName(sim.Actor{Process: "worker-2", Task: "main"})))
}

func TestStanding_CountsArrivalsThatMeetAnotherTask(t *testing.T) {
	gate := func(process, label string, nth int, writes ...string) sim.Gate {
		return sim.Gate{Address: sim.Address{Actor: sim.Actor{Process: process, Task: "main"}, Label: label, Nth: nth}, Kind: sim.Statement, Foot: sim.Footprint{Writes: writes}}
	}
	var s standing
	require.False(t, s.arrives(gate("a", "sql:X", 1, "x"), sim.Fault), "nobody else stands")
	require.False(t, s.arrives(gate("b", "sql:Y", 1, "y"), sim.Fault), "nothing in common")
	require.True(t, s.arrives(gate("b", "sql:X", 1, "x"), sim.Fault))
	require.False(t, s.arrives(gate("b", "sql:X", 1, "x"), sim.Latency), "once a gate")
	ended := gate("a", "end", 1)
	ended.Kind = sim.Event
	s.arrives(ended, sim.Then)
	require.False(t, s.arrives(gate("b", "sql:X", 2, "x"), sim.Fault), "a has gone")
}
