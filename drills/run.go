package drills

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/recondrill/recondrill/faults"
	"github.com/recondrill/recondrill/reports"
	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/oracle"
	"github.com/recondrill/recondrill/sim/pg"
	"github.com/recondrill/recondrill/sim/world"
)

// result is all that is known of one run.
type result struct {
	run      reports.Run
	epoch    time.Time
	history  *sim.History
	script   sim.Script
	tables   string      // hash of the final tables
	view     oracle.View // what the oracles saw
	findings []oracle.Violation
}

const (
	settleMax   = 8 * time.Hour    // simulated: longer than leases, backoff caps and settling times together
	watchdogMax = 60 * time.Second // real; it can only fail a run
)

// run makes one run of a drill under the kernel: reset, set-up, faults, recovery, judgement. It always gives a
// result; what could not be checked is its verdict `error`.
func (b *bench) run(ctx context.Context, d Drill, seed uint64, decider sim.Decider) *result {
	began := time.Now()
	r := &result{epoch: d.epoch(b.epoch), history: &sim.History{}, script: sim.Script{Header: d.header(seed)},
		run: reports.Run{Drill: d.Name, Seed: seed, Canary: d.Canary, Replay: fmt.Sprintf("recondrill replay --drill %s --seed %d", d.Name, seed)}}
	if dir := b.setup.statements; dir != "" {
		r.script.Header.Workload = statementsWorkload + dir
		r.run.Replay += " --statements " + dir
	}
	b.failures++
	if err := b.simulate(ctx, d, seed, decider, r); err != nil {
		r.run.Verdict, r.run.Error = reports.Error, err.Error()
	} else {
		b.failures = 0
	}
	r.run.WallMS, b.last = time.Since(began).Milliseconds(), r.run.Hash
	if r.run.Verdict == reports.Violation {
		r.script.Header.Oracle = r.run.Oracle
		r.run.Story = tell(r)
	}
	r.script.Header.Verdict = string(r.run.Verdict)
	return r
}

func (b *bench) simulate(ctx context.Context, d Drill, seed uint64, decider sim.Decider, r *result) error {
	if err := b.sessions.Reset(ctx); err != nil {
		return fmt.Errorf("reset: %w", err)
	}
	k := sim.New(sim.Config{Epoch: r.epoch, Seed: seed, Decider: decider, Locks: b.sessions, K: movesMax, S: instantMax,
		Latencies: latencies(), Stalls: stalls(), Suspends: suspends(), Watchdog: watchdogMax, Moves: b.moves})
	b.sessions.Attach(k)
	if b.attached != nil {
		b.attached()
	}
	end := sync.OnceFunc(func() {
		k.Close()
		b.sessions.Detach()
	})
	defer end()
	setup := d.World
	setup.Statements = b.setup.statements
	w, err := world.New(k, seed, setup)
	if err != nil {
		return fmt.Errorf("world: %w", err)
	}
	if err := b.prepare(ctx, d, w); err != nil {
		return err
	}
	f := &fleet{bench: b, drill: d, kernel: k, world: w}
	f.start()
	r.history = k.History()
	early, stopped, err := b.play(ctx, d, k, f)
	if err != nil {
		return err
	}
	if b.strays {
		if found := sim.StrayTasks(drivers()...); len(found) > 0 {
			return fmt.Errorf("%s", strings.Join(found, "; "))
		}
	}
	end()
	r.script.Deviations = r.history.Used
	r.run.SimSeconds = int64(k.Since() / time.Second)
	count := b.sessions.Counts()
	r.run.Statements, r.run.Gates = count.Executes, k.Stats().Gates
	if err := b.sessions.Err(); err != nil {
		return err
	}
	if err := f.failure; err != nil {
		return err
	}
	tables, err := b.sessions.Dump(ctx)
	if err != nil {
		return fmt.Errorf("dump: %w", err)
	}
	r.tables = tables.Hash()
	r.history.Mark("tables", "final", r.tables)
	r.run.Hash, r.run.Fingerprint = r.history.Hash(), k.Fingerprint()
	if !b.server.CanStop() {
		r.run.Hash = "" // no replay is claimed
	}
	r.script.Header.Hash = r.run.Hash
	for _, v := range r.script.Deviations {
		r.run.Deviations = append(r.run.Deviations, v.String())
	}
	r.run.Faults = faults.Bitten(r.history)
	r.run.Bites = bites(r.history, r.run.Faults)
	r.findings = f.advice
	return r.judge(d, stopped, oracle.View{Tables: tables, Earlier: early, Truth: w.Truth(), History: r.history, Settled: f.settled, Limits: d.limitsOf(w, r.epoch, k.Now())})
}

// drivers are words of the stacks of whose goroutines may run beside the tasks: the pool's own, which say nothing to the
// server that the gate does not see, and a context's, which only wait.
func drivers() []string {
	return []string{"pgx/v5/pgxpool.", "puddle/v2.", "context.(*cancelCtx).propagateCancel"}
}

// prepare tells the database what it is to know before the run.
func (b *bench) prepare(ctx context.Context, d Drill, w *world.World) error {
	if b.booked {
		return nil
	}
	if err := openBooks(ctx, b.books, w); err != nil {
		return fmt.Errorf("books: %w", err)
	}
	if err := d.setLanes(ctx, b.books); err != nil {
		return fmt.Errorf("lanes: %w", err)
	}
	return nil
}

// play lets the run happen. Phase 1: faults strike; what is append-only is remembered at its end. Phase 2: nothing new
// breaks, what was broken ends, and the operator does what is advised until all is settled. stopped is the kernel's
// word when it could not go on, which is a finding and no error.
func (b *bench) play(ctx context.Context, d Drill, k *sim.Kernel, f *fleet) (early pg.Tables, stopped, err error) {
	if stopped = k.Run(ctx, d.Lasts); stopped != nil {
		return nil, stopped, nil
	}
	if early, err = b.sessions.Dump(ctx); err != nil {
		return nil, nil, fmt.Errorf("dump: %w", err)
	}
	markParked(k.History(), early)
	k.Heal()
	f.operate()
	return early, k.Run(ctx, d.Lasts+settleMax), nil
}

// markParked notes what found its dead-letter lane full: only the operator takes a record out of that state again.
func markParked(h *sim.History, t pg.Tables) {
	for _, table := range []string{"job", "correction", "intent"} {
		for _, row := range t["recon."+table].Each() {
			if row.Text("state") == "parked" {
				h.Mark("letters", "parked", table+" "+row.Text(table+"_id"))
			}
		}
	}
}
