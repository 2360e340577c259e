package drills

import (
	"time"

	"github.com/recondrill/recondrill/faults"
	"github.com/recondrill/recondrill/sim/world"
)

// duplicateTick: two cron hosts and the engine's own timer all fire the same slots; ticks come twice, early, late or
// not at all, hosts die half-way and their wall clocks are wrong. A third host was off for a day and makes up for the last
// slot of the night before, at the latest when this night's first one comes: two nights then release at the same time. One
// slot still releases one batch, and by the end of the night every due account has been released.
func duplicateTick() Drill {
	const back = 24*time.Hour - (slotCount-1)*slotEvery // from the last slot of a night to the first of the next
	cron := func(name string) world.CronSetup {
		return world.CronSetup{Name: name, Every: slotEvery, Slots: slotCount}
	}
	return Drill{
		Name:  "duplicate-tick",
		Claim: "however often and whenever the ticks of a slot come, each due account is released once, and none is forgotten",
		World: world.Setup{Accounts: 3, Crons: []world.CronSetup{cron("cron-1"), cron("cron-2"),
			{Name: "cron-3", Slots: 1, Back: back, Apart: []time.Duration{back}}}},
		Nodes:  []Node{{"admit-1", []string{"admission"}}, worker("worker-1")},
		Engine: Settings{Batch: 2},
		Faults: faults.Plan{
			Rules: []faults.Rule{
				{Kind: "duplicate-tick", Per10k: 2000}, {Kind: "early-tick", Per10k: 1500},
				{Kind: "late-tick", Per10k: 1500}, {Kind: "missing-tick", Per10k: 1500},
				{Kind: "late-tick", Per10k: 3500, Where: "cron-3 *"},
				{Kind: "crash", Per10k: 300, Where: "cron-* *"}, {Kind: "crash", Per10k: 200, Where: "admit-1* *"},
				{Kind: "cut-after", Per10k: 800, Where: "cron-* *"}, {Kind: "commit-late", Per10k: 3000, Where: "*-1* sql:commit"},
				{Kind: "skew", Per10k: 5000},
			},
			Switch: 1500, Most: 10,
		},
		Facts: []Fact{everyWindowReconciled()},
		Lasts: 20 * time.Minute,
	}
}
