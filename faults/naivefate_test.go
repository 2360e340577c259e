package faults

import (
	"context"
	"time"

	"github.com/recondrill/recondrill/sim"
)

// fate asks every ten seconds what becomes of the clocks and of the database server.
func (o *outside) fate(ctx context.Context) error {
	if err := o.k.SleepWorld(ctx, 5*time.Second); err != nil {
		return err
	}
	for o.k.Since() < 6*time.Minute {
		for _, name := range []string{"scheduler", "worker-1", "worker-2"} {
			p := o.lives[name]
			switch v := o.k.Tick(name, "clock", append(WallSteps(3*time.Minute), Drifts(-500_000)...)); v.Verb {
			case "wall":
				p.StepWall(v.Duration())
			case "drift":
				p.SetDrift(DriftOf(v))
			}
		}
		offers := append(DatabaseSteps(2*time.Minute), values("restart", "read-only 60s", "failover 30s", "restore 60s")...)
		if err := o.carryOut(ctx, o.k.Tick(server, "acts", offers)); err != nil {
			return err
		}
		if err := o.k.SleepWorld(ctx, 10*time.Second); err != nil {
			return err
		}
	}
	return nil
}

func (o *outside) carryOut(ctx context.Context, v sim.Value) error {
	switch v.Verb {
	case "database":
		o.k.StepServer(v.Duration())
	case "restart":
		defer o.mark(server, "restarted", "")
		return o.sessions.Restart(ctx)
	case "read-only":
		o.sessions.ReadOnly(true)
		o.k.After(server, v.Duration(), "writable again", func(time.Time) { o.sessions.ReadOnly(false) })
	case "failover":
		return o.setBack(ctx, v.Duration(), "standby stopped", "failed over")
	case "restore":
		return o.setBack(ctx, v.Duration(), "backed up", "restored")
	}
	return nil
}

func (o *outside) setBack(ctx context.Context, after time.Duration, from, to string) error {
	if err := o.sessions.Standby(ctx); err != nil {
		return err
	}
	o.mark(server, from, "")
	if err := o.k.SleepWorld(ctx, after); err != nil {
		return err
	}
	if err := o.sessions.Failover(ctx); err != nil {
		return err
	}
	o.mark(server, to, "")
	return nil
}
