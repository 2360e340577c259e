package faults

import (
	"fmt"

	"github.com/recondrill/recondrill/sim"
)

// lettersFull is a lane of dead letters without room. Nobody decides it at a gate: the drill lowers the capacity. It
// bites when a record had to be parked.
type lettersFull struct{}

func (lettersFull) Name() string { return "letters-full" }

func (lettersFull) Draw(sim.Gate) []sim.Value { return nil }

func (lettersFull) Check(v sim.Value) error {
	return fmt.Errorf("letters-full: value %q; accepted is none: the drill lowers the lane's capacity", v)
}

// Bit ignores the deviation. Whoever runs the drill marks what it finds parked before anybody takes it out again.
func (lettersFull) Bit(_ sim.Deviation, h *sim.History) bool {
	return some(h.Entries, func(e sim.Entry) bool {
		return e.What == "parked"
	})
}
