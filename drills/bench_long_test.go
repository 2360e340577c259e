package drills

import (
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/recondrill/recondrill/reports"
	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/pg"
	"github.com/recondrill/recondrill/sim/world"
	"github.com/stretchr/testify/require"
)

var (
	weekAccounts = flag.Int("week-accounts", 1000, "accounts of BenchmarkWeek")
	weekNights   = flag.Int("week-nights", 7, "nights of BenchmarkWeek")
	memoryRuns   = flag.Int("memory-runs", 500, "runs of BenchmarkMemory; the contract says 50,000")
)

// quiet is a night in which nothing breaks and nobody is in doubt.
func quiet(accounts, nights int) Drill {
	return Drill{
		Name: "quiet",
		World: world.Setup{Accounts: accounts, CustomersPer: 1, Plant: []string{world.PlantNone},
			Channels: []world.ChannelSetup{{Name: "email", Terms: world.Terms{Keyed: true}}}},
		Nodes:  []Node{{"admit-1", []string{"admission"}}, {"worker-1", []string{"reconcile", "refund", "email"}}},
		Engine: Settings{Batch: accounts},
		Lasts:  time.Duration(nights)*24*time.Hour - 12*time.Hour, // until the last one is over
	}
}

// BenchmarkQuietNight: simulated to real time of a night in which nothing breaks.
func BenchmarkQuietNight(b *testing.B) {
	bench := benchOn(b, "local", "")
	var ratios []float64
	for b.Loop() {
		for seed := range uint64(10) {
			begin := time.Now()
			r := bench.run(b.Context(), quiet(2, 1), seed+1, sim.Plain())
			require.Equal(b, reports.Pass, r.run.Verdict, r.run.Error)
			ratios = append(ratios, float64(r.run.SimSeconds)/time.Since(begin).Seconds())
		}
	}
	fmt.Printf("a quiet night, simulated : real: %.0f : 1 (goal ≥ 10,000 : 1)\n", median(ratios))
	b.ReportMetric(median(ratios), "simulated/real")
}

// BenchmarkWeek: a week of nights with 1,000 accounts, one run on one core.
func BenchmarkWeek(b *testing.B) {
	bench := benchOn(b, "local", "")
	enough := judged()
	enough.instant = 1000 * *weekAccounts // all of them are due at one instant, and nothing takes time
	// A run's plans are of its first, empty polls, which a drill's few rows do not mind; here plans are kept as in production.
	bench.say(b, "alter database "+bench.database+" set plan_cache_mode = auto")
	for b.Loop() {
		begin := time.Now()
		r := bench.runFor(b.Context(), enough, quiet(*weekAccounts, *weekNights), 1, sim.Plain())
		took := time.Since(begin)
		require.Equal(b, reports.Pass, r.run.Verdict, "%s %v", r.run.Error, r.findings)
		done := len(r.view.Tables["recon.envelope"].Rows)
		fmt.Printf("%d nights with %d accounts: %.1f s (goal < 60 s for 7 with 1,000; %d windows reconciled, %d statements, simulated : real = %.0f : 1)\n",
			*weekNights, *weekAccounts, took.Seconds(), done, r.run.Statements, float64(r.run.SimSeconds)/took.Seconds())
		b.ReportMetric(took.Seconds(), "s/week")
	}
}

// say tells the server something before any session of a run is open.
func (b *bench) say(tb testing.TB, sql string) {
	conn, err := pgx.Connect(tb.Context(), b.server.ConnString(b.database))
	require.NoError(tb, err)
	_, err = conn.Exec(tb.Context(), sql)
	require.NoError(tb, err)
	require.NoError(tb, conn.Close(tb.Context()))
}

// BenchmarkMemory: neither the heap nor the server's memory nor its files on tmpfs grow with the number of runs.
// As many runs as the contract says take hours: go test -run '^$' -bench Memory -benchtime 1x -timeout 4h ./drills -memory-runs 50000.
// Those of a small program take a minute: BenchmarkMemory in sim/pg.
func BenchmarkMemory(b *testing.B) {
	bench := benchOn(b, "local", "")
	warm := *memoryRuns / 5
	var early, late pg.Usage
	for b.Loop() {
		for n := range *memoryRuns {
			seed := uint64(n + 1)
			require.NoError(b, bench.renew(b.Context()))
			d := Catalogue()[n%4]
			r := bench.run(b.Context(), d, seed, sim.Seeded(seed, d.most(), d.weigh()))
			require.NotEqual(b, reports.Error, r.run.Verdict, "%s seed %d: %s", d.Name, seed, r.run.Error)
			if n+1 == warm {
				early = usage(b, bench.server)
			}
			if (n+1)%warm == 0 {
				b.Logf("after %d runs %s", n+1, usage(b, bench.server))
			}
		}
		late = usage(b, bench.server)
	}
	fmt.Printf("after %d runs: %s\nafter %d runs: %s (goal: flat over 50,000)\n", warm, early, *memoryRuns, late)
	require.NoError(b, late.Grown(early))
}

func usage(tb testing.TB, s *pg.Server) pg.Usage {
	tb.Helper()
	u, err := s.Usage()
	require.NoError(tb, err)
	return u
}
