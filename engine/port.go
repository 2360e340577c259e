package engine

import (
	"context"
	"errors"
	"time"
)

// Provider is the payment provider. Statement and LookUp read and may be repeated freely. Refund acts: it may be
// called only after `submitting` is known to be committed, and with no transaction open.
type Provider interface {
	Terms() Terms
	// Statement reads the provider's report of one account and window. ErrPending: not ready yet, burns nothing.
	// Any other error is a transport failure and may be retried.
	Statement(ctx context.Context, account AccountID, w Window) (RawStatement, error)
	Refund(ctx context.Context, r Refund) Outcome
	// LookUp asks what became of a key of ours. ErrAbsent proves "not done" only after Terms.Settling.
	LookUp(ctx context.Context, key Key) (Outcome, error)
}

// Channel delivers one message to one contact. Send has Refund's duty; LookUp answers ErrNoLookUp unless
// Terms.LookUp.
type Channel interface {
	Name() ChannelName
	Terms() Terms
	Send(ctx context.Context, m Message) Outcome
	LookUp(ctx context.Context, key Key) (Outcome, error)
}

// Terms is what the outside promises. "keyed", "lookup" and "neither" are values of it, not types.
type Terms struct {
	Keyed        bool          // the same key again is the same act, for KeyRetention
	LookUp       bool          // it can be asked what became of a key
	KeyRetention time.Duration // how long a key is remembered after its first submission
	Settling     time.Duration // "absent" counts only this long after the submission
	CallTimeout  time.Duration // the longest we wait for one call
}

// Refund asks the provider to give Amount of a payment back.
type Refund struct {
	Account    AccountID
	PaymentRef string // the provider's object that is refunded
	Currency   Currency
	Amount     int64 // minor units, > 0
	Key        Key
}

// Message is what a channel is asked to deliver. Bytes, amount and address were fixed when submission began.
type Message struct {
	Account AccountID
	Channel ChannelName
	Contact ContactID
	Address string
	Subject string
	Body    string
	Key     Key
}

// RawStatement is a statement as it came, with its hash: sha256 of Body, hex.
type RawStatement struct {
	Name      string // what it is called in errors, usually account/window
	Body      []byte
	Completed bool // the provider's own word that nothing will be added to it
}

// What the ports answer besides transport failures.
var (
	ErrPending  = errors.New("not ready yet")        // duty: ask later, burn nothing
	ErrAbsent   = errors.New("the key is not known") // duty: trust only after Terms.Settling
	ErrNoLookUp = errors.New("there is no look-up")  // duty: a person decides
)
