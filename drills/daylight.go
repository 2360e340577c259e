package drills

import (
	"time"

	"github.com/recondrill/recondrill/engine/calendar"
	"github.com/recondrill/recondrill/faults"
	"github.com/recondrill/recondrill/sim/world"
)

// daylightGap and daylightRepeat: the night in which the hour of the schedule is left out, and the one in which it comes
// twice. Hosts that only know the time on the wall fire never, an hour late, or at both; accounts have days of 23 and 25
// hours. A slot is an instant, once, and each window is released once.
func daylightGap() Drill {
	return daylight("dst-gap", "the slot of a time that the clocks leave out is the end of the gap, and each due account is released once",
		time.Date(2026, 3, 29, 0, 55, 0, 0, time.UTC), 30*time.Minute, "02:30", "dst-gap")
}

func daylightRepeat() Drill {
	return daylight("dst-repeat", "the slot of a time that comes twice is the first of both, and each due account is released once",
		time.Date(2026, 10, 25, 0, 45, 0, 0, time.UTC), 35*time.Minute, "02:50", "dst-repeat")
}

func daylight(name, claim string, epoch time.Time, every time.Duration, at, kind string) Drill {
	const zone = "Europe/Berlin"
	cron := world.CronSetup{Name: "cron-1", At: at, Zone: zone, Every: every, Slots: slotCount}
	loc, err := calendar.Zone(zone)
	if err != nil {
		panic(err) // zones are part of the program
	}
	return Drill{
		Name: name, Claim: claim,
		World: world.Setup{Epoch: epoch, Accounts: 3, CustomersPer: 1, Plant: []string{world.PlantAmount},
			Channels: []world.ChannelSetup{{Name: "email", Terms: world.Terms{Keyed: true}}},
			Crons:    []world.CronSetup{cron}},
		Nodes:  []Node{{"admit-1", []string{"admission"}}, {"worker-1", []string{"reconcile", "refund", "email"}}},
		Engine: Settings{Schedule: name, Zone: loc, At: at, Every: every},
		Faults: faults.Plan{
			Rules: []faults.Rule{
				{Kind: kind, Per10k: 6000}, {Kind: "duplicate-tick", Per10k: 1500}, {Kind: "missing-tick", Per10k: 1500},
				{Kind: "cut-after", Per10k: 800, Where: "cron-* *"}, {Kind: "skew", Per10k: 5000},
			},
			Switch: 1000, Most: 8,
		},
		Facts: []Fact{everyWindowReconciled()},
		Blind: []string{"corrected", "act-once", "caps"}, // nothing differs, but where statements say so
		Lasts: 2*every + 15*time.Minute,
	}
}
