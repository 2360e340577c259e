package ops

import (
	"context"
	"fmt"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/advice"
	"github.com/recondrill/recondrill/engine/postgres"
)

// Record is one that is not at an end, as it is stored now. Exactly one of the facts is set.
type Record struct {
	Kind       Kind
	Key        engine.Key
	Account    engine.AccountID
	Channel    engine.ChannelName // of an intent
	Outside    engine.Key         // of a correction: under which a person finds it at the provider
	State      string
	Version    int64
	Job        *advice.JobFacts
	Intent     *advice.IntentFacts
	Correction *advice.CorrectionFacts
}

// Outside are the terms of everything that acts: what advice must know and the database does not.
type Outside struct {
	Provider engine.Terms
	Channels map[engine.ChannelName]engine.Terms
}

// Unsettled are all records that are not at an end, jobs first, then corrections, then intents, each by key.
func Unsettled(ctx context.Context, db *postgres.DB) ([]Record, error) {
	jobs, err := db.UnsettledJobs(ctx, "")
	if err != nil {
		return nil, err
	}
	corrections, err := db.UnsettledCorrections(ctx, "")
	if err != nil {
		return nil, err
	}
	intents, err := db.UnsettledIntents(ctx, "")
	if err != nil {
		return nil, err
	}
	return append(append(ofJobs(jobs), ofCorrections(corrections)...), ofIntents(intents)...), nil
}

// Look gives one record as it is stored now. ErrNoRecord: there is none of that key that is not at an end.
func Look(ctx context.Context, db *postgres.DB, kind Kind, key engine.Key) (Record, error) {
	var all []Record
	switch kind {
	case Job:
		rows, err := db.UnsettledJobs(ctx, key)
		if err != nil {
			return Record{}, err
		}
		all = ofJobs(rows)
	case Intent:
		rows, err := db.UnsettledIntents(ctx, key)
		if err != nil {
			return Record{}, err
		}
		all = ofIntents(rows)
	default:
		rows, err := db.UnsettledCorrections(ctx, key)
		if err != nil {
			return Record{}, err
		}
		all = ofCorrections(rows)
	}
	if len(all) == 0 {
		return Record{}, fmt.Errorf("%s:%s that is not at an end: %w", kind, key, ErrNoRecord)
	}
	return all[0], nil
}

// Advise says the one safe act for a record as it was seen.
func Advise(r Record, o Outside) advice.Advice {
	switch {
	case r.Job != nil:
		return advice.Job(*r.Job)
	case r.Intent != nil:
		f := *r.Intent
		f.Terms = o.Channels[r.Channel]
		return advice.Intent(f)
	default:
		f := *r.Correction
		f.Terms = o.Provider
		return advice.Correction(f)
	}
}

func ofJobs(rows []postgres.UnsettledJob) []Record {
	var all []Record
	for _, r := range rows {
		all = append(all, Record{Kind: Job, Key: r.Job, Account: r.Account, State: string(r.Facts.State), Version: r.Facts.Version, Job: &r.Facts})
	}
	return all
}

func ofIntents(rows []postgres.UnsettledIntent) []Record {
	var all []Record
	for _, r := range rows {
		all = append(all, Record{Kind: Intent, Key: r.Intent, Account: r.Account, Channel: r.Channel, State: string(r.Facts.State),
			Version: r.Facts.Version, Intent: &r.Facts})
	}
	return all
}

func ofCorrections(rows []postgres.UnsettledCorrection) []Record {
	var all []Record
	for _, r := range rows {
		all = append(all, Record{Kind: Correction, Key: r.Correction, Account: r.Account, Outside: r.Outside, State: string(r.Facts.State),
			Version: r.Facts.Version, Correction: &r.Facts})
	}
	return all
}
