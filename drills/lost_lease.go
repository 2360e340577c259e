package drills

import (
	"time"

	"github.com/recondrill/recondrill/faults"
	"github.com/recondrill/recondrill/sim/world"
)

// lostLease: workers die, stand still for longer than their lease, come back and go on writing; connections break
// around COMMIT and statements arrive after their sender has died. Whoever lost a lease writes nothing more, and
// the work of one account and window is done once.
func lostLease() Drill {
	return Drill{
		Name:  "lost-lease",
		Claim: "whoever lost a lease writes nothing more, and each account and window is reconciled once",
		World: world.Setup{PayersDuring: true, Channels: []world.ChannelSetup{
			{Name: "email", Terms: world.Terms{Keyed: true}},
			{Name: "sms", Terms: world.Terms{LookUp: true, CallTimeout: lease - leaseMargin}}, // a call takes as long as a lease allows, and no less
			{Name: "push"},
		}},
		Nodes: []Node{{"admit-1", []string{"admission"}}, worker("worker-1"), worker("worker-2")},
		Faults: faults.Plan{
			// Anything anywhere now and then; and often just where it would hurt: a finish that outlives its lease, a COMMIT
			// that lands after the reconnect. Rules are explained at faults.Rule, the usual night at world.Setup.
			Rules: []faults.Rule{
				{Kind: "crash", Per10k: 50, Where: "worker-*/* sql:*"}, {Kind: "late-statement", Per10k: 80, Where: "worker-*/* sql:*"},
				{Kind: "stall", Per10k: 80, Where: "worker-*/* sql:*"}, {Kind: "expired-lease", Per10k: 80, Where: "worker-*/* sql:*"},
				{Kind: "expired-lease", Per10k: 2500, Where: "worker-*/* sql:Finish*"},
				{Kind: "delay", Per10k: 1500, Only: "45s", Where: "worker-*/* sql:BeginJob"}, {Kind: "delay", Per10k: 4000, Only: "45s", Where: "worker-*/* sql:RenewJob"},
				{Kind: "answer-late", Per10k: 1500, Where: "worker-*/* sql:Submit*"}, {Kind: "answer-late", Per10k: 6000, Where: "worker-*/sms sql:SubmitIntent"},
				{Kind: "cut-before", Per10k: 70, Where: "worker-*/* sql:*"}, {Kind: "cut-after", Per10k: 70, Where: "worker-*/* sql:*"},
				{Kind: "commit-late", Per10k: 4000, Where: "worker-* sql:commit"}, {Kind: "cut-before", Per10k: 800, Where: "worker-* sql:commit"},
				{Kind: "cut-after", Per10k: 800, Where: "worker-* sql:commit"},
				{Kind: "channel-timeout-before", Per10k: 4000}, {Kind: "stall", Per10k: 800, Where: "admit-* sql:Watermark"},
			},
			Switch: 500, Latency: 60, Most: 12,
		},
		Facts: []Fact{everyWindowReconciled()},
		Lasts: 25 * time.Minute,
	}
}
