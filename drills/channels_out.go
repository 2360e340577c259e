package drills

import (
	"slices"
	"time"

	"github.com/recondrill/recondrill/engine/reconcile"
	"github.com/recondrill/recondrill/faults"
	"github.com/recondrill/recondrill/sim/world"
)

// channelsOut: channels are out for a while, know a contact no more, lose answers, ask to wait without saying how long,
// and bring their receipts late, doubled, out of order, before our own commit, or say that the message came back.
func channelsOut() Drill {
	return Drill{
		Name:  "channels-out",
		Claim: "with channels out and receipts in any order, no message is sent twice, none is lost in silence, and who can't be reached is not written to again",
		World: world.Setup{Windows: 2, CustomersPer: 3, InvoicesPer: 2, OptedOut: 1500,
			Currencies: []string{"USD", "EUR"}, Plant: slices.Repeat([]string{"missing_in_ledger"}, 5), Channels: []world.ChannelSetup{
				{Name: "email", Terms: world.Terms{Keyed: true, InFlight: "block", Mismatch: "replay", Stores: "non-validation"}},
				{Name: "sms", Terms: world.Terms{LookUp: true, LookUpLag: 90 * time.Second}},
				{Name: "push"},
			}},
		Nodes: []Node{{"admit-1", []string{"admission"}}, worker("worker-1"), worker("worker-2")},
		// What the second window tells of payments comes while reminders of the first may be waiting for their next try. With two or
		// three missing payments to an account, windows are often exactly at a limit of what may go by itself, or just above one:
		// two broken rows, two of five rows, two acts. So some corrections wait for a person.
		Engine: Settings{Clerk: true, Policy: reconcile.Policy{BrokenFrom: 2, BrokenPercentMax: 40, WindowNumberMax: 2, WindowMoneyMax: 40_000}, Every: 2 * time.Minute},
		Faults: faults.Plan{
			Rules: []faults.Rule{
				{Kind: "outage", Per10k: 2000, Where: "*send(*"}, {Kind: "contact-invalid", Per10k: 1000}, {Kind: "answer-lost", Per10k: 1200},
				// What got lost on its way there, and is refused when it comes under the same key again.
				{Kind: "channel-timeout-before", Per10k: 2500, Where: "email *"}, {Kind: "contact-invalid", Per10k: 1500, Where: "email *"},
				{Kind: "throttled-bare", Per10k: 2500, Where: "*send(*"}, {Kind: "callback-late", Per10k: 1200}, {Kind: "callback-doubled", Per10k: 800},
				{Kind: "callback-reordered", Per10k: 4000}, {Kind: "callback-early", Per10k: 1500}, {Kind: "callback-nameless", Per10k: 1500}, {Kind: "delayed-ack", Per10k: 800}, {Kind: "bounce", Per10k: 1000},
				{Kind: "crash", Per10k: 120, Where: "worker-* call:*"},
				{Kind: "crash", Per10k: 300, Where: "inbox* *"}, {Kind: "cut-after", Per10k: 300, Where: "inbox* *"},
			},
			Switch: 400, Most: 20,
		},
		Facts: []Fact{everyWindowReconciled()},
		Blind: []string{"advised", "shown"}, // its clerk leaves nothing undone
		Lasts: 20 * time.Minute,
	}
}
