package world

import (
	"slices"
	"strconv"
	"time"

	"github.com/recondrill/recondrill/sim"
)

// OnReceipt says who hears receipts: hear hands the receipt to a process of the engine and must reach no gate. An error
// (nobody was there to take it) brings the same receipt again later, as webhooks come again.
func (c *Channel) OnReceipt(hear func(r Receipt) error) { c.hear = hear }

// redeliver are the pauses before a receipt comes again that nobody took; after them it is lost.
var redeliver = []time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour}

// What can be decided about the receipt of a message, which plainly comes once, some time after.
const (
	receiptLate      = "callback late"
	receiptDoubled   = "callback doubled"
	receiptReordered = "callback reordered" // late by so much that others overtake it
	receiptEarly     = "callback early"     // while the call that sends is still without its answer
	receiptAckLate   = "ack late"           // it is taken, and the word of that comes after the channel has given up
	receiptBounced   = "bounced"
	receiptNameless  = "callback nameless" // without its id, and later as it should be
)

func (c *Channel) receiptOffers() []sim.Value {
	after := sim.Seconds(4 * c.setup.ReceiptAfter) // behind all that is under way
	return []sim.Value{{}, value(receiptLate + " 300s"), value(receiptLate + " 900s"), value(receiptDoubled + " 1s"), value(receiptDoubled + " 90s"),
		value(receiptReordered + " " + after), value(receiptReordered + " 300s"), value(receiptEarly), value(receiptAckLate + " 90s"), value(receiptBounced),
		value(receiptNameless + " 90s")}
}

// callback is one receipt on its way.
type callback struct {
	Receipt
	place string    // of the act that it tells of
	due   time.Time // when it plainly comes
	n     int       // how often it came before
	tries int       // how often it came and nobody took it
	twice bool      // it comes once more although it was taken
	again time.Duration

	nameless bool // the next time
}

// testify sends the receipt of a message, as is decided for it once.
func (c *Channel) testify(m Message, id, place string, now time.Time) {
	if c.hear == nil {
		return
	}
	after := time.Duration(c.w.f.n("receipt/"+id, int(4*c.setup.ReceiptAfter/time.Second)+1)) * time.Second
	words, d := ending(c.w.k.Tick(c.name, "callback "+place, c.receiptOffers()))
	b := callback{place: place, Receipt: Receipt{Channel: c.name, ID: c.w.f.id("rcp", id), MessageID: id, Key: m.Key, Contact: m.Contact, Kind: "delivered"}}
	b.due = now.Add(after)
	switch words {
	case receiptLate, receiptReordered:
		after += d
	case receiptDoubled, receiptAckLate:
		b.twice, b.again = true, d
	case receiptNameless:
		b.nameless, b.twice, b.again = true, true, d
	case receiptEarly:
		after, b.due = 0, now
	case receiptBounced:
		b.Kind = "bounced"
		c.w.mark(c.name, "bounced", place)
	}
	if b.At = now.Add(after).UTC(); words == receiptEarly {
		c.bring(b)
		return
	}
	c.bringAfter(b, after)
}

func (c *Channel) bringAfter(b callback, after time.Duration) {
	c.w.k.After(c.name, after, "receipt("+b.MessageID+")", func(time.Time) { c.bring(b) })
}

// bring hands a receipt over and writes down how it came: of which act, how often before, how long after it was due.
func (c *Channel) bring(b callback) {
	c.w.mark(c.name, "heard", b.place+" "+strconv.Itoa(b.n)+" "+sim.Seconds(c.w.k.Now().Sub(b.due)))
	r := b.Receipt
	if b.nameless {
		r.ID, b.nameless = "", false
		c.w.mark(c.name, "nameless", b.place)
	} else if !slices.ContainsFunc(c.w.truth.Receipts, func(before Brought) bool { return before.Receipt == r }) {
		c.w.truth.Receipts = append(c.w.truth.Receipts, Brought{r, c.w.k.Now()})
	}
	err := c.hear(r)
	b.n++
	switch {
	case err != nil && b.tries < len(redeliver):
		b.tries++
		c.bringAfter(b, redeliver[b.tries-1])
	case err == nil && b.twice:
		c.w.mark(c.name, "taken", b.place)
		b.twice = false
		c.bringAfter(b, b.again)
	}
}

// ending cuts a duration off the end of a value.
func ending(v sim.Value) (words string, d time.Duration) {
	text := v.String()
	for i := len(text) - 1; i >= 0; i-- {
		if text[i] == ' ' {
			if d, err := time.ParseDuration(text[i+1:]); err == nil {
				return text[:i], d
			}
			break
		}
	}
	return text, 0
}
