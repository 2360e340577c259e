package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres/queries"
)

// ErrUnknownKey answers a receipt for a message that is none of ours. Duty: refuse it at the door, store nothing.
var ErrUnknownKey = errors.New("the key is none of ours")

// RecordReceipt stores a channel's evidence and what follows from it. The same receipt again changes nothing; the
// caller acknowledges it only after nil, so that what a crash left undone is done by the channel's next try.
func (d *DB) RecordReceipt(ctx context.Context, r engine.Receipt) error {
	intent, act, err := splitKey(r.Key)
	if err != nil {
		return err
	}
	var about queries.RecordReceiptRow
	err = d.one(ctx, "RecordReceipt", func(ctx context.Context, q *queries.Queries) (err error) {
		about, err = q.RecordReceipt(ctx, queries.RecordReceiptParams{IntentID: intent, Channel: string(r.Channel),
			ReceiptID: r.ID, Kind: string(r.Kind), At: r.At})
		if errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("receipt %s of %s for key %q: %w", r.ID, r.Channel, r.Key, ErrUnknownKey)
		}
		return err
	})
	if err != nil {
		return err
	}
	if r.Kind == engine.Delivered && !(about.Doubtful && int(about.ActNumber) == act) {
		return nil
	}
	// Both updates are idempotent by what they ask, so a lost COMMIT needs no read-back: the channel tries again.
	return d.inTx(ctx, txOptions{Name: "ApplyReceipt"}, func(ctx context.Context, q *queries.Queries) error {
		_, err := q.SentByReceipt(ctx, queries.SentByReceiptParams{OutcomeCode: "receipt: " + string(r.Kind),
			IntentID: intent, ActNumber: int32(act)})
		if err != nil || r.Kind == engine.Delivered {
			return err
		}
		_, err = q.MarkContact(ctx, queries.MarkContactParams{ContactID: about.ContactID,
			Invalid: r.Kind == engine.Bounced, OptedOut: r.Kind == engine.OptedOut || r.Kind == engine.Complained})
		return err
	})
}

// splitKey takes an intent's key apart: its id and the act number.
func splitKey(k engine.Key) (intent string, act int, err error) {
	at := strings.LastIndexByte(string(k), '/')
	if at > 0 {
		act, err = strconv.Atoi(string(k[at+1:]))
	}
	if at <= 0 || err != nil || act < 1 {
		return "", 0, fmt.Errorf("key %q: accepted is an intent's id, a slash and an act number: %w", k, ErrUnknownKey)
	}
	return string(k[:at]), act, nil
}
