package drills

import (
	"context"
	"time"

	"github.com/recondrill/recondrill/faults"
	"github.com/recondrill/recondrill/sim"
)

// serverName is the database server's actor in scripts and histories.
const serverName = "server"

// serverActs lets the server act of itself, as it is decided: it restarts, refuses writes for a while, is replaced by a
// standby that has not got the last of what it said it had, is set back to a backup, or its clock is set.
func (f *fleet) serverActs() {
	offers := append(faults.DatabaseSteps(lease), sim.Value{Verb: "restart"}, sim.Value{Verb: "read-only", Arg: "60s"}, sim.Value{Verb: "read-only", Arg: "300s"})
	once := []sim.Value{{Verb: "failover", Arg: "1s"}, {Verb: "failover", Arg: "60s"}, {Verb: "failover", Arg: "120s"}, {Verb: "restore", Arg: "400s"}}
	f.instants(serverName, func(ctx context.Context) error {
		all := offers
		if f.lostSince.IsZero() {
			all = append(offers[:len(offers):len(offers)], once...)
		}
		v := f.kernel.Tick(serverName, "acts", all)
		d, sessions := v.Duration(), f.bench.sessions
		var err error
		switch v.Verb {
		case "restart":
			err = sessions.Restart(ctx)
			f.mark(serverName, "restarted", "")
		case "read-only":
			sessions.ReadOnly(true)
			f.kernel.After(serverName, d, "writable again", func(time.Time) { sessions.ReadOnly(false) })
		case "database":
			f.kernel.StepServer(d)
		case "failover":
			err = f.setBack(ctx, d, "standby stopped", "failed over")
		case "restore":
			err = f.setBack(ctx, d, "backed up", "restored")
		}
		return err
	})
}

// setBack remembers what the server has now and puts it in the server's place when d is over, unless the faults are.
// Every session ends with it, and the server is another one.
func (f *fleet) setBack(ctx context.Context, d time.Duration, kept, back string) error {
	if err := f.bench.sessions.Standby(ctx); err != nil {
		return err
	}
	f.lostSince = f.kernel.ServerNow()
	f.mark(serverName, kept, "")
	if err := f.kernel.SleepWorld(ctx, d); err != nil || f.healed {
		return err
	}
	if err := f.bench.sessions.Failover(ctx); err != nil {
		return err
	}
	f.mark(serverName, back, "")
	return nil
}
