package drills

import (
	"fmt"
	"time"

	"github.com/recondrill/recondrill/faults"
	"github.com/recondrill/recondrill/sim/oracle"
	"github.com/recondrill/recondrill/sim/world"
)

// twoAccounts is the forced recovery exercise: two accounts, a worker that loses its lease in the middle of a
// reconciliation, a repeated cron tick, and a channel worker that stops after the channel had accepted. At the end
// the stored state alone must say which action is safe for every record, and carrying it out must end well.
func twoAccounts() Drill {
	return Drill{
		Name:  "two-accounts",
		Claim: "after a lost lease, a repeated tick and a stop after acceptance, the stored state alone names the safe action for every record, and doing it ends well",
		World: world.Setup{Accounts: 2, Crons: []world.CronSetup{{Name: "cron-1", Every: slotEvery, Slots: 1}}},
		Nodes: []Node{worker("worker-1"), worker("worker-2"), {"admit-1", []string{"admission"}}},
		Faults: faults.Plan{
			Rules: []faults.Rule{
				{Kind: "duplicate-tick", Per10k: 10000, First: 1},
				{Kind: "expired-lease", Per10k: 10000, Only: "stall *", Where: "worker-1#0/* sql:FinishJob", First: 1},
				{Kind: "expired-lease", Per10k: 3000, Only: "stall *", Where: "worker-2#0/* sql:FinishJob", First: 1},
				{Kind: "crash", Per10k: 6000, Only: "kill after", Where: "worker-*#0/email call:email *"},
				{Kind: "channel-timeout-after", Per10k: 3000, First: 1},
			},
			Switch: 300, Most: 6,
		},
		Facts: []Fact{
			everyWindowReconciled(),
			{"each account was reconciled once", func(v oracle.View) error { return countOf(v, "recon.envelope", len(v.Tables["recon.account"].Rows)) }},
			{"the repeated tick released no account a second time", releasedOnce},
		},
		Lasts: 30 * time.Minute,
	}
}

func countOf(v oracle.View, table string, want int) error {
	if n := len(v.Tables[table].Rows); n != want {
		return fmt.Errorf("%s has %d rows, wanted %d", table, n, want)
	}
	return nil
}

// releasedOnce: what the admissions say they released is what there is; that a slot has one admission is an oracle's.
func releasedOnce(v oracle.View) error {
	released := int64(0)
	for _, row := range v.Tables["recon.admission"].Each() {
		n, err := row.Int("inserted")
		if err != nil {
			return err
		}
		released += n
	}
	return countOf(v, "recon.job", int(released))
}
