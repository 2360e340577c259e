package delivery

import (
	"context"
	"errors"
	"fmt"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres"
)

// ErrBadReceipt answers a callback that is none. Duty: refuse it for good, store nothing.
var ErrBadReceipt = errors.New("a receipt that is none")

// Receipt takes a channel's callback. It is acknowledged to the channel only after nil; postgres.ErrUnknownKey and
// ErrBadReceipt are refused for good. The same receipt again changes nothing.
func Receipt(ctx context.Context, db *postgres.DB, r engine.Receipt) error {
	switch r.Kind {
	case engine.Delivered, engine.Bounced, engine.Complained, engine.OptedOut:
	default:
		return fmt.Errorf("receipt %q of %s: kind %q; accepted are delivered, bounced, complained, opted_out: %w", r.ID, r.Channel, r.Kind, ErrBadReceipt)
	}
	if r.ID == "" || r.At.IsZero() {
		return fmt.Errorf("receipt of %s for key %q: accepted is one with an id and a time: %w", r.Channel, r.Key, ErrBadReceipt)
	}
	return db.RecordReceipt(ctx, r)
}
