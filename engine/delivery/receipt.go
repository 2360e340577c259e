package delivery

import (
	"context"
	"fmt"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres"
)

// Receipt takes a channel's callback. It is acknowledged to the channel only after nil; postgres.ErrUnknownKey and
// bad input are refused for good. The same receipt again changes nothing.
func Receipt(ctx context.Context, db *postgres.DB, r engine.Receipt) error {
	switch r.Kind {
	case engine.Delivered, engine.Bounced, engine.Complained, engine.OptedOut:
	default:
		return fmt.Errorf("receipt %q of %s: kind %q; accepted are delivered, bounced, complained, opted_out", r.ID, r.Channel, r.Kind)
	}
	if r.ID == "" || r.At.IsZero() {
		return fmt.Errorf("receipt of %s for key %q: accepted is one with an id and a time", r.Channel, r.Key)
	}
	return db.RecordReceipt(ctx, r)
}
