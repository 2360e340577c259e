package drills

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/recondrill/recondrill/reports"
	"github.com/recondrill/recondrill/sim"
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

// usage is what a worker and its server hold, in MiB. The log is apart: it grows until the server uses its files again.
type usage struct {
	heap, server, data, log float64
	processes               int
}

func (u usage) String() string {
	return fmt.Sprintf("heap %.1f, the server's %d processes %.1f, data %.1f, its log %.1f MiB", u.heap, u.processes, u.server, u.data, u.log)
}

// each is what one of the server's processes holds: how many sessions are warm depends on the last runs.
func (u usage) each() float64 { return u.server / float64(max(u.processes, 1)) }

// BenchmarkMemory: neither the heap nor the server's memory nor its files on tmpfs grow with the number of runs.
// All that the contract says: go test -run '^$' -bench Memory -benchtime 1x -timeout 4h ./drills -memory-runs 50000
func BenchmarkMemory(b *testing.B) {
	const growth = 16 // MiB that are no growth
	logMax := 2 * 256.0
	bench := benchOn(b, "local", "")
	warm := *memoryRuns / 5
	var early, late usage
	for b.Loop() {
		for n := range *memoryRuns {
			seed := uint64(n + 1)
			require.NoError(b, bench.renew(b.Context()))
			d := Catalogue()[n%4]
			r := bench.run(b.Context(), d, seed, sim.Seeded(seed, d.most(), d.weigh()))
			require.NotEqual(b, reports.Error, r.run.Verdict, "%s seed %d: %s", d.Name, seed, r.run.Error)
			if n+1 == warm {
				early = bench.usage(b)
			}
			if (n+1)%warm == 0 {
				b.Logf("after %d runs %s", n+1, bench.usage(b))
			}
		}
		late = bench.usage(b)
	}
	fmt.Printf("after %d runs: %s\nafter %d runs: %s (goal: flat, within %d MiB, over 50,000; the log below %.0f MiB)\n", warm, early, *memoryRuns, late, growth, logMax)
	require.Less(b, late.heap, early.heap+growth, "the heap grows with the number of runs")
	require.Less(b, late.each(), early.each()+growth, "the memory of the server's processes grows with the number of runs")
	require.Less(b, late.data, early.data+growth, "the server's files grow with the number of runs")
	require.Less(b, late.log, logMax, "the server's log grows with the number of runs")
	b.ReportMetric(late.heap-early.heap, "MiB-heap-grown")
	b.ReportMetric(late.data-early.data, "MiB-data-grown")
}

// usage looks at a local server, whose socket lies beside its data.
func (b *bench) usage(tb testing.TB) usage {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	_, address := b.server.Network()
	data := filepath.Join(filepath.Dir(address), "data")
	log := filesIn(tb, filepath.Join(data, "pg_wal"))
	own, processes := ownMemory(tb, data)
	return usage{heap: mib(m.HeapAlloc), server: mib(own), processes: processes, data: mib(filesIn(tb, data) - log), log: mib(log)}
}

func mib(bytes uint64) float64 { return float64(bytes) / (1 << 20) }

// filesIn is the size of all files below a directory.
func filesIn(tb testing.TB, dir string) (bytes uint64) {
	err := filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		bytes += uint64(info.Size())
		return nil
	})
	require.NoError(tb, err)
	return bytes
}

// ownMemory is what the children of the postmaster hold besides what they share.
func ownMemory(tb testing.TB, data string) (own uint64, processes int) {
	pid, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	require.NoError(tb, err)
	postmaster, _, _ := strings.Cut(string(pid), "\n")
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(tb, err)
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		after := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])) // behind the name: state, parent
		if len(after) < 2 || after[1] != postmaster {
			continue
		}
		statm, err := os.ReadFile(filepath.Join(filepath.Dir(path), "statm"))
		if err != nil {
			continue
		}
		pages := strings.Fields(string(statm)) // size, resident, shared
		resident, _ := strconv.ParseUint(pages[1], 10, 64)
		shared, _ := strconv.ParseUint(pages[2], 10, 64)
		processes++
		own += (resident - shared) * uint64(os.Getpagesize())
	}
	return own, processes
}
