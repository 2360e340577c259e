package world

import (
	"context"
	"time"
)

// OnReceipt says who hears receipts: hear is called as a task of the world and hands the receipt to a process of the
// engine. An error (nobody was there to take it) brings the same receipt again later, as webhooks come again.
func (c *Channel) OnReceipt(hear func(ctx context.Context, r Receipt) error) { c.hear = hear }

// redeliver are the pauses before a receipt comes again that nobody took; after them it is lost.
var redeliver = []time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour}

// testify sends the receipt of a message: some time later, at the very instant, or twice.
func (c *Channel) testify(m Message, id string, now time.Time) {
	if c.hear == nil {
		return
	}
	r := Receipt{Channel: c.name, ID: c.w.f.id("rcp", id), MessageID: id, Key: m.Key, Contact: m.Contact, Kind: "delivered"}
	if c.w.f.chance("bounced/"+id, c.setup.ReceiptBounced) {
		r.Kind = "bounced"
	}
	after := time.Duration(c.w.f.n("receipt/"+id, int(4*c.setup.ReceiptAfter/time.Second)+1)) * time.Second
	if c.w.f.chance("early/"+id, c.setup.ReceiptEarly) {
		after = 0
	}
	r.At = now.Add(after).UTC()
	c.bring(r, after, 0)
	if c.w.f.chance("twice/"+id, c.setup.ReceiptTwice) {
		c.bring(r, after+time.Duration(1+c.w.f.n("again/"+id, 90))*time.Second, len(redeliver))
	}
}

func (c *Channel) bring(r Receipt, after time.Duration, tries int) {
	c.w.later(c.name, "receipt("+r.MessageID+")", after, func(ctx context.Context) {
		if err := c.hear(ctx, r); err != nil && tries < len(redeliver) {
			c.bring(r, redeliver[tries], tries+1)
		}
	})
}
