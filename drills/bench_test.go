package drills

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/recondrill/recondrill/reports"
	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/pg"
	"github.com/recondrill/recondrill/sim/world"
	"github.com/stretchr/testify/require"
)

// The benchmarks print ratios within one run, medians of alternating rounds: the machine is shared and noisy.
// `make bench` runs them; sim/BENCH.md has the figures.

// benchOn opens a bench pinned to the last core, with this process beside it.
func benchOn(b *testing.B, how, image string) *bench {
	b.Helper()
	core := runtime.NumCPU() - 1
	was, heap := runtime.GOMAXPROCS(1), debug.SetGCPercent(garbage)
	pg.PinToCore(core)
	b.Cleanup(func() { runtime.GOMAXPROCS(was); debug.SetGCPercent(heap) })
	bench, err := openBench(b.Context(), benchSetup{postgres: how, image: image, run: runID(), core: core, log: b.Logf})
	require.NoError(b, err)
	b.Cleanup(bench.close)
	return bench
}

func median[T cmp.Ordered](all []T) T {
	slices.Sort(all)
	return all[len(all)/2]
}

// bookFor makes the books of one drill and seed part of what a reset restores: the bare bytes of a run mean something
// only where its books are open.
func (b *bench) bookFor(ctx context.Context, d Drill, seed uint64) error {
	if err := b.sessions.Reset(ctx); err != nil {
		return err
	}
	k := sim.New(sim.Config{Epoch: d.epoch(b.epoch), Seed: seed, Decider: sim.Plain()})
	defer k.Close()
	w, err := world.New(k, seed, d.World)
	if err != nil {
		return err
	}
	if err := b.prepare(ctx, d, w); err != nil {
		return err
	}
	b.booked = true
	return b.sessions.Snapshot(ctx)
}

// round makes one plain run under the kernel, whole (reset, world, two dumps, every oracle), and sends the same bytes
// bare after a reset.
func (b *bench) round(ctx context.Context, d Drill, seed uint64) (gated, bare time.Duration, statements int, err error) {
	begin := time.Now()
	r := b.run(ctx, d, seed, sim.Plain())
	gated = time.Since(begin)
	if r.run.Verdict != reports.Pass {
		return 0, 0, 0, fmt.Errorf("%s seed %d: %s %s", d.Name, seed, r.run.Verdict, r.run.Error)
	}
	var recording *pg.Recording
	b.attached = func() { recording = b.sessions.Record() }
	b.run(ctx, d, seed, sim.Plain())
	b.attached = nil
	begin = time.Now()
	if err := b.sessions.Reset(ctx); err != nil {
		return 0, 0, 0, err
	}
	reset := time.Since(begin)
	sent, err := b.sessions.Bare(ctx, recording)
	return gated, reset + sent, recording.Statements(), err
}

// BenchmarkGatedToBare: statements a second under the kernel ÷ those of the same bytes sent bare, plain runs, both
// pinned, both with resets, the gated ones with all their checks.
func BenchmarkGatedToBare(b *testing.B) {
	var gated, bare []time.Duration
	statements := 0
	for b.Loop() {
		for _, d := range []Drill{duplicateTick(), lostLease(), timeoutAfterAcceptance()} {
			bench := benchOn(b, "local", "")
			require.NoError(b, bench.bookFor(b.Context(), d, 1))
			for range 25 {
				g, p, n, err := bench.round(b.Context(), d, 1)
				require.NoError(b, err)
				gated, bare, statements = append(gated, g), append(bare, p), statements+n
			}
		}
	}
	ratio := 100 * median(bare).Seconds() / median(gated).Seconds()
	fmt.Printf("gated ÷ bare: %.0f %% (goal ≥ 80 %%; median run %.1f ms gated, %.1f ms bare, %d statements a run)\n", ratio,
		median(gated).Seconds()*1000, median(bare).Seconds()*1000, statements/len(gated))
	b.ReportMetric(ratio, "%gated/bare")
}

// BenchmarkContainerToLocal: whole runs on a container ÷ on local programs, alternating.
func BenchmarkContainerToLocal(b *testing.B) {
	local := benchOn(b, "local", "")
	container := benchOn(b, "container", "recondrill/postgres:17")
	var l, c []time.Duration
	for b.Loop() {
		for seed := range uint64(60) {
			d := Catalogue()[seed%4]
			for i, bench := range []*bench{local, container} {
				begin := time.Now()
				r := bench.run(b.Context(), d, seed+1, sim.Seeded(seed+1, d.most(), d.weigh()))
				took := time.Since(begin)
				require.Equal(b, reports.Pass, r.run.Verdict, "%s seed %d: %s", d.Name, seed+1, r.run.Error)
				if i == 0 {
					l = append(l, took)
				} else {
					c = append(c, took)
				}
			}
		}
	}
	ratio := 100 * median(l).Seconds() / median(c).Seconds()
	fmt.Printf("container ÷ local: %.0f %% of the runs a second (goal ≥ 95 %%; median run %.1f ms and %.1f ms)\n", ratio, median(c).Seconds()*1000, median(l).Seconds()*1000)
	b.ReportMetric(ratio, "%container/local")
}

// BenchmarkCampaign: what a person sees: runs and statements a second over all cores, simulated to real time.
func BenchmarkCampaign(b *testing.B) {
	statements, simulated := 0, int64(0)
	var summary reports.Summary
	for b.Loop() {
		var err error
		summary, err = Campaign(b.Context(), CampaignOptions{Seed: 1, For: 20 * time.Second, Postgres: "local", Log: b.Logf,
			Events: func(e reports.Event) error {
				if run, ok := e.(reports.Run); ok {
					statements += run.Statements
					simulated += run.SimSeconds
				}
				return nil
			}})
		require.NoError(b, err)
	}
	seconds := float64(summary.WallMS) / 1000
	fmt.Printf("campaign over %d servers: %.1f runs/s, %.0f statements/s, simulated : real = %.0f : 1\n", runtime.NumCPU(),
		summary.RunsPerSecond, float64(statements)/seconds, float64(simulated)/seconds)
	b.ReportMetric(summary.RunsPerSecond, "runs/s")
}
