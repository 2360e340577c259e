package drills

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/recondrill/recondrill/engine/postgres"
	"github.com/recondrill/recondrill/faults"
	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/oracle"
	"github.com/recondrill/recondrill/sim/world"
)

// The settings of the engine under simulation. Production's are the zero values of its configurations; here idle
// polls, heartbeats and maintenance are rarer, because each costs a statement and says nothing.
const (
	lease         = 90 * time.Second
	leaseMargin   = 5 * time.Second
	leasePrevious = 2 * lease / 3 // of the version before
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

// latencies are how long a task may stand at a gate: around the lease and the heartbeat, where the time matters. The lease
// itself, and twice its half, end in the very instant in which it does.
func latencies() []time.Duration {
	return []time.Duration{sim.NextTimer, lease / 2, lease, lease + time.Second, 3 * lease, heartbeatDead + time.Second}
}

// stalls are how long a process may stand still.
func stalls() []time.Duration {
	return []time.Duration{lease, lease + time.Second, 3 * lease, heartbeatDead + heartbeat + time.Second}
}

func (d Drill) weigh() func(sim.Gate, sim.Class) []sim.Weighted {
	return d.Faults.Weigh(faults.Durations{Lease: lease})
}

// limits are the numbers that oracles judge by.
func (d Drill) limits(w *world.World, epoch, now time.Time) oracle.Limits {
	a := d.admission()
	l := oracle.Limits{Epoch: epoch, Now: now, Lease: lease, LeaseMin: leasePrevious, LeaseMargin: leaseMargin, Silent: heartbeatDead,
		Slots:      w.Timetable(world.CronSetup{Zone: a.Schedule.Zone.String(), At: a.Schedule.At, Every: a.Schedule.Every, Slots: slotCount}),
		PaymentLag: paymentLag, Caps: d.Engine.caps(), Terms: map[string]world.Terms{"provider": w.Provider.Terms()}}
	for _, c := range w.Channels {
		l.Terms[c.Name()] = c.Terms()
	}
	return l
}

// caps are those of the drill's policy, with production's where it says nothing.
func (s Settings) caps() *oracle.Caps {
	p := s.Policy
	return &oracle.Caps{Nothing: p.Nothing, LocalMax: cmp.Or(p.LocalMax, 1_000_000), RefundMax: cmp.Or(p.RefundMax, 50_000),
		NumberMax: cmp.Or(p.WindowNumberMax, 20), MoneyMax: cmp.Or(p.WindowMoneyMax, 2_000_000),
		BrokenFrom: cmp.Or(p.BrokenFrom, 10), BrokenPercents: cmp.Or(p.BrokenPercentMax, 25)}
}

// setLanes makes dead-letter lanes as small as the drill wants them; a reset brings back the schema's.
func (d Drill) setLanes(ctx context.Context, db *postgres.DB) error {
	for _, lane := range slices.Sorted(maps.Keys(d.Engine.Lanes)) {
		if err := db.SetLaneCapacity(ctx, postgres.LaneCapacity{Lane: lane, Capacity: d.Engine.Lanes[lane], By: "person:drill", Why: "as the drill wants it"}); err != nil {
			return err
		}
	}
	return nil
}

// most bounds the faults and outcomes of one run; a plan that names no bound has none.
func (d Drill) most() int { return cmp.Or(d.Faults.Most, math.MaxInt) }
