package drills

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/admission"
	"github.com/recondrill/recondrill/engine/calendar"
	"github.com/recondrill/recondrill/engine/delivery"
	"github.com/recondrill/recondrill/engine/node"
	"github.com/recondrill/recondrill/engine/postgres"
	"github.com/recondrill/recondrill/engine/reconcile"
	"github.com/recondrill/recondrill/faults"
	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/oracle"
	"github.com/recondrill/recondrill/sim/world"
)

// The settings of the engine under simulation. Production's are the zero values of its configurations; here idle
// polls, heartbeats and maintenance are rarer, because each costs a statement and says nothing.
const (
	lease         = 90 * time.Second
	heartbeat     = 2 * time.Minute
	heartbeatDead = 5 * time.Minute
	pollIdle      = 3 * time.Minute
	maintain      = 10 * time.Minute
	backoffMin    = 30 * time.Second
	backoffMax    = 10 * time.Minute
	attempts      = 8
	crashes       = 4
	admitBatch    = 10
	paymentLag    = 36 * time.Hour
	scheduleName  = "nightly"
)

func databaseOptions(process string) postgres.Options {
	return postgres.Options{Member: process, Lease: lease, HeartbeatDead: heartbeatDead,
		// A statement may stand longer than a lease before it is given up: some late ones land, some are cancelled.
		StatementMax: 2 * lease, ReadBackMax: 4 * lease}
}

func (d Drill) nodeConfig(n Node) node.Config {
	limits := engine.Limits{AttemptsMax: cmp.Or(d.Engine.Attempts, attempts), CrashesMax: crashes,
		Backoff: engine.Backoff{Min: backoffMin, Max: backoffMax}, AskEvery: time.Minute}
	c := node.Config{
		Admission: d.admission(),
		Reconcile: reconcile.Config{PollIdle: pollIdle, AttemptsMax: limits.AttemptsMax, CrashesMax: limits.CrashesMax,
			Backoff: limits.Backoff, PendingEvery: 2 * time.Minute},
		Refund:    reconcile.RefundConfig{PollIdle: pollIdle, Limits: limits},
		Delivery:  delivery.Config{PollIdle: pollIdle, Limits: limits},
		Heartbeat: heartbeat, Maintain: maintain, Conserve: 10 * maintain,
	}
	for _, p := range n.Parts {
		c.Parts = append(c.Parts, node.Part(p))
	}
	return c
}

func (d Drill) admission() admission.Config {
	return admission.Config{Token: scheduleName, Bound: cmp.Or(d.Engine.Batch, admitBatch),
		Schedule: calendar.Schedule{Zone: time.UTC, At: nightAt, Every: slotEvery, Count: slotCount}}
}

// latencies are how long a task may stand at a gate: around the lease and the heartbeat, where the time matters.
func latencies() []time.Duration {
	return []time.Duration{sim.NextTimer, lease / 2, lease + time.Second, 3 * lease, heartbeatDead + time.Second}
}

// stalls are how long a process may stand still.
func stalls() []time.Duration {
	return []time.Duration{lease + time.Second, 3 * lease, heartbeatDead + heartbeat + time.Second}
}

func (d Drill) weigh() func(sim.Gate, sim.Class) []sim.Weighted {
	return d.Faults.Weigh(faults.Durations{Lease: lease})
}

// limitsOf are the numbers that oracles judge by.
func limitsOf(w *world.World, epoch, now time.Time) oracle.Limits {
	l := oracle.Limits{Epoch: epoch, Now: now, Lease: lease, PaymentLag: paymentLag, Terms: map[string]world.Terms{"provider": w.Provider.Terms()}}
	for _, c := range w.Channels {
		l.Terms[c.Name()] = c.Terms()
	}
	return l
}

// setLanes makes dead-letter lanes as small as the drill wants them; a reset brings back the schema's.
func (d Drill) setLanes(ctx context.Context, db *postgres.DB) error {
	for _, lane := range slices.Sorted(maps.Keys(d.Engine.Lanes)) {
		if err := db.SetLaneCapacity(ctx, lane, d.Engine.Lanes[lane]); err != nil {
			return err
		}
	}
	return nil
}

// most bounds the faults and outcomes of one run; a plan that names no bound has none.
func (d Drill) most() int { return cmp.Or(d.Faults.Most, math.MaxInt) }
