package drills

import (
	"time"

	"github.com/recondrill/recondrill/faults"
	"github.com/recondrill/recondrill/sim/world"
)

// timeoutAfterAcceptance: provider and channels take a request and their answer is lost, or it never arrived, or it
// takes effect long after we gave up. A timeout is not a failure: nothing is refunded or sent twice, and what nobody
// can tell says so and waits for a person: the desk.
func timeoutAfterAcceptance() Drill {
	return Drill{
		Name:  "timeout-after-acceptance",
		Claim: "no refund and no message happens twice because its answer was lost, and none is taken for done that is not",
		// The provider knows keys and cannot be asked about them: what nobody can tell is sent again, or a person tells.
		World:  world.Setup{Provider: world.Terms{Keyed: true}, Channels: strictChannels(), Plant: []string{"duplicate_at_provider", "duplicate_at_provider", "missing_in_ledger", "duplicate_at_provider"}},
		Nodes:  []Node{{"admit-1", []string{"admission"}}, worker("worker-1"), worker("worker-2")},
		Engine: Settings{Desk: true},
		Faults: faults.Plan{
			Rules: []faults.Rule{
				{Kind: "provider-timeout-before", Per10k: 3000}, {Kind: "provider-timeout-after", Per10k: 3500},
				{Kind: "channel-timeout-before", Per10k: 1500}, {Kind: "channel-timeout-after", Per10k: 2500},
				{Kind: "throttled", Per10k: 500}, {Kind: "pending", Per10k: 800},
				{Kind: "callback-doubled", Per10k: 1500}, {Kind: "callback-early", Per10k: 1500}, {Kind: "bounce", Per10k: 800},
				{Kind: "crash", Per10k: 700, Where: "worker-* call:*"}, {Kind: "crash", Per10k: 30, Where: "worker-* sql:*"},
				{Kind: "cut-after", Per10k: 60, Where: "worker-* *"},
				{Kind: "rejected", Per10k: 1000, Where: "provider *"}, {Kind: "delay", Per10k: 5000, Where: "desk-1*/* sql:ResolveBreak"},
			},
			Switch: 300, Most: 14,
		},
		Facts: []Fact{everyWindowReconciled()},
		Blind: []string{"advised", "shown"}, // the desk has settled nearly all before a person looks at the end
		Lasts: 25 * time.Minute,
	}
}

// strictChannels are the usual three, where the one with keys replays whatever it answered.
func strictChannels() []world.ChannelSetup {
	return []world.ChannelSetup{
		{Name: "email", Terms: world.Terms{Keyed: true, Stores: "all"}},
		{Name: "sms", Terms: world.Terms{LookUp: true}},
		{Name: "push"},
	}
}
