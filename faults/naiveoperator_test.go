package faults

import (
	"context"
	"time"

	"github.com/recondrill/recondrill/sim"
)

// operate is a person's night: one redrive, one approval, one pause.
func (o *outside) operate(ctx context.Context) error {
	var seen int
	for _, step := range []struct {
		at time.Duration
		do func() error
	}{
		{60 * time.Second, func() error { return o.redrives(ctx) }},
		{70 * time.Second, func() (err error) { seen, err = o.amount(ctx); return err }},
		{80 * time.Second, func() error {
			return o.inside.exec(ctx, "-- name: Correct :exec\nupdate correction set amount = 7")
		}},
		{90 * time.Second, func() error { return o.approves(ctx, seen) }},
		{100 * time.Second, func() error { return o.pauses(ctx) }},
	} {
		if err := o.k.SleepUntil(ctx, naiveEpoch.Add(step.at)); err != nil {
			return err
		}
		_ = step.do() // the database may be gone
	}
	return nil
}

func (o *outside) redrives(ctx context.Context) error {
	ids := []string{"job-0"}
	v := o.k.Tick(operator, "redrive", values("redrive twice", "redrive everything"))
	switch v.Arg {
	case "twice":
		ids = append(ids, "job-0")
	case "everything":
		ids = append(ids, "job-1")
	}
	for _, id := range ids {
		if err := o.inside.redrive(ctx, id); err != nil {
			return err
		}
		o.mark(operator, "redriven", id)
	}
	if v.Arg == "everything" {
		o.mark(operator, "redrove everything", "")
	}
	return nil
}

func (o *outside) amount(ctx context.Context) (n int, err error) {
	err = o.inside.pool.QueryRow(ctx, "-- name: Amount :one\nselect amount from correction").Scan(&n)
	return n, err
}

func (o *outside) approves(ctx context.Context, seen int) error {
	stale := o.k.Tick(operator, "approve", values("approve stale")) != sim.Value{}
	now, err := o.amount(ctx)
	if err != nil {
		return err
	}
	approved := now
	if stale {
		approved = seen
	}
	if stale && seen != now {
		o.mark(operator, "approved stale", "c1")
	}
	return o.inside.exec(ctx, "-- name: Approve :exec\nupdate correction set approved = $1", approved)
}

func (o *outside) pauses(ctx context.Context) error {
	forgets := o.k.Tick(operator, "pause", values("pause forgotten")) != sim.Value{}
	if err := o.inside.exec(ctx, "-- name: Pause :exec\nupdate control set paused = true"); err != nil {
		return err
	}
	o.mark(operator, "paused", "all")
	if forgets {
		return nil
	}
	if err := o.k.SleepWorld(ctx, 30*time.Second); err != nil {
		return err
	}
	if err := o.inside.exec(ctx, "-- name: Resume :exec\nupdate control set paused = false"); err != nil {
		return err
	}
	o.mark(operator, "unpaused", "all")
	return nil
}
