package faults

import (
	"fmt"

	"github.com/recondrill/recondrill/sim"
)

// fact is a kind that nobody decides at a gate: it comes about, from the order of moves, from other faults or from how
// the drill is set up. It draws nothing, and bites when the history shows it.
type fact struct {
	name string
	how  string // it comes about
	bit  func(list []sim.Entry) bool
}

func (f fact) Name() string { return f.name }

func (f fact) Draw(sim.Gate) []sim.Value { return nil }

func (f fact) Check(v sim.Value) error {
	return fmt.Errorf("%s: value %q; accepted is none: %s", f.name, v, f.how)
}

// Bit is never so: no deviation brings it about by itself.
func (f fact) Bit(sim.Deviation, *sim.History) bool { return false }

func (f fact) came(list []sim.Entry) bool { return f.bit(list) }

// collision is two transactions that met: it bites when the server gave one of them up with this SQLSTATE. The server
// finds it by itself: nothing here fakes an error.
func collision(name, sqlstate string) Kind {
	return fact{name, "it comes from the order of the statements", func(list []sim.Entry) bool {
		return some(list, func(e sim.Entry) bool { return failed(e, sqlstate) })
	}}
}

// poolExhausted is a process whose connections are all in use. It bites when one of its tasks had to wait for one. The
// permits that stand before the pool are called "connections".
func poolExhausted() Kind {
	return fact{"pool-exhausted", "it comes from the number of connections and the order of the tasks", func(list []sim.Entry) bool {
		return some(list, func(e sim.Entry) bool { return e.What == "wait" && e.Label == "semaphore:connections" })
	}}
}

// lettersFull is a lane of dead letters without room. It bites when a record had to be parked: whoever runs the drill
// marks what it finds parked before anybody takes it out again.
func lettersFull() Kind {
	return fact{"letters-full", "the drill lowers the lane's capacity", func(list []sim.Entry) bool {
		return some(list, func(e sim.Entry) bool { return e.What == "parked" })
	}}
}
