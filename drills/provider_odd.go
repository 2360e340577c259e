package drills

import (
	"time"

	"github.com/recondrill/recondrill/faults"
	"github.com/recondrill/recondrill/sim/world"
)

// providerOdd: the provider gives statements whose pages shifted while they were read, empty ones, and answers in time or
// not at all; a key it had accepted it answers otherwise, and keys are soon forgotten. What cannot be judged waits, and
// what nobody can tell is not done again.
func providerOdd() Drill {
	return Drill{
		Name:  "provider-odd",
		Claim: "no statement that is not whole is reconciled, and no answer of the outside, however odd, makes anything happen twice",
		World: world.Setup{
			Plant:    []string{"duplicate_at_provider", "state_differs", "duplicate_at_provider", "ambiguous"},
			Provider: world.Terms{Keyed: true, LookUp: true, LookUpLag: time.Minute, Stores: "all", InFlight: "block"},
			Channels: []world.ChannelSetup{
				// Its receipts come too late to settle what the call left open.
				{Name: "email", Terms: world.Terms{Keyed: true, KeyRetention: 20 * time.Minute, Stores: "non-validation"}, ReceiptAfter: 30 * time.Minute},
				{Name: "sms", Terms: world.Terms{Keyed: true, LookUp: true}},
			},
		},
		Nodes:  []Node{{"admit-1", []string{"admission"}}, {"worker-1", providerParts}, {"worker-2", providerParts}},
		Engine: Settings{Desk: true},
		Faults: faults.Plan{
			Rules: []faults.Rule{
				{Kind: "page-shift", Per10k: 1500}, {Kind: "empty-statement", Per10k: 1200}, {Kind: "truncated-statement", Per10k: 1200},
				{Kind: "throttled-bare", Per10k: 500}, {Kind: "pending", Per10k: 500}, {Kind: "outage", Per10k: 900, Where: "provider *"},
				{Kind: "provider-timeout-before", Per10k: 1200}, {Kind: "provider-timeout-after", Per10k: 2000},
				{Kind: "provider-timeout-after", Per10k: 3000, Where: "provider refund*"}, {Kind: "answer-lost", Per10k: 1200},
				{Kind: "answer-lost", Per10k: 3000, Where: "email *", First: 1}, {Kind: "channel-timeout-after", Per10k: 2500, Where: "email *"},
				{Kind: "other-answer", Per10k: 7000}, {Kind: "key-forgotten"}, {Kind: "delay", Per10k: 5000, Where: "desk-1*/* sql:ResolveBreak"},
				{Kind: "delay", Per10k: 4000, Where: "worker-*/* call:provider look-up*"}, // so that a person meets who is asking
			},
			Switch: 300, Most: 18,
		},
		Facts: []Fact{everyWindowReconciled()},
		Lasts: 25 * time.Minute,
	}
}

var providerParts = []string{"reconcile", "refund", "email", "sms"}
