package drills

import (
	"time"

	"github.com/recondrill/recondrill/engine/reconcile"
	"github.com/recondrill/recondrill/faults"
	"github.com/recondrill/recondrill/sim/world"
)

// operatorErrs: records die of a poison that no retry cures, one account kills whoever works on it, and a person acts against all advice: redrives twice, redrives
// everything, approves by a page that is out of date, stops something and forgets it. The engine refuses what would do
// harm, and what it lets through does none. Meanwhile our own billing books late what a bookkeeper approves to be posted.
func operatorErrs() Drill {
	return Drill{
		Name:  "operator-errs",
		Claim: "whatever a person redrives, approves or stops by mistake, nothing is refunded or sent twice, and everything ends well once it is put right",
		World: world.Setup{InvoicesPer: 2, Windows: 2, Plant: []string{"duplicate_at_provider", "duplicate_at_provider", world.PlantSameID, world.PlantSameID,
			world.PlantBookedLate, world.PlantBookedLate, world.PlantBookedLate}},
		Nodes: []Node{{"admit-1", []string{"admission"}}, worker("worker-1"), worker("worker-2")},
		Engine: Settings{
			Bookkeeper: true, Policy: reconcile.Policy{Nothing: true}, Attempts: 2, Lanes: map[string]int{"email": 2},
		},
		Faults: faults.Plan{
			Rules: []faults.Rule{
				{Kind: "redrive-twice", Per10k: 1500}, {Kind: "redrive-all", Per10k: 1500}, {Kind: "approve-stale", Per10k: 3000}, {Kind: "forgotten-pause", Per10k: 1200},
				{Kind: "crash", Per10k: 6000, Only: "kill before", Where: "worker-*/* call:provider statement(acct_2,*"},
				{Kind: "delay", Per10k: 4000, Where: "worker-*/* sql:LockBooks"}, // so that what it is to correct may be over
				{Kind: "poison-message", Per10k: 1500}, {Kind: "failed", Per10k: 2000}, {Kind: "rejected", Per10k: 1500},
				{Kind: "channel-timeout-after", Per10k: 1500}, {Kind: "crash", Per10k: 30, Where: "worker-* *"},
			},
			Switch: 300, Most: 18,
		},
		Blind: []string{"caps"}, // every correction waits for a person
		Lasts: 19 * time.Minute,
	}
}
