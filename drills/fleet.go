package drills

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/admission"
	"github.com/recondrill/recondrill/engine/delivery"
	"github.com/recondrill/recondrill/engine/node"
	"github.com/recondrill/recondrill/engine/postgres"
	"github.com/recondrill/recondrill/faults"
	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/oracle"
	"github.com/recondrill/recondrill/sim/world"
)

// What a simulated process gives the engine is what production gives it.
var _ engine.Runtime = (*sim.Process)(nil)

// engineRole is whom the engine works as: no superuser, and on our servers without the right to ask the server for
// the time or for chance.
const engineRole = "recon_engine"

// fleet is the processes of one run: nodes of the engine, cron hosts' one-shot admissions, the receipts' inbox, and
// in the end the operator.
type fleet struct {
	bench    *bench
	drill    Drill
	kernel   *sim.Kernel
	world    *world.World
	receipts []world.Receipt
	settled  bool
	advice   []oracle.Violation // advice that could not be carried out
	failure  error              // what makes the run prove nothing
}

// start makes the processes; nothing runs before the kernel does.
func (f *fleet) start() {
	for _, n := range f.drill.Nodes {
		f.process(n.Name, restartAfter, func(ctx context.Context, p *sim.Process, db *postgres.DB) error {
			running, err := node.New(p, db, f.ports(), f.drill.nodeConfig(n))
			if err != nil {
				f.broken(err)
				return err
			}
			return running.Run(ctx)
		})
	}
	for _, c := range f.drill.World.Crons {
		f.world.Cron(c.Name).Run(func(_ context.Context, slot time.Time, n int) { f.fire(c.Name, slot, n) })
	}
	f.process("inbox", restartAfter, f.takeReceipts)
	for _, c := range f.world.Channels {
		c.OnReceipt(func(_ context.Context, r world.Receipt) error {
			f.receipts = append(f.receipts, r)
			return nil
		})
	}
}

// fire is one firing of a cron host: a process of its own that admits the slot and ends.
func (f *fleet) fire(host string, slot time.Time, n int) {
	name := fmt.Sprintf("%s.%s.%d", host, slot.Format("1504"), n)
	f.process(name, -1, func(ctx context.Context, p *sim.Process, db *postgres.DB) error {
		_, err := admission.Admit(ctx, p, db, f.drill.admission(), slot)
		return err
	})
}

// takeReceipts hands the channels' receipts to the engine. It looks rarely: a receipt is never urgent.
func (f *fleet) takeReceipts(ctx context.Context, p *sim.Process, db *postgres.DB) error {
	for {
		for len(f.receipts) > 0 {
			r := f.receipts[0]
			err := delivery.Receipt(ctx, db, engine.Receipt{Channel: engine.ChannelName(r.Channel), ID: r.ID, Key: engine.Key(r.Key),
				Kind: engine.ReceiptKind(r.Kind), At: r.At})
			if err != nil && !errors.Is(err, postgres.ErrUnknownKey) {
				break // not acknowledged: this life or the next takes it again
			}
			f.receipts = f.receipts[1:]
		}
		if err := p.Sleep(ctx, inboxEvery); err != nil {
			return err
		}
	}
}

const (
	restartAfter = 20 * time.Second // simulated: how long a supervisor takes to start a dead process again
	openRetry    = 10 * time.Second
	inboxEvery   = time.Minute
	connections  = 16 // more than the tasks of a process, so that nobody waits inside the pool
)

// process is one process of the engine with its own database access, opened again until the database answers.
func (f *fleet) process(name string, restart time.Duration, run func(context.Context, *sim.Process, *postgres.DB) error) {
	skew := f.kernel.Tick(name, faults.SkewLabel, faults.Skews(90*time.Second))
	f.kernel.Process(name, restart, func(ctx context.Context, p *sim.Process) error {
		p.SetSkew(faults.SkewOf(skew))
		for {
			db, err := f.open(ctx, p)
			if err == nil {
				return run(ctx, p, db)
			}
			if errors.Is(err, sim.ErrKilled) || p.Sleep(ctx, openRetry) != nil {
				return err
			}
		}
	})
}

func (f *fleet) open(ctx context.Context, p *sim.Process) (*postgres.DB, error) {
	config, err := pgxpool.ParseConfig(f.bench.server.ConnString(f.bench.database))
	if err != nil {
		f.broken(err)
		return nil, err
	}
	config.MaxConns = connections
	f.bench.sessions.Configure(config, p, engineRole)
	return postgres.Open(ctx, p, config, databaseOptions(p.Name()))
}

// broken notes what no run should meet: a mistake of the drill, not a fault.
func (f *fleet) broken(err error) {
	f.failure = errors.Join(f.failure, err)
	f.kernel.Stop()
}

// ports are what stands outside, as the engine's nodes see it.
func (f *fleet) ports() node.Ports {
	p := node.Ports{Provider: provider{f.world.Provider, terms(f.world.Provider.Terms())}}
	for _, c := range f.world.Channels {
		var port engine.Channel = channel{c, engine.ChannelName(c.Name()), terms(c.Terms())}
		if f.drill.channels != nil {
			port = f.drill.channels(port)
		}
		p.Channels = append(p.Channels, port)
	}
	return p
}
