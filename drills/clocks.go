package drills

import (
	"time"

	"github.com/recondrill/recondrill/faults"
	"github.com/recondrill/recondrill/sim/world"
)

// clocks: wall clocks of hosts are wrong and are set while they run, monotonic ones drift, processes are suspended, and
// the database's own clock is set. When something is due and whose lease is over is the database's to say, and who holds
// a lease that is over writes nothing, however long it believes in it.
func clocks() Drill {
	return Drill{
		Name:  "clocks",
		Claim: "whatever the clocks of hosts and of the server do, nothing is released early or twice, and who lost a lease writes nothing more",
		// A second window falls due while the first may still be in the hands of somebody who has lost it.
		World:  world.Setup{Windows: 2},
		Engine: Settings{Every: 2 * time.Minute},
		Nodes:  []Node{{"admit-1", []string{"admission"}}, worker("worker-1"), worker("worker-2")},
		Faults: faults.Plan{
			Rules: []faults.Rule{
				{Kind: "skew", Per10k: 4000}, {Kind: "wall-step", Per10k: 150}, {Kind: "mono-drift", Per10k: 400},
				{Kind: "database-step", Per10k: 250}, {Kind: "suspend", Per10k: 60, Where: "worker-*/* *"}, {Kind: "suspend", Per10k: 800, Where: "admit-* sql:Watermark"},
				{Kind: "suspend", Per10k: 1500, Where: "worker-*/* sql:Finish*"}, {Kind: "expired-lease", Per10k: 1500, Where: "worker-*/* sql:Finish*"},
			},
			Switch: 300, Latency: 60, Most: 14,
		},
		Facts: []Fact{everyWindowReconciled()},
		Lasts: 25 * time.Minute,
	}
}
