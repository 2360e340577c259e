package drills

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
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
	lives    map[string]*sim.Process // the present one, or the last, by name
	nodes    map[string]*leaving     // that a deploy may replace, by name
	receipts []world.Receipt
	arrived  engine.Event     // wakes the inbox
	paused   []postgres.Pause // stops that somebody forgot
	late     []world.Late     // what our own billing is still to book
	left     []string         // corrections and their states that the operator's last look left to a person

	lostSince time.Time // from when on the server may have lost what it said it had; zero: never
	healed    bool      // the faults are over
	settled   bool
	findings  []oracle.Violation // what people could not do although it was right, or read although it was not so
	failure   error              // what makes the run prove nothing
}

// start makes the processes; nothing runs before the kernel does.
func (f *fleet) start() {
	f.lives, f.nodes = map[string]*sim.Process{}, map[string]*leaving{}
	for _, n := range f.drill.Nodes {
		f.node(n)
	}
	for _, c := range f.drill.World.Crons {
		f.world.Cron(c.Name).Run(func(_ context.Context, slot time.Time, n int) { f.fire(c.Name, slot, n) })
	}
	f.process("inbox", versionNow, restartAfter, f.takeReceipts)
	for _, c := range f.world.Channels {
		c.OnReceipt(func(r world.Receipt) error {
			f.receipts = append(f.receipts, r)
			if f.arrived != nil {
				f.arrived.Set()
			}
			return nil
		})
	}
	f.actors()
}

// actors are who acts of itself: where the drill's faults are of a kind that one of them carries out, or its settings ask
// for one.
func (f *fleet) actors() {
	d := f.drill
	if d.plans("server-restart", "read-only", "lost-tail", "restore", "database-step") {
		f.serverActs()
	}
	if d.plans("wall-step", "mono-drift") {
		f.hostClocks()
	}
	if d.plans("slow-drain") {
		f.deploys()
	}
	if d.plans("redrive-twice", "redrive-all", "approve-stale", "forgotten-pause") {
		f.err()
	}
	if d.plans("lost-tail", "restore") {
		f.oncall()
	}
	if d.Engine.Desk {
		f.desk()
	}
	if d.Engine.Clerk {
		f.clerk()
	}
	if f.late = slices.Clone(f.world.Late); len(f.late) > 0 {
		f.billing()
	}
	if d.Engine.Bookkeeper {
		f.bookkeeper()
	}
}

// fire is one firing of a cron host: a process of its own that admits the slot and ends.
func (f *fleet) fire(host string, slot time.Time, n int) {
	f.process(firing(host, slot, n), versionNow, -1, func(ctx context.Context, p *sim.Process, db *postgres.DB) error {
		_, err := admission.Admit(ctx, p, db, f.drill.admission(), slot)
		return err
	})
}

// firing is the name of the process that a cron host starts for a slot, n counting from 0.
func firing(host string, slot time.Time, n int) string {
	return fmt.Sprintf("%s.%s.%d", host, slot.Format("1504"), n)
}

// takeReceipts hands the channels' receipts to the engine as they come. What could not be taken is tried again later.
func (f *fleet) takeReceipts(ctx context.Context, p *sim.Process, db *postgres.DB) error {
	for {
		f.arrived = p.Event("receipts")
		if len(f.receipts) == 0 {
			if err := f.arrived.Wait(ctx); err != nil {
				return err
			}
		}
		if takeReceipt(ctx, db, f.receipts[0]) != nil {
			if err := p.Sleep(ctx, inboxRetry); err != nil {
				return err
			}
			continue // not acknowledged: this life or the next takes it again
		}
		f.receipts = f.receipts[1:]
	}
}

// takeReceipt hands one over. A key that is none of the engine's, or a receipt that is none, is its channel's mistake, and is
// done with.
func takeReceipt(ctx context.Context, db *postgres.DB, r world.Receipt) error {
	err := delivery.Receipt(ctx, db, engine.Receipt{Channel: engine.ChannelName(r.Channel), ID: r.ID, Key: engine.Key(r.Key),
		Kind: engine.ReceiptKind(r.Kind), At: r.At})
	if errors.Is(err, postgres.ErrUnknownKey) || errors.Is(err, delivery.ErrBadReceipt) {
		return nil
	}
	return err
}

const (
	restartAfter = 20 * time.Second // simulated: how long a supervisor takes to start a dead process again
	openRetry    = 10 * time.Second
	inboxRetry   = time.Minute
	connections  = 16 // more than the tasks of a process, so that nobody waits inside the pool
)

// process is one process of the engine with its own database access, opened again until the database answers. One that
// gives up by itself, without having been told to go, is started again as a dead one is, unless it is never.
func (f *fleet) process(name string, v version, restart time.Duration, run func(context.Context, *sim.Process, *postgres.DB) error) {
	skew := f.kernel.Tick(name, faults.SkewLabel, faults.Skews(90*time.Second))
	f.kernel.Process(name, restart, func(ctx context.Context, p *sim.Process) error {
		p.SetSkew(faults.SkewOf(skew))
		f.lives[name] = p
		for {
			db, err := f.open(ctx, p, v)
			again := openRetry
			if err == nil {
				if err = run(ctx, p, db); err == nil || restart < 0 {
					return err
				}
				db.Close()
				again = restart
			}
			if errors.Is(err, sim.ErrKilled) || p.Sleep(ctx, again) != nil {
				return err
			}
		}
	})
}

func (f *fleet) open(ctx context.Context, p *sim.Process, v version) (*postgres.DB, error) {
	config, err := pgxpool.ParseConfig(f.bench.server.ConnString(f.bench.database))
	if err != nil {
		f.broken(err)
		return nil, err
	}
	config.MaxConns = int32(cmp.Or(f.drill.Engine.Connections, connections))
	f.bench.sessions.Configure(config, p, engineRole)
	return postgres.Open(ctx, p, config, databaseOptions(p.Name(), v))
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
