package drills

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/ops"
	"github.com/recondrill/recondrill/engine/postgres"
	"github.com/recondrill/recondrill/sim/oracle"
	"github.com/recondrill/recondrill/sim/world"
)

const (
	clerkName  = "person:clerk"
	clerkEvery = 2 * time.Minute
)

// clerk is a person who does what is right while faults strike, in the midst of the workers: gives their word on what the
// engine could not find out, by the channel's own log, and sets anew how much a full lane holds.
type clerk struct {
	fleet *fleet
	lanes map[string]int // what each may hold, as the clerk set it last
}

func (f *fleet) clerk() {
	c := clerk{fleet: f, lanes: map[string]int{}}
	more := 0
	f.person("clerk", clerkEvery, clerkEvery, func(ctx context.Context, db *postgres.DB) error {
		err := errors.Join(c.settle(ctx, db), c.resize(ctx, db, more))
		more = 1 - more
		return err
	})
}

// settle gives a word on each intent that is unknown for so long that the engine had time to ask.
func (c *clerk) settle(ctx context.Context, db *postgres.DB) error {
	records, err := ops.Unsettled(ctx, db)
	for _, r := range records {
		if r.Kind != ops.Intent || r.State != string(engine.IntentUnknown) {
			continue
		}
		channel := c.fleet.channel(r.Channel)
		if r.Intent.Now.Before(r.Intent.Since.Add(channel.Terms().Settling)) {
			continue
		}
		word := channel.Log(string(r.Key) + "/")
		a := ops.Act{By: clerkName, Expect: r.Version, Why: "the channel's log says " + string(word)}
		switch word {
		case world.Done:
			c.fleet.refused(r, word, ops.ConfirmDone(ctx, db, a, r.Kind, r.Key, ""))
		case world.Refused:
			c.fleet.refused(r, word, ops.ConfirmRejected(ctx, db, a, r.Kind, r.Key))
		case world.Absent:
			c.fleet.refused(r, word, ops.ConfirmAbsent(ctx, db, a, r.Kind, r.Key))
		}
	}
	return err
}

func (f *fleet) channel(name engine.ChannelName) *world.Channel {
	for _, c := range f.world.Channels {
		if c.Name() == string(name) {
			return c
		}
	}
	panic("drills: no channel is called " + string(name))
}

// refused notes a word that the engine refused though the record had not moved: then no person could end the doubt.
func (f *fleet) refused(r ops.Record, word world.Word, err error) {
	if errors.Is(err, ops.ErrNotAllowed) || errors.Is(err, ops.ErrNoRecord) {
		f.findings = append(f.findings, oracle.Violation{Oracle: "advice", Record: string(r.Key),
			Text: fmt.Sprintf("%s %s in %s: a person knows that it is %s, and the engine refused it: %v", r.Kind, r.Key, r.State, word, err)})
	}
}

// resize sets what each lane that is called full may hold: so many letters more than it was set to before.
func (c *clerk) resize(ctx context.Context, db *postgres.DB, more int) error {
	alarms, err := db.Alarms(ctx)
	for _, a := range alarms {
		if a.Kind != "lane_full" {
			continue
		}
		if _, known := c.lanes[a.Subject]; !known {
			c.lanes[a.Subject] = c.fleet.drill.Engine.Lanes[a.Subject]
		}
		c.lanes[a.Subject] += more
		err = errors.Join(err, ops.SetLaneCapacity(ctx, db, postgres.LaneCapacity{Lane: a.Subject, Capacity: c.lanes[a.Subject], By: clerkName, Why: "it is full"}))
	}
	return err
}
