package drills

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/admission"
	"github.com/recondrill/recondrill/engine/node"
	"github.com/recondrill/recondrill/engine/postgres"
	"github.com/recondrill/recondrill/faults"
	"github.com/recondrill/recondrill/reports"
	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/oracle"
	"github.com/recondrill/recondrill/sim/pg"
	"github.com/recondrill/recondrill/sim/world"
)

// Plainly is what the drills are measured against: the same drills, engine, world and oracles, but nobody decides. Every
// process is goroutines of the real runtime, every statement goes straight to the server, now and then one sleeps for a
// moment before it is sent, and time passes by the host's clock, quickened. What fires, fails and answers outside is drawn
// as in the drills; processes do not die and nothing breaks on the wire, because a test with goroutines does not do that
// either. Such runs do not replay.

const (
	quickened    = 600                  // simulated seconds in a real one: a night of 25 minutes takes 2.5 s
	plainServers = 4                    // runs at one time
	sleepOdds    = 8                    // every so-manieth statement sleeps first
	sleepMax     = 3 * time.Millisecond // real
	plainMax     = 90 * time.Minute     // simulated, for settling: what takes longer is told as it is then
)

// Plainly runs the drills of these names for so long, or until ctx ends, and tells each run. Each drill is made at least
// once. Several runs are under way at one time, each on a server of its own: most of a run is waiting.
func Plainly(ctx context.Context, names []string, seed uint64, long time.Duration, postgres string, tell func(reports.Run) error) error {
	picked, err := pick(names)
	if err != nil {
		return err
	}
	picked = slices.DeleteFunc(picked, func(d Drill) bool { return d.Canary })
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var mu sync.Mutex
	next, end := 0, time.Now().Add(long)
	take := func() (d Drill, s uint64, more bool) {
		mu.Lock()
		defer mu.Unlock()
		if next >= len(picked) && time.Now().After(end) {
			return Drill{}, 0, false
		}
		d, s = picked[next%len(picked)], seed+uint64(next/len(picked))
		next++
		return d, s, true
	}
	var working sync.WaitGroup
	failed := make(chan error, plainServers)
	for range plainServers {
		working.Go(func() {
			b, err := openBench(ctx, benchSetup{postgres: postgres, run: runID(), core: -1})
			if err != nil {
				failed <- err
				return
			}
			defer b.close()
			for d, s, more := take(); more && ctx.Err() == nil; d, s, more = take() {
				run, err := b.plainly(ctx, d, s)
				if err == nil {
					err = one(&mu, func() error { return tell(run) })
				}
				if err != nil {
					failed <- fmt.Errorf("%s seed %d: %w", d.Name, s, err)
					stop()
					return
				}
			}
		})
	}
	working.Wait()
	select {
	case err := <-failed:
		return err
	default:
		return ctx.Err()
	}
}

// one does what nobody else does at the time, also where that ends its goroutine.
func one(mu *sync.Mutex, do func() error) error {
	mu.Lock()
	defer mu.Unlock()
	return do()
}

// plainly makes one run.
func (b *bench) plainly(ctx context.Context, d Drill, seed uint64) (reports.Run, error) {
	began := time.Now()
	run := reports.Run{Drill: d.Name, Seed: seed}
	if err := b.sessions.Reset(ctx); err != nil {
		return run, err
	}
	p, err := b.newPlain(ctx, d, seed)
	if err != nil {
		return run, err
	}
	early, err := p.play(ctx)
	if err != nil {
		return run, err
	}
	tables, err := b.sessions.Dump(ctx)
	if err != nil {
		return run, err
	}
	r := &result{run: run, findings: p.fleet.findings}
	r.run.Faults = faults.Bitten(p.fleet.kernel.History())
	// What went over the wire nobody has seen: oracles judge by the tables and the world's truth alone.
	view := oracle.View{Tables: tables, Earlier: early, Truth: p.fleet.world.Truth(), Settled: p.fleet.settled,
		Limits: p.fleet.drill.limits(p.fleet.world, d.epoch(b.epoch), p.fleet.kernel.Now())}
	if err := r.judge(d, nil, view); err != nil {
		return run, err
	}
	for _, f := range r.findings {
		r.run.Story = append(r.run.Story, f.Oracle+": "+f.Text)
	}
	r.run.WallMS, r.run.SimSeconds = time.Since(began).Milliseconds(), int64(p.fleet.kernel.Since()/time.Second)
	return r.run, nil
}

// plain is one run. The world keeps its kernel, which only one goroutine drives: calls of the engine are brought to it.
type plain struct {
	fleet *fleet // of it the world, the settings and the operator's part
	began time.Time
	epoch time.Time
	calls chan func(context.Context) // to be made as tasks of the world

	mu       sync.Mutex
	receipts []world.Receipt
	running  sync.WaitGroup
	dbs      []*postgres.DB
}

func (b *bench) newPlain(ctx context.Context, d Drill, seed uint64) (*plain, error) {
	epoch := d.epoch(b.epoch)
	k := sim.New(sim.Config{Epoch: epoch, Seed: seed, Decider: sim.Seeded(seed, d.most(), d.weigh())})
	w, err := world.New(k, seed, d.World)
	if err != nil {
		return nil, err
	}
	if err := b.prepare(ctx, d, w); err != nil {
		return nil, err
	}
	p := &plain{fleet: &fleet{bench: b, drill: d, kernel: k, world: w}, began: time.Now(), epoch: epoch, calls: make(chan func(context.Context), 64)}
	return p, p.installClock(ctx)
}

// installClock makes recon.now() the host's clock, quickened; the bench is of no use for simulated runs any more.
func (p *plain) installClock(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, p.fleet.bench.server.ConnString(p.fleet.bench.database))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, fmt.Sprintf(`grant execute on function statement_timestamp() to public;
		create or replace function recon.now() returns timestamptz language sql stable
		as $$ select timestamptz '%s' + (statement_timestamp() - timestamptz '%s') * %d $$`,
		p.epoch.Format(time.RFC3339Nano), p.began.Format(time.RFC3339Nano), quickened))
	return err
}

// play starts everything, lets the night pass, then lets the operator settle what can be settled.
func (p *plain) play(ctx context.Context) (early pg.Tables, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer func() {
		stop()
		p.running.Wait()
		for _, db := range p.dbs {
			db.Close()
		}
	}()
	p.outside(ctx)
	driven := make(chan error, 1)
	end := make(chan struct{})
	go func() { driven <- p.drive(ctx, end) }()
	for _, n := range p.fleet.drill.Nodes {
		if err := p.node(ctx, n); err != nil {
			return nil, err
		}
	}
	inbox, err := p.open(ctx, "inbox")
	if err != nil {
		return nil, err
	}
	p.running.Go(func() { p.takeReceipts(ctx, inbox) })
	if err := p.sleep(ctx, p.fleet.drill.Lasts); err != nil {
		return nil, err
	}
	if early, err = p.fleet.bench.sessions.Dump(ctx); err != nil {
		return nil, err
	}
	operator, err := p.open(ctx, "operator")
	if err != nil {
		return nil, err
	}
	p.settle(ctx, operator)
	stop()
	p.running.Wait()
	close(end)
	return early, <-driven
}

func (p *plain) sleep(ctx context.Context, d time.Duration) error {
	return node.NewRuntime().Sleep(ctx, d/quickened)
}

// outside is the world's own actors.
func (p *plain) outside(ctx context.Context) {
	p.fleet.kernel.World("plainly", func(ctx context.Context) error { // so that there always is a next instant
		for {
			if err := p.fleet.kernel.SleepWorld(ctx, time.Second); err != nil {
				return nil
			}
		}
	})
	for _, c := range p.fleet.drill.World.Crons {
		p.fleet.world.Cron(c.Name).Run(func(_ context.Context, slot time.Time, n int) {
			p.running.Go(func() { p.admit(ctx, firing(c.Name, slot, n), slot) })
		})
	}
	for _, c := range p.fleet.world.Channels {
		c.OnReceipt(func(r world.Receipt) error {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.receipts = append(p.receipts, r)
			return nil
		})
	}
}

// drive lets the world's time follow the host's, and makes the calls that are brought.
func (p *plain) drive(ctx context.Context, end <-chan struct{}) error {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	defer p.fleet.kernel.Close()
	for n := 0; ; {
		select {
		case call := <-p.calls:
			n++
			p.fleet.kernel.World(fmt.Sprintf("caller-%d", n), func(ctx context.Context) error { call(ctx); return nil })
		case <-tick.C:
		case <-end:
			return nil
		}
		if err := p.fleet.kernel.Run(context.WithoutCancel(ctx), time.Since(p.began)*quickened); err != nil {
			return err
		}
	}
}

// call makes one call of the engine as a task of the world, and waits for it or for the caller's own deadline.
func call[T any](ctx context.Context, p *plain, do func(context.Context) T, gaveUp func(error) T) T {
	answer := make(chan T, 1)
	select {
	case p.calls <- func(ctx context.Context) { answer <- do(ctx) }:
	case <-ctx.Done():
		return gaveUp(ctx.Err())
	}
	select {
	case a := <-answer:
		return a
	case <-ctx.Done():
		return gaveUp(ctx.Err())
	}
}

// node runs one process's parts.
func (p *plain) node(ctx context.Context, n Node) error {
	db, err := p.open(ctx, n.Name)
	if err != nil {
		return err
	}
	running, err := node.New(p.runtime(), db, p.ports(), p.fleet.drill.nodeConfig(n, versionNow))
	if err != nil {
		return err
	}
	p.running.Go(func() { _ = running.Run(ctx) })
	return nil
}

func (p *plain) ports() node.Ports {
	ports := p.fleet.ports()
	ports.Provider = plainProvider{p, ports.Provider}
	for i, c := range ports.Channels {
		ports.Channels[i] = plainChannel{p, c}
	}
	return ports
}

// open connects as a process does that nobody stands between.
func (p *plain) open(ctx context.Context, name string) (*postgres.DB, error) {
	b := p.fleet.bench
	config, err := pgxpool.ParseConfig(b.server.ConnString(b.database))
	if err != nil {
		return nil, err
	}
	config.MaxConns = connections
	config.ConnConfig.RuntimeParams["role"] = engineRole
	config.ConnConfig.Tracer = sleeper{}
	for {
		db, err := postgres.Open(ctx, p.runtime(), config, databaseOptions(name, versionNow))
		switch {
		case err == nil:
			p.mu.Lock()
			defer p.mu.Unlock()
			p.dbs = append(p.dbs, db)
			return db, nil
		case !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil:
			return nil, err
		}
		// Its second is two milliseconds here; a supervisor starts it again.
	}
}

func (p *plain) takeReceipts(ctx context.Context, db *postgres.DB) {
	for p.sleep(ctx, 10*time.Second) == nil {
		p.mu.Lock()
		taken := p.receipts
		p.receipts = nil
		p.mu.Unlock()
		for _, r := range taken {
			if takeReceipt(ctx, db, r) != nil {
				p.mu.Lock()
				p.receipts = append(p.receipts, r)
				p.mu.Unlock()
			}
		}
	}
}

// settle does what the drills' operator does.
func (p *plain) settle(ctx context.Context, db *postgres.DB) {
	p.calls <- func(context.Context) {
		p.fleet.world.Heal()
		p.fleet.kernel.Heal()
	}
	end := time.Now().Add(plainMax / quickened)
	for calm := 0; calm < operatorCalm && time.Now().Before(end) && ctx.Err() == nil; {
		busy, _, err := p.fleet.look(ctx, db)
		if calm++; busy || err != nil {
			calm = 0
		}
		p.fleet.settled = calm == operatorCalm
		_ = p.sleep(ctx, operatorEvery)
	}
}

// runtime is the real one with quickened time.
func (p *plain) runtime() engine.Runtime { return quickRuntime{node.NewRuntime(), p} }

type quickRuntime struct {
	*node.Runtime
	plain *plain
}

func (r quickRuntime) Now() time.Time {
	return r.plain.epoch.Add(time.Since(r.plain.began) * quickened)
}

func (r quickRuntime) Mono() time.Duration { return r.Runtime.Mono() * quickened }

func (r quickRuntime) Sleep(ctx context.Context, d time.Duration) error {
	return r.Runtime.Sleep(ctx, d/quickened)
}

func (r quickRuntime) WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return r.Runtime.WithTimeout(ctx, d/quickened)
}

// sleeper makes some statements wait a moment before they are sent.
type sleeper struct{}

func (sleeper) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	if rand.IntN(sleepOdds) == 0 {
		time.Sleep(rand.N(sleepMax))
	}
	return ctx
}

func (sleeper) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

type plainProvider struct {
	p *plain
	engine.Provider
}

type statementRead struct {
	raw engine.RawStatement
	err error
}

func (o plainProvider) Statement(ctx context.Context, account engine.AccountID, w engine.Window) (engine.RawStatement, error) {
	got := call(ctx, o.p, func(ctx context.Context) statementRead {
		raw, err := o.Provider.Statement(ctx, account, w)
		return statementRead{raw, err}
	}, func(err error) statementRead { return statementRead{err: err} })
	return got.raw, got.err
}

func (o plainProvider) Refund(ctx context.Context, r engine.Refund) engine.Outcome {
	return call(ctx, o.p, func(ctx context.Context) engine.Outcome { return o.Provider.Refund(ctx, r) }, unanswered)
}

func (o plainProvider) LookUp(ctx context.Context, key engine.Key) (engine.Outcome, error) {
	return plainLookUp(ctx, o.p, o.Provider.LookUp, key)
}

type plainChannel struct {
	p *plain
	engine.Channel
}

func (o plainChannel) Send(ctx context.Context, m engine.Message) engine.Outcome {
	return call(ctx, o.p, func(ctx context.Context) engine.Outcome { return o.Channel.Send(ctx, m) }, unanswered)
}

func (o plainChannel) LookUp(ctx context.Context, key engine.Key) (engine.Outcome, error) {
	return plainLookUp(ctx, o.p, o.Channel.LookUp, key)
}

// unanswered is a call whose caller gave up.
func unanswered(err error) engine.Outcome {
	return engine.Outcome{Kind: engine.Unknown, Code: code(err)}
}

type looked struct {
	outcome engine.Outcome
	err     error
}

func plainLookUp(ctx context.Context, p *plain, ask func(context.Context, engine.Key) (engine.Outcome, error), key engine.Key) (engine.Outcome, error) {
	got := call(ctx, p, func(ctx context.Context) looked {
		o, err := ask(ctx, key)
		return looked{o, err}
	}, func(err error) looked { return looked{err: err} })
	return got.outcome, got.err
}

// admit is one firing of a cron host, as its own process.
func (p *plain) admit(ctx context.Context, name string, slot time.Time) {
	db, err := p.open(ctx, name)
	if err == nil {
		_, err = admission.Admit(ctx, p.runtime(), db, p.fleet.drill.admission(), slot)
	}
	_ = err // as with a cron host, nobody hears; the timer and the next tick admit what this one did not
}
