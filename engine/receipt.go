package engine

import "time"

// Receipt is a channel's own evidence of what became of a message. It may come twice, late, out of order, and before
// the answer of the call that sent the message.
type Receipt struct {
	Channel ChannelName
	ID      string // the channel's id of this receipt: the same id is the same receipt
	Key     Key    // our key that the message carried
	Kind    ReceiptKind
	At      time.Time // when it happened, as the channel says
}

// ReceiptKind says what a channel testifies. Each of them proves that the channel had accepted the message.
type ReceiptKind string

// The kinds. Bounced holds later messages until the address is corrected; complained and opted out end them.
const (
	Delivered  ReceiptKind = "delivered"
	Bounced    ReceiptKind = "bounced"
	Complained ReceiptKind = "complained"
	OptedOut   ReceiptKind = "opted_out"
)
