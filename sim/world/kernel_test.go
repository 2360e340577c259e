package world

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/sim"
)

// stage is a world under a kernel whose decisions are a script's.
type stage struct {
	t *testing.T
	k *sim.Kernel
	w *World
}

// at is a deviation written as a script writes it: "provider refund(ch,5,k)/1", "timeout, no effect".
func at(t *testing.T, address string, class sim.Class, text string) sim.Deviation {
	t.Helper()
	a, err := sim.ParseAddress(address)
	require.NoError(t, err)
	v, err := sim.ParseValue(text)
	require.NoError(t, err)
	return sim.Deviation{At: a, Class: class, Value: v}
}

func newStage(t *testing.T, s Setup, deviations ...sim.Deviation) *stage {
	t.Helper()
	k := sim.New(sim.Config{Epoch: DefaultEpoch, Decider: sim.Recorded(sim.Script{Deviations: deviations}), Latencies: []time.Duration{time.Minute}})
	t.Cleanup(k.Close)
	w, err := New(k, 7, s)
	require.NoError(t, err)
	return &stage{t, k, w}
}

// process runs a boot as a process named caller.
func (s *stage) process(boot func(ctx context.Context, p *sim.Process)) {
	s.k.Process("caller", -1, func(ctx context.Context, p *sim.Process) error { boot(ctx, p); return nil })
}

func (s *stage) run(d time.Duration) {
	s.t.Helper()
	require.NoError(s.t, s.k.Run(context.Background(), d))
}

// within calls with a virtual deadline.
func within(ctx context.Context, p *sim.Process, d time.Duration, call func(ctx context.Context) Answer) Answer {
	ctx, cancel := p.WithTimeout(ctx, d)
	defer cancel()
	return call(ctx)
}

func (s *stage) marks(what string) []string {
	var out []string
	for _, e := range s.k.History().Entries {
		if e.What == what {
			out = append(out, e.Actor.String()+" "+e.Text)
		}
	}
	return out
}
