package drills

import (
	"time"

	"github.com/recondrill/recondrill/faults"
	"github.com/recondrill/recondrill/sim/world"
)

// serverTrouble: the server restarts, ends single sessions, refuses writes for a while and holds the locks of the dead;
// connections are few. Whatever a process was told or not told, what it did is done once.
func serverTrouble() Drill {
	return Drill{
		Name:   "server-trouble",
		Claim:  "a server that restarts, refuses writes, ends sessions and holds the locks of the dead costs time, and nothing is lost or done twice",
		World:  world.Setup{},
		Nodes:  []Node{{"admit-1", []string{"admission"}}, worker("worker-1"), worker("worker-2")},
		Engine: Settings{Connections: 2},
		Faults: faults.Plan{
			Rules: []faults.Rule{
				{Kind: "server-restart", Per10k: 300}, {Kind: "read-only", Per10k: 300},
				{Kind: "backend-killed", Per10k: 150}, {Kind: "cut-during", Per10k: 8000}, {Kind: "commit-lost", Per10k: 800},
				{Kind: "crash", Per10k: 120, Where: "worker-*/* sql:*"}, {Kind: "lingering-locks", Per10k: 8000},
				{Kind: "not-sent", Per10k: 7000}, {Kind: "pool-exhausted"}, {Kind: "same-name"},
			},
			Switch: 700, Latency: 90, Most: 14,
		},
		Facts: []Fact{everyWindowReconciled()},
		Lasts: 25 * time.Minute,
	}
}
