package postgres

import (
	"context"

	"github.com/recondrill/recondrill/engine/postgres/queries"
)

// RaiseAlarms asks for a person. The same alarm again renews it.
func (d *DB) RaiseAlarms(ctx context.Context, all []Alarm) error {
	return d.one(ctx, "RaiseAlarms", func(ctx context.Context, q *queries.Queries) error {
		return raiseAlarms(ctx, q, all)
	})
}

// ClearAlarm ends one; false: it was not raised.
func (d *DB) ClearAlarm(ctx context.Context, kind, subject string) (cleared bool, err error) {
	err = d.one(ctx, "ClearAlarm", func(ctx context.Context, q *queries.Queries) error {
		n, err := q.ClearAlarm(ctx, queries.ClearAlarmParams{Kind: kind, Subject: subject})
		cleared = n > 0
		return err
	})
	return cleared, err
}

// Alarms are the raised ones, by kind and subject.
func (d *DB) Alarms(ctx context.Context) ([]Alarm, error) {
	var all []Alarm
	err := d.one(ctx, "Alarms", func(ctx context.Context, q *queries.Queries) error {
		rows, err := q.Alarms(ctx)
		for _, r := range rows {
			all = append(all, Alarm{r.Kind, r.Subject, r.Detail})
		}
		return err
	})
	return all, err
}
