package pg

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
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
	took(dump, func() { y.dump(b) })
	require.NoError(b, y.sessions.Reset(ctx))
	return run(true)
}

func BenchmarkReset(b *testing.B) {
	y := openToy(b)
	for b.Loop() {
		require.NoError(b, y.sessions.Reset(context.Background()))
	}
}

// BenchmarkOrders measures what a search over the orders of a small program costs: two processes of four statements each on
// a schema of four tables, with reset and dump. Where the time goes is told apart, as medians.
// Pinned as in a campaign: GOMAXPROCS=1 taskset -c 1 go test -run - -bench Orders ./sim/pg
func BenchmarkOrders(b *testing.B) {
	y := openToy(b)
	ctx := context.Background()
	var whole, reset, run, dump samples
	took := func(to *samples, do func()) {
		start := time.Now()
		do()
		*to = append(*to, time.Since(start))
	}
	for b.Loop() {
		took(&whole, func() {
			took(&reset, func() { require.NoError(b, y.sessions.Reset(ctx)) })
			took(&run, func() { y.order(b, 1) })
			took(&dump, func() { y.dump(b) })
		})
	}
	b.ReportMetric(reset.median(), "reset-ms")
	b.ReportMetric(run.median(), "run-ms")
	b.ReportMetric(dump.median(), "dump-ms")
	if b.N > 1 { // the first call only looks
		fmt.Printf("two processes of four statements each: %.0f orders/s on one core, twice that on two (goal ≥ 800 on two)\n", 1000/whole.median())
	}
	b.ReportMetric(1000/whole.median(), "orders/s")
	b.ReportMetric(1000/whole.best(), "orders/s-at-best")
}

// order makes one run of two processes of four statements each.
func (y *toy) order(b *testing.B, seed uint64) {
	transfer := func(ctx context.Context, p *sim.Process, c *pgxpool.Conn) error {
		return pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
			var balance int64
			if err := tx.QueryRow(ctx, "select balance from account where id = $1", 1).Scan(&balance); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, "update account set balance = $1 where id = 1", balance+1)
			return err
		})
	}
	k := sim.New(sim.Config{Epoch: toyEpoch, Seed: seed, Locks: y.sessions})
	y.sessions.Attach(k)
	acts(transfer, transfer)(k, y.sessions)
	require.NoError(b, k.Run(context.Background(), time.Minute))
	k.Close()
	y.sessions.Detach()
}

func (y *toy) dump(b *testing.B) {
	tables, err := y.sessions.Dump(context.Background())
	require.NoError(b, err)
	_ = tables.Hash()
}

var memoryRuns = flag.Int("memory-runs", 50_000, "runs of BenchmarkMemory")

// BenchmarkMemory: neither the heap nor the server's memory nor its files grow with the number of runs of a small program.
func BenchmarkMemory(b *testing.B) {
	y := openToy(b)
	usage := func() Usage {
		u, err := y.server.Usage()
		require.NoError(b, err)
		return u
	}
	warm := *memoryRuns / 5
	var early, late Usage
	for b.Loop() {
		for n := range *memoryRuns {
			require.NoError(b, y.sessions.Reset(context.Background()))
			y.order(b, uint64(n+1))
			y.dump(b)
			if n+1 == warm {
				early = usage()
			}
		}
		late = usage()
	}
	fmt.Printf("a small program after %d runs: %s\nafter %d runs: %s (goal: flat over 50,000)\n", warm, early, *memoryRuns, late)
	require.NoError(b, late.Grown(early))
}
