package faults

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/pg"
)

// breakage says how one kind alone breaks the naive engine.
type breakage struct {
	kind      string
	breaks    string // how the violation begins: the habit that this kind punishes
	plan      string // empty: the kind alone, one fault a run
	how       habits
	cured     habits          // a fact that others bring about is taken away by another habit, one of the order by the plain order
	latencies []time.Duration // 45 s
}

const second = time.Second

// breakages has a row for every kind.
var breakages = []breakage{
	{kind: "duplicate-tick", breaks: "slots", plan: "duplicate-tick 10000"},
	{kind: "early-tick", breaks: "slots", plan: "early-tick 10000"},
	{kind: "late-tick", breaks: "slots", plan: "late-tick 10000"},
	{kind: "missing-tick", breaks: "slots", plan: "missing-tick 10000"},
	{kind: "dst-gap", breaks: "slots", plan: "dst-gap 10000"},
	{kind: "dst-repeat", breaks: "slots", plan: "dst-repeat 10000"},
	{kind: "skew", breaks: "slots", plan: "skew 5000 at scheduler *"},
	{kind: "wall-step", breaks: "slots", plan: "wall-step 1000 at scheduler *; most 1"},
	{kind: "mono-drift", breaks: "acts", plan: "mono-drift 3000 at worker-* *; most 1"},
	{kind: "database-step", breaks: "acts", plan: "database-step 3000; most 1"},

	{kind: "crash", breaks: "acts"},
	{kind: "late-statement", breaks: "acts"},
	{kind: "same-name", breaks: "stuck", plan: "crash 10000 first 1 only kill after at worker-1#0/main sql:commit",
		how: habits{renews: true}, cured: habits{renews: true, fresh: true}},
	{kind: "slow-drain", breaks: "acts", plan: "slow-drain 10000", how: habits{deploys: true}},
	{kind: "two-versions", breaks: "acts", plan: "two-versions 10000 at worker-1 *"},
	{kind: "stall", breaks: "acts"},
	{kind: "expired-lease", breaks: "acts"},
	{kind: "suspend", breaks: "acts"},
	{kind: "delay", breaks: "acts"},
	{kind: "answer-late", breaks: "acts"},

	{kind: "cut-before", breaks: "acts", plan: "cut-before 3000 at worker-* sql:FinishJob; most 1"},
	{kind: "cut-after", breaks: "acts", plan: "cut-after 3000 at worker-* sql:FinishJob; most 1"},
	{kind: "cut-during", breaks: "account sent", plan: "cut-during 10000; most 1"},
	{kind: "commit-lost", breaks: "acts"},
	{kind: "commit-late", breaks: "ledger"},
	{kind: "completes-anyway", breaks: "account sent", plan: "completes-anyway 10000"},
	{kind: "not-sent", breaks: "audit", plan: "delay 10000 first 1 at worker-1#0/main sql:Audit; not-sent 10000", latencies: []time.Duration{4 * second}},
	{kind: "lingering-locks", breaks: "stuck", how: habits{batch: true},
		plan: "crash 10000 first 1 only kill before at worker-1#0/main sql:commit; lingering-locks 10000"},
	{kind: "slow-commit", breaks: "acts", plan: "slow-commit 5000 at worker-* sql:Expect"},
	{kind: "deadlock", breaks: "account b", plan: "switch 4000", how: habits{together: true}},
	{kind: "serialization-failure", breaks: "account count", plan: "switch 4000", how: habits{together: true}},
	{kind: "unique-violation", breaks: "serial", plan: "switch 4000", how: habits{together: true}},
	{kind: "backend-killed", breaks: "acts", plan: "backend-killed 3000 at worker-* sql:FinishJob; most 1"},
	{kind: "pool-exhausted", breaks: "stuck", plan: "switch 4000", how: habits{sweeps: true}},
	{kind: "server-restart", breaks: "acts", plan: "server-restart 3000; most 1"},
	{kind: "read-only", breaks: "acts", plan: "read-only 3000; most 1"},
	{kind: "lost-tail", breaks: "acts", plan: "lost-tail 3000; most 1"},
	{kind: "restore", breaks: "acts", plan: "restore 3000; most 1"},

	{kind: "provider-timeout-before", breaks: "acts"},
	{kind: "provider-timeout-after", breaks: "acts"},
	{kind: "throttled", breaks: "acts"},
	{kind: "throttled-bare", breaks: "stuck"},
	{kind: "pending", breaks: "acts"},
	{kind: "unavailable", breaks: "statement"},
	{kind: "failed", breaks: "stuck"},
	{kind: "rejected", breaks: "acts"},
	{kind: "other-answer", breaks: "stuck"},
	{kind: "key-forgotten", breaks: "acts"},
	{kind: "truncated-statement", breaks: "statement"},
	{kind: "empty-statement", breaks: "statement"},
	{kind: "page-shift", breaks: "statement"},
	{kind: "callback-late", breaks: "report"},
	{kind: "callback-doubled", breaks: "event"},
	{kind: "callback-reordered", breaks: "event"},
	{kind: "callback-early", breaks: "event"},
	{kind: "callback-nameless", breaks: "event"},

	{kind: "channel-timeout-before", breaks: "acts"},
	{kind: "channel-timeout-after", breaks: "acts"},
	{kind: "answer-lost", breaks: "acts"},
	{kind: "contact-invalid", breaks: "acts"},
	{kind: "bounce", breaks: "bounce"},
	{kind: "outage", breaks: "stuck"},

	{kind: "delayed-ack", breaks: "event"},
	{kind: "letters-full", breaks: "stuck", plan: "failed 10000 at provider pay*", how: habits{letters: 1}, cured: habits{letters: 100}},
	{kind: "poison-message", breaks: "stuck"},
	{kind: "redrive-twice", breaks: "redrive", plan: "redrive-twice 10000"},
	{kind: "redrive-all", breaks: "redrive", plan: "redrive-all 10000"},
	{kind: "approve-stale", breaks: "correction", plan: "approve-stale 10000"},
	{kind: "forgotten-pause", breaks: "stuck", plan: "forgotten-pause 10000"},
}

// seedsMax is how many seeds a kind gets to break something.
const seedsMax = 60

// naiveRun is what became of a run.
type naiveRun struct {
	history    *sim.History
	violations []string
	err        error // the kernel's: a livelock, a hang
}

// bench is a server with the naive engine's tables.
type bench struct{ sessions *pg.Sessions }

func openBench(t *testing.T) bench {
	t.Helper()
	ctx := context.Background()
	server, err := pg.OpenNearest(ctx, pg.Options{Run: "faults", Core: -1})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close(ctx)) })
	require.NoError(t, server.CreateDatabase(ctx, "naive"))
	admin, err := pgx.Connect(ctx, server.ConnString("naive"))
	require.NoError(t, err)
	_, err = admin.Exec(ctx, naiveSchema)
	require.NoError(t, err)
	require.NoError(t, admin.Close(ctx))
	sessions, err := pg.NewSessions(server, "naive", pg.SessionOptions{Linger: []time.Duration{400 * second}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, sessions.Close()) })
	require.NoError(t, sessions.InstallClock(ctx))
	require.NoError(t, sessions.Snapshot(ctx))
	return bench{sessions}
}

func (b bench) run(t *testing.T, seed uint64, row breakage, how habits, d sim.Decider) naiveRun {
	t.Helper()
	ctx := context.Background()
	require.NoError(t, b.sessions.Reset(ctx))
	latencies := row.latencies
	if latencies == nil {
		latencies = []time.Duration{45 * second}
	}
	k := sim.New(sim.Config{Epoch: naiveEpoch, Seed: seed, Decider: d, Locks: b.sessions, K: 1000, Latencies: latencies,
		Stalls: []time.Duration{60 * second}, Suspends: []time.Duration{60 * second}})
	b.sessions.Attach(k)
	o := &outside{k: k, sessions: b.sessions, how: how, seed: seed, gone: map[string]bool{}, permits: map[*sim.Process]sim.Semaphore{},
		lives: map[string]*sim.Process{}, nth: map[string]int{}, done: map[string]int{}, down: map[string]time.Duration{},
		poisoned: map[string]bool{}, bounced: map[string]bool{}}
	k.World("world", o.begin)
	err := k.Run(ctx, 11*time.Minute)
	if err == nil {
		k.Heal()
		err = k.Run(ctx, 15*time.Minute)
	}
	k.Close()
	b.sessions.Detach()
	require.NoError(t, b.sessions.Err())
	tables, dumpErr := b.sessions.Dump(ctx)
	require.NoError(t, dumpErr)
	return naiveRun{k.History(), o.violations(tables), err}
}

func TestNaive_HoldsWhileNothingGoesWrong(t *testing.T) {
	b := openBench(t)
	for seed := range uint64(20) {
		for _, how := range []habits{{}, {batch: true}, {renews: true}, {renews: true, fresh: true}, {sweeps: true}, {together: true}, {deploys: true}} {
			if how != (habits{}) && seed > 2 {
				continue // they only differ in what breaks
			}
			r := b.run(t, seed, breakage{}, how, sim.Plain())
			require.NoError(t, r.err)
			require.Empty(t, r.violations, "seed %d %+v", seed, how)
			require.Empty(t, Bitten(r.history))
		}
	}
}

func TestNaive_HasARowForEveryKind(t *testing.T) {
	for i, k := range Kinds() {
		require.Equal(t, k.Name(), breakages[i].kind)
	}
	require.Len(t, breakages, len(Kinds()))
}

func TestNaive_BreaksByEveryKindAlone(t *testing.T) {
	b := openBench(t)
	for _, row := range breakages {
		t.Run(row.kind, func(t *testing.T) { b.breaks(t, row) })
	}
}

// breaks looks for a seed in which a kind bites and breaks what it should, and takes it away again.
func (b bench) breaks(t *testing.T, row breakage) {
	k, err := Find(row.kind)
	require.NoError(t, err)
	plan, err := ParsePlan(cmp.Or(row.plan, row.kind+" 300; most 1"))
	require.NoError(t, err)
	var tried, bit int
	var seen []string
	for seed := range uint64(seedsMax) {
		found := b.run(t, seed, row, row.how, sim.Seeded(seed, cmp.Or(plan.Most, math.MaxInt), plan.Weigh(Durations{Lease: naiveLease})))
		if own(k, found.history) {
			tried++
		}
		if !bitten(k, found.history) {
			continue
		}
		bit++
		seen = append(seen, found.violations...)
		if !found.shows(row.breaks) {
			continue
		}
		t.Logf("seed %d: %s", seed, found.violations)
		again := b.run(t, seed, row, row.how, sim.Recorded(sim.Script{Deviations: found.history.Used}))
		line, was, is, same := sim.Difference(found.history, again.history)
		require.True(t, same, "the same deviations make another run: line %d\n%s\n%s", line, was, is)
		b.holdsWithout(t, k, seed, row, found)
		return
	}
	slices.Sort(seen)
	require.Fail(t, "not found", "%q in %d seeds: drawn in %d, bit in %d, broke %v", row.breaks, seedsMax, tried, bit, slices.Compact(seen))
}

func (r naiveRun) shows(prefix string) bool {
	return slices.ContainsFunc(r.violations, func(v string) bool { return strings.HasPrefix(v, prefix) })
}

// draws: the deviation is one of this kind.
func draws(k Kind, d sim.Deviation) bool {
	return len(k.Draw(sim.Gate{Address: d.At, Offers: []sim.Offer{{Class: d.Class, Value: d.Value}}})) > 0
}

func own(k Kind, h *sim.History) bool {
	return slices.ContainsFunc(h.Used, func(d sim.Deviation) bool { return draws(k, d) })
}

// holdsWithout: the same run without the kind breaks nothing.
func (b bench) holdsWithout(t *testing.T, k Kind, seed uint64, row breakage, found naiveRun) {
	how, rest := row.how, slices.Clone(found.history.Used)
	switch _, undecided := k.(fact); {
	case !undecided:
		require.True(t, own(k, found.history), "the deviations have none of the kind")
		rest = slices.DeleteFunc(rest, func(d sim.Deviation) bool { return draws(k, d) })
	case row.cured != (habits{}):
		how = row.cured
	default:
		rest = slices.DeleteFunc(rest, func(d sim.Deviation) bool { return d.Class == sim.Then })
	}
	r := b.run(t, seed, row, how, sim.Recorded(sim.Script{Deviations: rest}))
	require.NoError(t, r.err)
	require.Empty(t, r.violations)
	require.False(t, bitten(k, r.history))
}
