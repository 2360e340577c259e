package postgres

import (
	"context"
	"time"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres/queries"
)

// CorrectionLane is the dead-letter lane of corrections.
const CorrectionLane = "corrections"

// ClaimedCorrection is a correction under a claim: approved, or unknown and to be resolved.
type ClaimedCorrection struct {
	Claim     engine.Claim
	Account   engine.AccountID
	Act       string // refund, local
	State     engine.CorrectionState
	Key       engine.Key
	NextKey   engine.Key // of the act after this one
	Attempts  int
	Crashes   int
	Since     time.Time // in this state since
	LastCode  string    // what the record says of its last try
	ClaimedAt time.Time // the database's
	Lost      engine.Lost
}

// ClaimCorrections says how many, and for how long an unknown one can still be resolved by a machine.
type ClaimCorrections struct {
	Batch        int
	CanLookUp    bool
	ResendWithin time.Duration // since the first submission; 0 = the provider knows no keys
}

// ClaimCorrections claims one batch in the order in which it is to be worked on; leases that ended are taken over. A
// lost answer costs nothing.
func (d *DB) ClaimCorrections(ctx context.Context, c ClaimCorrections) ([]ClaimedCorrection, error) {
	before := d.rt.Mono()
	var rows []queries.ClaimCorrectionsRow
	err := d.one(ctx, "ClaimCorrections", func(ctx context.Context, q *queries.Queries) (err error) {
		rows, err = q.ClaimCorrections(ctx, queries.ClaimCorrectionsParams{
			Member: d.member, CanLookUp: c.CanLookUp, ResendWithin: c.ResendWithin, DeadAfter: d.options.HeartbeatDead,
			Batch: int64(c.Batch), Lease: d.options.Lease,
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	claimed := make([]ClaimedCorrection, 0, len(rows))
	for _, r := range rows {
		claimed = append(claimed, ClaimedCorrection{
			Claim:    d.claimed(engine.Key(r.CorrectionID), fenceOf(r.FenceIncarnation, r.FenceNumber), r.LeaseUntil, before),
			Account:  engine.AccountID(r.AccountID),
			Act:      r.Act,
			State:    engine.CorrectionState(r.State),
			Key:      engine.Key(r.IdempotencyKey),
			NextKey:  engine.Key(r.NextKey),
			Attempts: int(r.Attempts), Crashes: int(r.Crashes),
			Since: r.Since, LastCode: r.OutcomeCode, ClaimedAt: r.ClaimedAt, Lost: d.lost(r.Lost, r.LostSince, r.LostUntil, r.LostThrough),
		})
	}
	return claimed, nil
}

// HandBackCorrections gives back what is only claimed; nothing is burnt.
func (d *DB) HandBackCorrections(ctx context.Context, claims []engine.Claim) error {
	var p queries.HandBackCorrectionsParams
	for _, c := range claims {
		p.CorrectionIds = append(p.CorrectionIds, string(c.Record))
		p.Incarnations = append(p.Incarnations, c.Fence.Incarnation)
		p.FenceNumbers = append(p.FenceNumbers, c.Fence.Number)
	}
	return d.one(ctx, "HandBackCorrections", func(ctx context.Context, q *queries.Queries) error {
		_, err := q.HandBackCorrections(ctx, p)
		return err
	})
}

// CorrectionFinish is what a claim of a correction came to. Dead asks for a dead letter: where the lane is full the
// correction is parked. Applied books what was done, and resolves the break, in the same transaction.
type CorrectionFinish struct {
	From, To engine.CorrectionState
	Outcome  engine.OutcomeKind
	Code     string
	Ref      string // the provider's refund id
	Delay    time.Duration
	Burns    bool
	Asked    int32 // the incarnation up to which the provider was asked about what may be lost; 0 = it was not
}

// FinishCorrection ends a claim; see FinishIntent.
func (d *DB) FinishCorrection(ctx context.Context, c engine.Claim, f CorrectionFinish) error {
	switch f.To {
	case engine.CorrectionApplied:
		return d.guardedTx(ctx, "ApplyCorrection", d.correctionFinished(c, f.To), func(ctx context.Context, q *queries.Queries) error {
			if _, err := q.LockBooks(ctx, string(c.Record)); err != nil {
				return err
			}
			return applyCorrection(ctx, q, c, f)
		})
	case engine.CorrectionDead:
		ask := d.correctionFinished(c, engine.CorrectionDead, engine.CorrectionParked)
		return d.guarded(ctx, "BuryCorrection", ask, func(ctx context.Context, q *queries.Queries) error {
			_, err := q.BuryCorrection(ctx, queries.BuryCorrectionParams{
				Outcome: f.Outcome.String(), OutcomeCode: f.Code, Burnt: burnt(f.Burns), CorrectionID: string(c.Record),
				Incarnation: c.Fence.Incarnation, FenceNumber: c.Fence.Number, FromState: string(f.From),
			})
			return lostOr(err)
		})
	default:
		return d.guarded(ctx, "FinishCorrection", d.correctionFinished(c, f.To), func(ctx context.Context, q *queries.Queries) error {
			return finishCorrection(ctx, q, c, f)
		})
	}
}

func finishCorrection(ctx context.Context, q *queries.Queries, c engine.Claim, f CorrectionFinish) error {
	_, err := q.FinishCorrection(ctx, queries.FinishCorrectionParams{
		State: string(f.To), Outcome: f.Outcome.String(), OutcomeCode: f.Code, Ref: f.Ref, Asked: f.Asked, Burnt: burnt(f.Burns), Delay: f.Delay,
		CorrectionID: string(c.Record), Incarnation: c.Fence.Incarnation, FenceNumber: c.Fence.Number, FromState: string(f.From),
	})
	return lostOr(err)
}

// correctionFinished reads back whether a claim's last write is there.
func (d *DB) correctionFinished(c engine.Claim, to ...engine.CorrectionState) readBack {
	return func(ctx context.Context, q *queries.Queries) (bool, error) {
		row, err := q.ReadBackCorrection(ctx, string(c.Record))
		if err != nil {
			return false, err
		}
		return finished(record(row), c, to)
	}
}
