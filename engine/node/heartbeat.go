package node

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/recondrill/recondrill/engine/postgres"
)

// errSilent: our beats failed for longer than our leases last, so others have taken over what we had.
var errSilent = errors.New("not heard for longer than the leases last: stopped what was in flight")

// beat says regularly that this process lives. It ends without an error when ctx is over, else because the process
// must stop what it does.
func (n *Node) beat(ctx context.Context) error {
	heard := n.rt.Mono() // registered just now, or heard again
	for n.rt.Sleep(ctx, n.config.Heartbeat) == nil {
		before := n.rt.Mono()
		call, cancel := n.rt.WithTimeout(ctx, n.config.Heartbeat)
		_, err := n.db.Beat(call)
		cancel()
		switch {
		case err == nil:
			heard = before // a beat counts from when it was sent: what came back late proves less
		case errors.Is(err, postgres.ErrDeregistered):
			return err
		case ctx.Err() != nil:
			return nil
		}
		if n.rt.Mono()-heard >= n.config.SilentMax {
			return errSilent
		}
		if err != nil {
			n.config.Note("heartbeat", "", err)
		}
	}
	return nil
}

// heardAgain beats until it is answered.
func (n *Node) heardAgain(ctx context.Context) error {
	n.config.Note("heartbeat", "", errSilent)
	for !n.isDraining() {
		_, err := n.db.Beat(ctx)
		if err == nil || errors.Is(err, postgres.ErrDeregistered) {
			return err
		}
		if err := n.rt.Sleep(ctx, n.config.Heartbeat); err != nil {
			return err
		}
	}
	return nil
}

// maintain moves held intents whose reason is gone, and counts everything. A difference that two counts in a row agree
// on raises an alarm: one alone may be what two statements saw of one moment.
func (n *Node) maintain(ctx context.Context) error {
	var before []string
	next := n.rt.Mono() + n.config.Conserve
	for n.rt.Sleep(ctx, n.config.Maintain) == nil {
		moved, err := n.db.SettleHeld(ctx, n.config.HeldMax, n.config.HeldBatch)
		if err != nil {
			n.config.Note("maintenance", "", err)
		}
		for _, m := range moved {
			n.wake(Part(m.Channel))
		}
		if n.rt.Mono() < next {
			continue
		}
		next = n.rt.Mono() + n.config.Conserve
		if before, err = n.conserve(ctx, before); err != nil {
			n.config.Note("maintenance", "", err)
		}
		if err := n.db.AlarmPauses(ctx, n.config.PauseMax); err != nil {
			n.config.Note("maintenance", "", err)
		}
	}
	return nil
}

// conserve counts once, alarms what the count before said too, and ends the alarm when all is in order.
func (n *Node) conserve(ctx context.Context, before []string) ([]string, error) {
	c, err := n.db.Conserve(ctx)
	if err != nil {
		return before, err
	}
	found := c.Differences()
	if len(found) == 0 {
		_, err := n.db.ClearAlarm(ctx, "conservation", "engine")
		return nil, err
	}
	if !slices.Equal(found, before) {
		return found, nil
	}
	return found, n.db.RaiseAlarms(ctx, []postgres.Alarm{{Kind: "conservation", Subject: "engine", Detail: strings.Join(found, "; ")}})
}
