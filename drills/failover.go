package drills

import (
	"time"

	"github.com/recondrill/recondrill/faults"
	"github.com/recondrill/recondrill/sim/world"
)

// failover: a standby takes over that has not got the last of what the server had said it had, or the server is set back
// to a backup. What may have acted since is asked about before anything acts again, and what cannot be asked about
// waits for a person.
func failover() Drill {
	return Drill{
		Name:  "failover",
		Claim: "after a failover that loses the tail nothing acts before what may have acted is looked up, and nothing is refunded or sent twice",
		World: world.Setup{},
		Nodes: []Node{{"admit-1", []string{"admission"}}, worker("worker-1"), worker("worker-2")},
		Faults: faults.Plan{
			Rules: []faults.Rule{
				{Kind: "lost-tail", Per10k: 600}, {Kind: "restore", Per10k: 300},
				{Kind: "channel-timeout-after", Per10k: 1200}, {Kind: "provider-timeout-after", Per10k: 4000},
				{Kind: "crash", Per10k: 40, Where: "worker-*/* sql:*"},
			},
			Switch: 300, Latency: 30, Most: 7,
		},
		Facts: []Fact{everyWindowReconciled()},
		Lasts: 25 * time.Minute,
	}
}
