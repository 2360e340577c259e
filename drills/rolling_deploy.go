package drills

import (
	"time"

	"github.com/recondrill/recondrill/faults"
	"github.com/recondrill/recondrill/sim/world"
)

// rollingDeploy: nodes are told to go one by one, their successors start at once, and the old ones hear of it late, go on
// meanwhile, and are killed where they take too long. Old and new ones have other settings. The work goes over from one
// to the other and is done once.
func rollingDeploy() Drill {
	return Drill{
		Name:   "deploy",
		Claim:  "while nodes of two versions are replaced one by one, the work goes over to the new ones, and is done once",
		World:  world.Setup{CustomersPer: 3}, // so that who is told to go may have more in hand than what it is about
		Nodes:  []Node{{"admit-1", []string{"admission"}}, worker("worker-1"), worker("worker-2")},
		Engine: Settings{Attempts: 1},
		Faults: faults.Plan{
			Rules: []faults.Rule{
				{Kind: "slow-drain", Per10k: 150}, {Kind: "slow-drain", Per10k: 5000, Only: "drain 1s", Where: "* drain-sending"},
				{Kind: "two-versions", Per10k: 7500, Where: "worker-1 *"}, {Kind: "two-versions", Per10k: 7500, Where: "worker-2 *"},
				{Kind: "two-versions", Per10k: 2500, Where: "*.next *"}, {Kind: "same-name"},
				{Kind: "crash", Per10k: 80, Where: "worker-*/* sql:*"}, {Kind: "expired-lease", Per10k: 800, Where: "worker-*/* sql:Finish*"},
				{Kind: "provider-timeout-before", Per10k: 1000}, {Kind: "channel-timeout-after", Per10k: 5000}, {Kind: "pending", Per10k: 1500},
				// What the version before tried once and then could not tell, while the new one tries once only.
				{Kind: "failed", Per10k: 5000, Where: "*send(*", First: 1}, {Kind: "pending", Per10k: 3000, Where: "sms send(*"},
			},
			Switch: 400, Latency: 60, Most: 18,
		},
		Facts: []Fact{everyWindowReconciled()},
		Lasts: 20 * time.Minute,
	}
}
