package drills

import (
	"context"
	"time"
)

// What an actor of the world does of itself is asked at instants: at each slot of the night, again and again while its
// work is under way, and some time after it.
const asksAtSlot = 8

var asksAfterSlot = []time.Duration{time.Second, 40 * time.Second, lease + time.Second, 3 * time.Minute}

// instants starts an actor of the world that asks at each of them until the faults are over. Its moves are chosen among
// the engine's, so that between two asks of one instant anybody may have gone on.
func (f *fleet) instants(actor string, ask func(ctx context.Context) error) {
	f.kernel.World(actor, func(ctx context.Context) error {
		for _, slot := range f.drill.slots(f.kernel.Now()) {
			if err := f.kernel.SleepUntil(ctx, slot); err != nil {
				return err
			}
			for range asksAtSlot {
				if err := f.ask(ctx, ask); err != nil {
					return err
				}
				if err := f.kernel.SleepWorld(ctx, 0); err != nil {
					return err
				}
			}
			for _, after := range asksAfterSlot {
				if err := f.kernel.SleepUntil(ctx, slot.Add(after)); err != nil {
					return err
				}
				if err := f.ask(ctx, ask); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func (f *fleet) ask(ctx context.Context, ask func(ctx context.Context) error) error {
	if f.healed {
		return nil
	}
	return ask(ctx)
}

// slots are the instants of the night after an instant.
func (d Drill) slots(after time.Time) []time.Time {
	schedule := d.admission().Schedule
	var all []time.Time
	for _, s := range schedule.Between(after, after.Add(12*time.Hour), slotCount) {
		all = append(all, s.At.UTC())
	}
	return all
}

// mark writes a line of the world into the history: what fault kinds judge whether they have bitten.
func (f *fleet) mark(actor, what, text string) { f.kernel.History().Mark(actor, what, text) }
