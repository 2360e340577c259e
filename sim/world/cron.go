package world

import (
	"context"
	"strconv"
	"time"

	"github.com/recondrill/recondrill/sim"
)

// Cron is a cron host: it knows a timetable and nothing of what it starts. Whether a tick comes twice, early, late or
// not at all is decided once for each slot.
type Cron struct {
	w     *World
	setup CronSetup
}

func newCron(w *World, s CronSetup) *Cron { return &Cron{w: w, setup: s} }

// Name is the host's actor in scripts.
func (c *Cron) Name() string { return c.setup.Name }

// Slots are the instants of the timetable.
func (c *Cron) Slots() []time.Time {
	first := c.setup.First
	switch {
	case c.setup.At != "":
		first, _ = firstAt(c.setup.Zone, c.setup.At, c.w.setup.Epoch) // validate has read both
	case first.IsZero():
		first = night(c.w.setup.Epoch)
	}
	slots := make([]time.Time, c.setup.Slots)
	for i := range slots {
		slots[i] = first.Add(time.Duration(i)*c.setup.Every - c.setup.Back).UTC()
	}
	return slots
}

// Timetable are the instants that a timetable means in this world, whoever keeps it.
func (w *World) Timetable(s CronSetup) []time.Time { return newCron(w, s).Slots() }

// Run starts the host. fire is called as a task of the world, once for each firing of a slot (n = 0, a duplicate is
// n = 1); it starts what the host starts and need not wait for it.
func (c *Cron) Run(fire func(ctx context.Context, slot time.Time, n int)) {
	c.w.k.World(c.setup.Name, func(ctx context.Context) error {
		for nth, slot := range c.Slots() {
			if err := c.w.k.SleepUntil(ctx, slot.Add(-c.earliest())); err != nil {
				return err
			}
			firings := c.firings(slot, nth)
			if firings == nil {
				c.w.k.After(c.setup.Name, c.earliest(), "no tick "+slot.Format(time.RFC3339), func(time.Time) { c.w.mark(c.setup.Name, "missed", slot.Format(time.RFC3339)) })
			}
			for n, at := range firings {
				label := "fire " + slot.Format(time.RFC3339) + "." + strconv.Itoa(n)
				c.w.later(c.setup.Name, label, at.Sub(c.w.k.Now()), func(ctx context.Context) {
					c.mark(slot, n, c.w.k.Now().Sub(slot))
					fire(ctx, slot, n)
				})
			}
		}
		return nil
	})
}

// mark writes down how a firing really came: its slot, which firing of it, how far off.
func (c *Cron) mark(slot time.Time, n int, off time.Duration) {
	c.w.mark(c.setup.Name, "fired", slot.Format(time.RFC3339)+" "+strconv.Itoa(n)+" "+sim.Seconds(off))
}

// earliest is how long before a slot it is decided what becomes of its tick.
func (c *Cron) earliest() time.Duration {
	most := time.Second
	for _, d := range c.setup.Apart {
		most = max(most, d)
	}
	return most
}

// leftOut: no clock of the host's zone shows the time that its timetable says for this slot.
func (c *Cron) leftOut(slot time.Time, nth int) bool {
	loc, err := time.LoadLocation(c.setup.Zone)
	return err == nil && nth == 0 && c.setup.At != "" && slot.In(loc).Format("15:04") != c.setup.At
}

// firings decides when a slot's tick really comes.
func (c *Cron) firings(slot time.Time, nth int) []time.Time {
	offers := []sim.Value{value("missing")}
	for _, d := range c.setup.Apart {
		for _, verb := range []string{"duplicate", "early", "late"} {
			offers = append(offers, sim.Value{Verb: verb, Arg: sim.Seconds(d)})
		}
	}
	if c.leftOut(slot, nth) {
		offers = append(offers, value("gap missed"), value("gap late 3600s"))
	}
	again, repeats := shownAgain(c.setup.Zone, slot)
	if repeats {
		offers = append(offers, sim.Value{Verb: "repeat", Arg: sim.Seconds(again.Sub(slot))})
	}
	v := c.w.k.Tick(c.setup.Name, "tick "+slot.Format(time.RFC3339), offers)
	apart := v.Duration()
	switch v.Verb {
	case "missing":
		return nil
	case "duplicate":
		return []time.Time{slot, slot.Add(apart)}
	case "early":
		return []time.Time{slot.Add(-apart)}
	case "late":
		return []time.Time{slot.Add(apart)}
	case "gap":
		if _, d := ending(v); d > 0 {
			return []time.Time{slot.Add(d)}
		}
		return nil
	case "repeat":
		return []time.Time{slot, slot.Add(apart)}
	}
	return []time.Time{slot}
}
