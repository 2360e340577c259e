package drills

import (
	"time"

	"github.com/recondrill/recondrill/faults"
	"github.com/recondrill/recondrill/sim/world"
)

// deadLettersFull: provider and channels fail for so long that records die, into lanes that hold one letter or none,
// which a clerk makes a little larger while they are full.
// What finds its lane full is parked instead of going round for ever or getting lost, accounts without parked work
// go on, and afterwards everything can be redriven once.
func deadLettersFull() Drill {
	return Drill{
		Name:  "dead-letters-full",
		Claim: "with the dead-letter lanes full nothing is lost, nothing loops, healthy accounts go on, and a redrive ends it",
		World: world.Setup{Accounts: 3, InvoicesPer: 2, Plant: []string{world.PlantPaidTwice, world.PlantPaidTwice, world.PlantMissingInLedger,
			world.PlantPaidTwice, world.PlantPaidTwice, world.PlantNoReference}},
		Nodes: []Node{{"admit-1", []string{"admission"}}, worker("worker-1"), worker("worker-2")},
		Engine: Settings{
			Lanes: map[string]int{"jobs": 1, "corrections": 0, "email": 1, "sms": 1, "push": 0}, Attempts: 2, Clerk: true,
		},
		Faults: faults.Plan{
			Rules: []faults.Rule{
				{Kind: "letters-full"},
				{Kind: "unavailable", Per10k: 6000, Where: "*send(*"}, {Kind: "failed", Per10k: 6000, Where: "*send(*"},
				{Kind: "unavailable", Per10k: 3500, Where: "provider *"}, {Kind: "failed", Per10k: 3500, Where: "provider *"},
				{Kind: "failed", Per10k: 2000, Where: "provider refund(*"}, {Kind: "throttled", Per10k: 500},
				{Kind: "rejected", Per10k: 300}, {Kind: "truncated-statement", Per10k: 800},
				{Kind: "crash", Per10k: 60, Where: "worker-* *"},
				// Who dies may have lost its lease to somebody whose claim is not committed yet.
				{Kind: "suspend", Per10k: 9000, Only: "suspend 270s", Where: "worker-* sql:BuryCorrection"},
				{Kind: "slow-commit", Per10k: 6000, Only: "sync", Where: "worker-* sql:ClaimCorrections"},
				{Kind: "slow-commit", Per10k: 8000, Only: "91s", Where: "worker-* sync sql:ClaimCorrections"},
			},
			Switch: 300,
		},
		Facts: []Fact{everyWindowReconciled()},
		Lasts: 40 * time.Minute,
	}
}
