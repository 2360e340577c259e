package faults

import (
	"slices"
	"strings"

	"github.com/recondrill/recondrill/sim"
)

// slowCommit is a statement that commits by itself and does so late: its work is done, the server waits for its standby or its
// disk, and its locks stand as long. It bites when it had done something and, before it was committed, somebody came to wait
// and was not granted, or an answer was given past locked rows (SKIP LOCKED).
func slowCommit() Kind {
	return betweenWorkAndCommit{kind{name: "slow-commit", forms: []form{{class: sim.Hold, words: "sync"}, {sim.Latency, "", positive}},
		bit: func(d sim.Deviation, r run) bool {
			by := func(what string) func(sim.Entry) bool {
				return func(e sim.Entry) bool { return e.What == what && e.Actor == d.At.Actor }
			}
			held := first(r.after(), by("held"))
			if d.Class != sim.Hold || held < 0 || !touched(r.after()[held].Text) {
				return false
			}
			between := until(r.after()[held+1:], by("answer"))
			return waited(between) || skipped(between)
		}}}
}

// betweenWorkAndCommit draws at a statement that its commit is held, and where it stands then, for how long.
type betweenWorkAndCommit struct{ kind }

func (k betweenWorkAndCommit) Draw(g sim.Gate) []sim.Value {
	stands := strings.HasPrefix(g.Address.Label, "sync ")
	return slices.DeleteFunc(k.kind.Draw(g), func(v sim.Value) bool { return k.forms[0].fits(v) == stands })
}
