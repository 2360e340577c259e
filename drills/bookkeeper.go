package drills

import (
	"context"
	"errors"
	"time"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/advice"
	"github.com/recondrill/recondrill/engine/ops"
	"github.com/recondrill/recondrill/engine/postgres"
	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/oracle"
	"github.com/recondrill/recondrill/sim/world"
)

// billing is our own ledger's other source: it books payments whose notifications came late, each once, while the engine
// may be on its way to do the same.
func (f *fleet) billing() {
	f.process("billing", versionNow, restartAfter, func(ctx context.Context, p *sim.Process, db *postgres.DB) error {
		for len(f.late) > 0 {
			next := f.late[0]
			if wait := next.After - f.kernel.Since(); wait > 0 {
				if err := p.Sleep(ctx, wait); err != nil {
					return err
				}
			}
			facts, err := ledgerFacts([]world.Fact{next.Fact})
			if err != nil {
				return err
			}
			switch err := db.BookFacts(ctx, facts); {
			case errors.Is(err, postgres.ErrBookedOtherwise):
				f.findings = append(f.findings, oracle.Violation{Oracle: "effects", Record: "transaction:" + next.Key, Text: "billing could not book it: " + err.Error()})
			case err != nil:
				return err // the next life goes on with it
			}
			f.late = f.late[1:]
		}
		return p.Event("nothing more to book").Wait(ctx)
	})
}

// bookkeeperEvery is rarely: what was proposed in one window is approved when the next is about to be reconciled.
const bookkeeperEvery = 10 * time.Minute

// bookkeeper is a person who approves local postings now and then, while faults strike, where advice says so.
func (f *fleet) bookkeeper() {
	f.person("bookkeeper", bookkeeperEvery, bookkeeperEvery, func(ctx context.Context, db *postgres.DB) error {
		records, err := ops.Unsettled(ctx, db)
		for _, r := range records {
			if r.Correction != nil && r.Correction.Kind == engine.CorrectionPosting && ops.Advise(r, f.outside()).Act == advice.Approve {
				err = errors.Join(err, ops.Approve(ctx, db, ops.Settings{}, ops.Act{By: "person:bookkeeper", Expect: r.Version, Why: "the statement has it"}, r.Key))
			}
		}
		return err
	})
}
