package ops

import (
	"context"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres"
)

// Status is the first thing a person looks at: whether the engine acts, what asks for a person, and how many records that
// are not at an end are in which state.
type Status struct {
	Existence Existence
	Alarms    []postgres.Alarm // raised ones
	Unsettled []Count
	InDoubt   []Count // those of them that are asked about by key before they act
}

// Count is how many records of a kind (and channel) are in a state.
type Count = postgres.Count

// ReadStatus reads it; its parts are of moments close to each other, not of one.
func ReadStatus(ctx context.Context, db *postgres.DB) (s Status, err error) {
	if s.Existence, err = db.Existence(ctx); err != nil {
		return s, err
	}
	if s.Alarms, err = db.Alarms(ctx); err != nil {
		return s, err
	}
	if s.InDoubt, err = db.InDoubt(ctx, false); err != nil {
		return s, err
	}
	records, err := Unsettled(ctx, db)
	for _, r := range records {
		s.count(string(r.Kind), r.Channel, r.State)
	}
	return s, err
}

// count adds one record, in the order in which its kind and state are met first.
func (s *Status) count(kind string, channel engine.ChannelName, state string) {
	for i, c := range s.Unsettled {
		if c.Kind == kind && c.Channel == channel && c.State == state {
			s.Unsettled[i].Number++
			return
		}
	}
	s.Unsettled = append(s.Unsettled, Count{Kind: kind, Channel: channel, State: state, Number: 1})
}
