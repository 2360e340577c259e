package sim

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var epoch = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

// toy is the whole program under test: processes that add to one stored number, each addition a read and a write with
// a gate before each, and nothing that holds the two together. That is the planted race.
type toy struct{ stored, added int }

func (y *toy) add(ctx context.Context, p *Process) error {
	k := p.Kernel()
	for range 5 {
		if _, err := k.Pass(ctx, Gate{Address: Address{Label: "sql:Read"}, Kind: Statement}); err != nil {
			return err
		}
		have := y.stored
		fault, err := k.Pass(ctx, Gate{Address: Address{Label: "sql:Write"}, Kind: Statement, Offers: afterCall})
		if err != nil {
			return err
		}
		y.stored, y.added = have+1, y.added+1
		k.Note(ctx, Entry{What: "result", Text: fmt.Sprint(y.stored)})
		if fault == killAfter {
			return k.Die(ctx, "after sql:Write")
		}
		if err := p.Sleep(ctx, time.Second); err != nil {
			return err
		}
	}
	return nil
}

// weights of the toy's plan: a switch at every third gate, the rest rare.
func toyWeights(g Gate, c Class) []Weighted {
	switch c {
	case Then:
		return Split(g, c, 500)
	case Fault:
		return Split(g, c, 200)
	case Latency:
		return Split(g, c, 200)
	}
	return nil
}

// playToy is one run of the toy. It fails by the oracle "lost" when an addition was overwritten.
func playToy(t testing.TB, d Decider) (*Kernel, bool) {
	k := New(Config{Epoch: epoch, Seed: 1, Decider: d, Latencies: []time.Duration{NextTimer, 3 * time.Second}})
	defer k.Close()
	y := &toy{}
	for _, name := range []string{"adder-1", "adder-2", "adder-3"} {
		k.Process(name, time.Second, y.add)
	}
	require.NoError(t, k.Run(context.Background(), time.Hour))
	return k, y.stored != y.added
}

func toyScript(k *Kernel) Script {
	return Script{Header: Header{Drill: "toy", Seed: 1, Version: 1, Hash: k.History().Hash(), Oracle: "lost"}, Deviations: k.History().Used}
}

// failingSeed is the first seed that loses an addition.
func failingSeed(t testing.TB) (uint64, Script) {
	for seed := uint64(1); seed <= 500; seed++ {
		if k, lost := playToy(t, Seeded(seed, 3, toyWeights)); lost {
			return seed, toyScript(k)
		}
	}
	require.Fail(t, "no seed up to 500 finds the planted race")
	return 0, Script{}
}

func TestToy_PlainRunHidesTheRaceAndSeedsFindIt(t *testing.T) {
	_, lost := playToy(t, Plain())
	require.False(t, lost)
	seed, script := failingSeed(t)
	t.Logf("seed %d, %d deviations", seed, len(script.Deviations))
}

func TestToy_SameSeedIsTheSameRunAThousandTimesOnOneAndTwoProcessors(t *testing.T) {
	for _, procs := range []int{1, 2} {
		before := runtime.GOMAXPROCS(procs)
		defer runtime.GOMAXPROCS(before)
		for seed := uint64(1); seed <= 5; seed++ {
			first, _ := playToy(t, Seeded(seed, 3, toyWeights))
			for range 200 {
				again, _ := playToy(t, Seeded(seed, 3, toyWeights))
				if line, left, right, same := Difference(first.History(), again.History()); !same {
					t.Fatalf("seed %d differs in line %d: %q and %q", seed, line, left, right)
				}
				require.Equal(t, first.History().Hash(), again.History().Hash())
			}
		}
	}
}

func TestToy_ReplayFromTheTextOfAScriptIsTheSameRun(t *testing.T) {
	for seed := uint64(1); seed <= 100; seed++ {
		k, _ := playToy(t, Seeded(seed, 3, toyWeights))
		script, err := ParseScript(toyScript(k).String())
		require.NoError(t, err)
		recorded := Recorded(script)
		again, _ := playToy(t, recorded)
		require.Equal(t, script.Header.Hash, again.History().Hash())
		require.Empty(t, recorded.Unused())
	}
}

func TestToy_ShrinksToAtMostThreeDeviations(t *testing.T) {
	_, script := failingSeed(t)
	runs := 0
	small := Shrink(script, func(s Script) (Script, bool) {
		runs++
		k, lost := playToy(t, Recorded(s))
		return toyScript(k), lost
	})
	require.LessOrEqual(t, len(small.Deviations), 3)
	_, lost := playToy(t, Recorded(small))
	require.True(t, lost)
	t.Logf("%d -> %d deviations in %d runs:\n%s", len(script.Deviations), len(small.Deviations), runs, small)
}

func TestToy_AScriptOfAnotherProgramIsStale(t *testing.T) {
	gone := Deviation{At: Address{Actor{"adder-9", 0, "main"}, "sql:Write", 1}, Class: Fault, Value: killAfter}
	notEnabled := Deviation{At: Address{Actor{"adder-1", 0, "main"}, "sql:Read", 1}, Class: Fault, Value: Value{"cut", "before"}}
	recorded := Recorded(Script{Deviations: []Deviation{gone, notEnabled}})
	k, _ := playToy(t, recorded)
	require.Equal(t, []Deviation{gone, notEnabled}, recorded.Unused())
	require.Empty(t, k.History().Used)
	plain, _ := playToy(t, Plain())
	require.Equal(t, plain.History().Hash(), k.History().Hash(), "what is not enabled is the plain run")
}

// one runs boot as the only process and answers the run's error.
func one(t testing.TB, c Config, boot func(ctx context.Context, p *Process) error) (*Kernel, error) {
	if c.Epoch.IsZero() {
		c.Epoch = epoch
	}
	k := New(c)
	t.Cleanup(k.Close)
	k.Process("p", -1, boot)
	return k, k.Run(context.Background(), time.Hour)
}

var errStep = errors.New("step")

func BenchmarkKernel_Moves(b *testing.B) { benchmarkMoves(b, Footprint{}) }

// BenchmarkKernel_MovesWithFootprints is what the fingerprint costs where statements touch five things each.
func BenchmarkKernel_MovesWithFootprints(b *testing.B) {
	benchmarkMoves(b, Footprint{Reads: []string{"accounts", "jobs", "locks"}, Writes: []string{"history", "letters"}})
}

func benchmarkMoves(b *testing.B, foot Footprint) {
	moves, runs := 0, 0
	b.ReportAllocs()
	for b.Loop() {
		k := New(Config{Epoch: epoch, Decider: Seeded(uint64(runs), 3, func(Gate, Class) []Weighted { return benchWeights }), Latencies: []time.Duration{time.Second}})
		for _, name := range []string{"a", "b", "c"} {
			k.Process(name, -1, func(ctx context.Context, p *Process) error {
				for i := range 1000 {
					if _, err := k.Pass(ctx, Gate{Address: Address{Label: "sql:Read"}, Kind: Statement, Detail: "select 1", Foot: foot}); err != nil {
						return err
					}
					if i%10 == 0 {
						p.Sleep(ctx, time.Second)
					}
				}
				return nil
			})
		}
		require.NoError(b, k.Run(context.Background(), time.Hour))
		moves, runs = moves+k.Stats().Moves, runs+1
		k.Close()
	}
	b.ReportMetric(float64(moves)/b.Elapsed().Seconds(), "moves/s")
}

var benchWeights = []Weighted{{Value{Verb: "no"}, 10}}

func TestToy_MemoryDoesNotGrowWithTheNumberOfRuns(t *testing.T) {
	heap := func(runs int) uint64 {
		for seed := range runs {
			playToy(t, Seeded(uint64(seed), 3, toyWeights))
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap(100)
	require.Less(t, heap(2000), before+256<<10)
}

func TestToy_RealDelaysBesideAndBetweenGatesChangeNothing(t *testing.T) {
	// A processor that is busy and tasks that dawdle shift who runs when in real time; the run must not see it.
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.Gosched()
			}
		}
	}()
	dawdle := 0
	run := func(slow bool) string {
		k, err := play(t, Config{Decider: Seeded(4, 3, toyWeights), Latencies: []time.Duration{time.Second}}, func(k *Kernel) {
			for _, name := range []string{"a", "b", "c"} {
				k.Process(name, time.Second, func(ctx context.Context, p *Process) error {
					for range 20 {
						for range 7 * dawdle % 31 {
							runtime.Gosched()
						}
						if slow {
							dawdle++
						}
						if err := step(ctx, k, "sql:Step"); err != nil {
							return err
						}
					}
					return nil
				})
			}
		})
		require.NoError(t, err)
		return k.History().Hash()
	}
	want := run(false)
	for range 50 {
		require.Equal(t, want, run(true))
	}
}
