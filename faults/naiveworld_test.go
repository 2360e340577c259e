package faults

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/pg"
)

// outside is all that stands around the naive engine. It offers what the table of kinds says, and marks what it did.
type outside struct {
	k        *sim.Kernel
	sessions *pg.Sessions
	how      habits
	seed     uint64

	ticks   int // come and not yet taken
	gone    map[string]bool
	permits map[*sim.Process]sim.Semaphore
	lives   map[string]*sim.Process
	inside  *naive // reached by callbacks and the operator

	nth      map[string]int // calls by service and label
	done     map[string]int // effects
	down     map[string]time.Duration
	poisoned map[string]bool
	bounced  map[string]bool
}

const naiveSlot = 2 * time.Minute

var naiveEpoch = time.Date(2026, 3, 2, 1, 58, 0, 0, time.UTC)

func values(texts ...string) []sim.Value {
	var all []sim.Value
	for _, text := range texts {
		v, err := sim.ParseValue(text)
		if err != nil {
			panic(err) // literals
		}
		all = append(all, v)
	}
	return all
}

func (o *outside) mark(actor, what, text string) { o.k.History().Mark(actor, what, text) }

func (o *outside) pool(ctx context.Context, p *sim.Process) (*pgxpool.Pool, error) {
	return o.sessions.Pool(ctx, p, "", 8)
}

// process starts one of the engine's; each life has a pool of its own.
func (o *outside) process(name string, how habits, run func(context.Context, *naive) error) {
	skew := SkewOf(o.k.Tick(name, SkewLabel, Skews(3*time.Minute)))
	o.k.Process(name, 5*time.Second, func(ctx context.Context, p *sim.Process) error {
		o.lives[name] = p
		p.SetSkew(skew)
		pool, err := o.pool(ctx, p)
		if err != nil {
			return err
		}
		return run(ctx, &naive{p, pool, o, how})
	})
}

// begin is a task of the world: it makes what there is, and starts everybody.
func (o *outside) begin(ctx context.Context) error {
	pool, err := o.pool(ctx, nil)
	if err != nil {
		return err
	}
	o.inside = &naive{nil, pool, o, o.how}
	jobs, apart := 1+o.seed%2, time.Duration(o.seed/2%3)*300*time.Millisecond
	if o.how.together {
		jobs, apart = 2, 0
	}
	for i := range jobs {
		if err := o.inside.exec(ctx, "-- name: Prepare :exec\ninsert into job (id) values ($1)", fmt.Sprintf("job-%d", i+1)); err != nil {
			return err
		}
	}
	o.process("scheduler", o.how, func(ctx context.Context, n *naive) error { return n.schedule(ctx) })
	o.worker("worker-1", func(context.Context, *naive) {})
	o.worker("worker-2", func(ctx context.Context, n *naive) {
		_ = n.p.Sleep(ctx, apart)
	})
	o.worker("worker-3", func(context.Context, *naive) {})
	o.k.World("cron", o.cron)
	o.k.World("fate", o.fate)
	o.k.World("operator", o.operate)
	if o.how.deploys {
		o.k.World("deploy", o.deploy)
	}
	return nil
}

func (o *outside) worker(name string, first func(ctx context.Context, n *naive)) {
	how := o.how
	how.previous = o.k.Tick(name, "version", values("version previous")) != sim.Value{}
	o.process(name, how, func(ctx context.Context, n *naive) error {
		first(ctx, n)
		err := n.work(ctx)
		if err == nil && o.gone[name] {
			o.mark(name, "drained", "")
			if o.lives["worker-4"] == nil {
				o.successor()
			}
		}
		return err
	})
}

// deploy replaces worker-1 while it works.
func (o *outside) deploy(ctx context.Context) error {
	if err := o.k.SleepWorld(ctx, 10*time.Second); err != nil {
		return err
	}
	late := o.k.Tick("worker-1", "drain", values("drain 90s")).Duration()
	o.mark("worker-1", "draining", sim.Seconds(late))
	o.k.After("deploy", late, "stop", func(time.Time) { o.gone["worker-1"] = true })
	if late > 0 {
		o.successor()
	}
	return nil
}

func (o *outside) successor() {
	o.worker("worker-4", func(ctx context.Context, n *naive) { n.succeed(ctx, "worker-1") })
}

func (o *outside) cron(ctx context.Context) error {
	for i := range 2 {
		slot := naiveEpoch.Add(time.Duration(i+1) * naiveSlot)
		if err := o.k.SleepUntil(ctx, slot.Add(-2*time.Minute)); err != nil {
			return err
		}
		text := slot.Format(time.RFC3339)
		v := o.k.Tick("cron", "tick "+text, values("duplicate 40s", "early 40s", "late 120s", "missing", "gap missed", "gap late 130s", "repeat 130s"))
		by := v.Duration()
		offs := []time.Duration{0}
		switch v.Verb {
		case "missing":
			offs = nil
		case "duplicate", "repeat":
			offs = []time.Duration{0, by}
		case "early":
			offs = []time.Duration{-by}
		case "late":
			offs = []time.Duration{by}
		case "gap":
			if offs = nil; by > 0 {
				offs = []time.Duration{by}
			}
		}
		if offs == nil {
			o.mark("cron", "missed", text)
		}
		for n, off := range offs {
			o.k.After("cron", slot.Add(off).Sub(o.k.Now()), "fire "+text, func(time.Time) {
				o.ticks++
				o.mark("cron", "fired", fmt.Sprintf("%s %d %s", text, n, sim.Seconds(off)))
			})
		}
	}
	return nil
}

func (o *outside) takeTick() bool {
	taken := o.ticks > 0
	if taken {
		o.ticks--
	}
	return taken
}
