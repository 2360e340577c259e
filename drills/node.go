package drills

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/admission"
	"github.com/recondrill/recondrill/engine/calendar"
	"github.com/recondrill/recondrill/engine/delivery"
	"github.com/recondrill/recondrill/engine/node"
	"github.com/recondrill/recondrill/engine/postgres"
	"github.com/recondrill/recondrill/engine/reconcile"
	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/oracle"
)

// version is which build of the engine a node runs: two are up at once while a deploy goes through. The code is the
// same; what differs is what builds are wont to change, the numbers.
type version string

const (
	versionNow      version = ""
	versionPrevious version = "version previous"
)

// versionOf decides, before its first boot, which version a node runs.
func (f *fleet) versionOf(name string) version {
	if !f.drill.plans("two-versions") {
		return versionNow
	}
	return version(f.kernel.Tick(name, "version", []sim.Value{{Verb: "version", Arg: "previous"}}).String())
}

func databaseOptions(process string, v version) postgres.Options {
	o := postgres.Options{Member: hostOf(process), Lease: lease, LeaseMargin: leaseMargin, HeartbeatDead: heartbeatDead,
		// A statement may stand longer than a lease before it is given up: some late ones land, some are cancelled.
		StatementMax: 2 * lease, ReadBackMax: 4 * lease}
	if v == versionPrevious {
		o.Lease, o.StatementMax = leasePrevious, lease
	}
	return o
}

func (d Drill) nodeConfig(n Node, v version) node.Config {
	limits := engine.Limits{AttemptsMax: cmp.Or(d.Engine.Attempts, attempts), CrashesMax: crashes,
		Backoff: engine.Backoff{Min: backoffMin, Max: backoffMax}, AskEvery: time.Minute}
	c := node.Config{
		Admission: d.admission(),
		Reconcile: reconcile.Config{PollIdle: pollIdle, AttemptsMax: limits.AttemptsMax, CrashesMax: limits.CrashesMax,
			Backoff: limits.Backoff, PendingEvery: 2 * time.Minute, Policy: d.Engine.Policy},
		Refund:    reconcile.RefundConfig{PollIdle: pollIdle, Limits: limits},
		Delivery:  delivery.Config{PollIdle: pollIdle, Limits: limits},
		Heartbeat: heartbeat, Maintain: maintain, Conserve: 10 * maintain,
	}
	if v == versionPrevious {
		c.Reconcile.Batch, c.Refund.Batch, c.Delivery.Batch = 1, 1, 2
		c.Refund.Limits.AttemptsMax, c.Delivery.Limits.AttemptsMax = 4*limits.AttemptsMax, 4*limits.AttemptsMax
		c.Reconcile.PollIdle, c.Refund.PollIdle, c.Delivery.PollIdle = pollIdle/2, pollIdle/2, pollIdle/2
	}
	for _, p := range n.Parts {
		c.Parts = append(c.Parts, node.Part(p))
	}
	return c
}

func (d Drill) admission() admission.Config {
	zone := d.Engine.Zone
	if zone == nil {
		zone = time.UTC
	}
	return admission.Config{Token: cmp.Or(d.Engine.Schedule, scheduleName), Bound: cmp.Or(d.Engine.Batch, admitBatch),
		Schedule: calendar.Schedule{Zone: zone, At: cmp.Or(d.Engine.At, nightAt), Every: cmp.Or(d.Engine.Every, slotEvery), Count: slotCount}}
}

// node starts a process that runs parts of the engine until it is told to go, or for good.
func (f *fleet) node(n Node) {
	v := f.versionOf(n.Name)
	f.process(n.Name, v, restartAfter, func(ctx context.Context, p *sim.Process, db *postgres.DB) error {
		config := f.drill.nodeConfig(n, v)
		config.Note = func(part node.Part, record engine.Key, err error) {
			task := string(part)
			if part == node.Reconcile {
				// Each job has a task of its own, called like the job. Only one whose claim was late is noted: another is
				// handed back on that word, without a note.
				task = string(record)
			}
			if errors.Is(err, postgres.ErrNotCommitted) {
				f.mark(n.Name, oracle.NotCommitted, task)
			}
		}
		ports := f.ports()
		if f.drill.plans("slow-drain") {
			for i, c := range ports.Channels {
				ports.Channels[i] = busy{c, func() { f.replace(n, "drain-sending") }}
			}
		}
		running, err := node.New(p, db, ports, config)
		if err != nil {
			f.broken(err)
			return err
		}
		if f.drill.plans("slow-drain") {
			return f.deployed(ctx, p, running)
		}
		return running.Run(ctx)
	})
}

// suspends are how long a process may be frozen with its monotonic clock.
func suspends() []time.Duration { return []time.Duration{lease + time.Second, 3 * lease} }
