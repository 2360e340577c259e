package pg

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/sim"
)

// BenchmarkGate measures what the gate and the kernel cost: statements a second of a run under the kernel, its reset and its
// dump included, against the same bytes sent back to back, with the same reset. Medians: the machine has other work.
// Pinned as in a campaign: GOMAXPROCS=1 taskset -c 1 go test -run - -bench Gate ./sim/pg
func BenchmarkGate(b *testing.B) {
	y := openToy(b)
	ctx := context.Background()
	var gated, bare, reset, dump samples
	statements := 0
	for b.Loop() {
		rec := y.measure(b, &gated, &reset, &dump)
		t, err := y.sessions.Bare(ctx, rec)
		require.NoError(b, err)
		bare = append(bare, t)
		statements = rec.Statements()
	}
	b.ReportMetric(gated.median(), "gated-ms")
	b.ReportMetric(bare.median(), "bare-ms")
	b.ReportMetric(reset.median(), "reset-ms")
	b.ReportMetric(dump.median(), "dump-ms")
	b.ReportMetric(float64(statements), "statements")
	b.ReportMetric(100*(bare.median()+reset.median())/(gated.median()+reset.median()+dump.median()), "%of-bare")
	b.ReportMetric(100*bare.best()/gated.best(), "%of-bare-best-without-resets")
}

type samples []time.Duration

func (s samples) median() float64 {
	slices.Sort(s)
	return s[len(s)/2].Seconds() * 1000
}

func (s samples) best() float64 { return slices.Min(s).Seconds() * 1000 }

func (y *toy) measure(b *testing.B, gated, reset, dump *samples) *Recording {
	ctx := context.Background()
	took := func(to *samples, do func()) {
		start := time.Now()
		do()
		*to = append(*to, time.Since(start))
	}
	run := func(record bool) (rec *Recording) {
		k := sim.New(sim.Config{Epoch: toyEpoch, Seed: 1, Locks: y.sessions})
		y.sessions.Attach(k)
		if record {
			rec = y.sessions.Record()
		}
		toyWorkers(true)(k, y.sessions)
		require.NoError(b, k.Run(ctx, 10*time.Minute))
		_ = k.History().Hash()
		k.Close()
		y.sessions.Detach()
		return rec
	}
	took(reset, func() { require.NoError(b, y.sessions.Reset(ctx)) })
	took(gated, func() { run(false) })
	took(dump, func() {
		tables, err := y.sessions.Dump(ctx)
		require.NoError(b, err)
		_ = tables.Hash()
	})
	require.NoError(b, y.sessions.Reset(ctx))
	return run(true)
}

func BenchmarkReset(b *testing.B) {
	y := openToy(b)
	for b.Loop() {
		require.NoError(b, y.sessions.Reset(context.Background()))
	}
}
