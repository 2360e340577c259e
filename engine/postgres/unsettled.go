package postgres

import (
	"context"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/advice"
	"github.com/recondrill/recondrill/engine/postgres/queries"
)

// UnsettledJob, UnsettledIntent and UnsettledCorrection are records that are not at an end, with what advice must know
// of them; only the outside's terms are missing.
type (
	UnsettledJob struct {
		Job     engine.Key
		Account engine.AccountID
		Facts   advice.JobFacts
	}
	UnsettledIntent struct {
		Intent  engine.Key
		Account engine.AccountID
		Channel engine.ChannelName
		Facts   advice.IntentFacts
	}
	UnsettledCorrection struct {
		Correction engine.Key
		Account    engine.AccountID
		Act        string
		Outside    engine.Key // under which the provider knows it
		Facts      advice.CorrectionFacts
	}
)

// UnsettledJobs are all of them, or the one named, by id.
func (d *DB) UnsettledJobs(ctx context.Context, only engine.Key) ([]UnsettledJob, error) {
	var all []UnsettledJob
	err := d.one(ctx, "UnsettledJobs", func(ctx context.Context, q *queries.Queries) error {
		rows, err := q.UnsettledJobs(ctx, string(only))
		for _, r := range rows {
			all = append(all, UnsettledJob{engine.Key(r.JobID), engine.AccountID(r.AccountID), advice.JobFacts{
				State: engine.JobState(r.State), Version: r.Version, Now: r.Now, Since: r.Since, LeaseUntil: timeOrZero(r.LeaseUntil),
				NotBefore: r.NextAt, Paused: r.Paused, Reason: r.LastError, Deaths: int(r.Deaths),
			}})
		}
		return err
	})
	return all, err
}

// UnsettledIntents are all of them, or the one named, by id.
func (d *DB) UnsettledIntents(ctx context.Context, only engine.Key) ([]UnsettledIntent, error) {
	var all []UnsettledIntent
	err := d.one(ctx, "UnsettledIntents", func(ctx context.Context, q *queries.Queries) error {
		rows, err := q.UnsettledIntents(ctx, string(only))
		for _, r := range rows {
			reason := r.OutcomeCode
			if r.HeldWhy != "" {
				reason = r.HeldWhy
			}
			all = append(all, UnsettledIntent{engine.Key(r.IntentID), engine.AccountID(r.AccountID), engine.ChannelName(r.Channel), advice.IntentFacts{
				State: engine.IntentState(r.State), Version: r.Version, Now: r.Now, Since: r.Since, LeaseUntil: timeOrZero(r.LeaseUntil),
				NotBefore: r.NextAt, SubmittedAt: timeOrZero(r.FirstSubmittedAt), ResendRefused: r.ResendRefused,
				Lost: d.lost(r.Lost, r.LostSince, r.LostUntil, r.LostThrough), Paused: r.Paused, Reason: reason,
				Ended: r.Ended, PartEnded: r.PartEnded, Doubt: r.Doubt, ContactChanged: r.ContactChanged, Deaths: int(r.Deaths),
			}})
		}
		return err
	})
	return all, err
}

// UnsettledCorrections are all of them, or the one named, by id. A rejected one is unsettled while its break is open and
// nobody proposed it anew.
func (d *DB) UnsettledCorrections(ctx context.Context, only engine.Key) ([]UnsettledCorrection, error) {
	var all []UnsettledCorrection
	err := d.one(ctx, "UnsettledCorrections", func(ctx context.Context, q *queries.Queries) error {
		rows, err := q.UnsettledCorrections(ctx, string(only))
		for _, r := range rows {
			all = append(all, UnsettledCorrection{engine.Key(r.CorrectionID), engine.AccountID(r.AccountID), r.Act, engine.Key(r.IdempotencyKey), advice.CorrectionFacts{
				State: engine.CorrectionState(r.State), Kind: correctionKind(r.Act), Version: r.Version, Now: r.Now, Since: r.Since,
				LeaseUntil: timeOrZero(r.LeaseUntil), SubmittedAt: timeOrZero(r.FirstSubmittedAt), ResendRefused: r.ResendRefused,
				Lost: d.lost(r.Lost, r.LostSince, r.LostUntil, r.LostThrough), Paused: r.Paused, Reason: r.OutcomeCode,
				BreakOpen: r.BreakOpen, OtherInDoubt: r.OtherInDoubt, OverCap: r.OverCap, ApprovedOnce: r.ApprovedOnce, Deaths: int(r.Deaths),
			}})
		}
		return err
	})
	return all, err
}

// correctionKind is the noun for what the column says.
func correctionKind(act string) engine.CorrectionKind {
	if act == "local" {
		return engine.CorrectionPosting
	}
	return engine.CorrectionKind(act)
}
