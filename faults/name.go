package faults

import (
	"slices"

	"github.com/recondrill/recondrill/sim"
)

// sameName is a process that comes back under its name while the world still knows its dead life by it. It bites when
// the new life was answered with a record that the former one had claimed, and that nobody else had claimed since.
func sameName() Kind {
	return fact{"same-name", "the supervisor starts what died again, under its name", func(list []sim.Entry) bool {
		held := claimed{}
		for _, e := range list {
			if e.What == "answer" && slices.ContainsFunc(e.Keys, func(key string) bool {
				by, ok := held[key]
				return ok && by.Process == e.Actor.Process && by.Life < e.Actor.Life
			}) {
				return true
			}
			held.see(e)
		}
		return false
	}}
}
