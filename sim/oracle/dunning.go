package oracle

import (
	"strconv"
	"time"

	"github.com/recondrill/recondrill/sim/world"
)

// dunning: nobody is reminded of what is paid or in doubt. No reminder began for an invoice that the provider's truth
// had paid longer ago than our knowledge may lag, nor while a break named it.
func dunning() Oracle {
	return claim{name: "dunning", spoil: paidLongBefore, check: func(v View, s *seen) {
		if v.Truth == nil {
			return
		}
		d := dunned{v: v, intents: by(rows(v.Tables, "intent"), "intent_id"), invoices: by(rows(v.Tables, "invoice"), "invoice_id"), covers: map[string][]string{},
			doubts: map[string][]doubt{}}
		for _, p := range rows(v.Tables, "intent_step") {
			if p.text("dropped_why") == "" {
				d.covers[p.text("intent_id")] = append(d.covers[p.text("intent_id")], p.text("invoice_id"))
			}
		}
		d.readDoubts(s)
		for _, m := range v.Truth.Messages {
			intent, ok := d.intents[intentOf(m.Key, d.intents)]
			if !ok || intent.text("kind") != "reminder" {
				continue
			}
			began := began(v, s, intent, m)
			for _, id := range d.covers[intent.text("intent_id")] {
				if invoice, ok := d.invoices[id]; ok {
					s.look()
					d.paid(s, intent, invoice, began)
					d.doubted(s, intent, invoice, began)
				}
			}
		}
	}}
}

type dunned struct {
	v        View
	intents  map[string]row
	invoices map[string]row
	covers   map[string][]string // intent → invoices it speaks of
	doubts   map[string][]doubt  // invoice → breaks that name it
}

// doubt is the time in which a break stood.
type doubt struct {
	key, job    string
	from, until time.Time // until is zero while it stands
}

func (d *dunned) readDoubts(s *seen) {
	envelopes := by(rows(d.v.Tables, "envelope"), "job_id", "generation")
	for _, b := range rows(d.v.Tables, "break") {
		e, ok := envelopes[b.key("job_id", "generation")]
		if _, ours := d.invoices[b.text("business_ref")]; !ok || !ours {
			continue
		}
		one := doubt{key: b.text("break_key"), job: b.text("job_id"), from: s.when(e, "recorded_at")}
		if oneOf(b.text("state"), "resolved", "accepted") {
			one.until = s.when(b, "since")
		}
		d.doubts[b.text("business_ref")] = append(d.doubts[b.text("business_ref")], one)
	}
}

// began is when the submission of a message began: the promise is about that moment, not about the arrival.
func began(v View, s *seen, intent row, m world.Delivered) time.Time {
	if at := s.when(intent, "submitted_at"); !at.IsZero() && !at.After(m.At) && intent.text("idempotency_key") == m.Key {
		return at
	}
	began := m.At
	for _, c := range v.Truth.Calls {
		if c.What == "send" && c.Key == m.Key && c.Service == m.Channel && !c.At.After(m.At) {
			began = c.At
		}
	}
	return began
}

func (d *dunned) paid(s *seen, intent, invoice row, began time.Time) {
	id := invoice.text("invoice_id")
	at, ok := paidInFull(d.v.Truth.Payments, id, s.number(invoice, "amount_minor"))
	if ok && at.Add(d.v.Limits.PaymentLag).Before(began) {
		s.broke("intent:"+intent.text("intent_id"), "it reminded %s at %s of invoice %s, paid at %s", intent.text("contact_id"), stamp(began), id, stamp(at)).Double.Messages = 1
	}
}

// paidInFull is when the payments of an invoice reached its amount.
func paidInFull(payments []world.Payment, invoice string, amount int64) (at time.Time, ok bool) {
	for _, last := range payments { // the earliest instant by which enough had come
		if last.Invoice != invoice {
			continue
		}
		sum := int64(0)
		for _, p := range payments {
			if p.Invoice == invoice && !p.At.After(last.At) {
				sum += p.AmountMinor
			}
		}
		if sum >= amount && (!ok || last.At.Before(at)) {
			at, ok = last.At, true
		}
	}
	return at, ok
}

// doubted: a break of the intent's own reconciliation was committed with it, so there is no moment at which it was not
// seen; another one may be in the middle of its commit while the submission looks.
func (d *dunned) doubted(s *seen, intent, invoice row, began time.Time) {
	for _, doubt := range d.doubts[invoice.text("invoice_id")] {
		from := doubt.from
		if doubt.job != intent.text("job_id") {
			from = from.Add(2 * d.v.Limits.Lease)
		}
		if !began.Before(from) && (doubt.until.IsZero() || began.Before(doubt.until)) {
			s.broke("intent:"+intent.text("intent_id"), "it reminded %s at %s of invoice %s, which break %s put in doubt since %s", intent.text("contact_id"), stamp(began),
				invoice.text("invoice_id"), strconv.Quote(doubt.key), stamp(doubt.from)).Double.Messages = 1
		}
	}
}

// paidLongBefore lets an invoice that somebody was reminded of have been paid a month earlier.
func paidLongBefore(v *View) bool {
	if v.Truth == nil {
		return false
	}
	intents, invoices := by(rows(v.Tables, "intent"), "intent_id"), by(rows(v.Tables, "invoice"), "invoice_id")
	var ignored seen
	for _, m := range v.Truth.Messages {
		intent, ok := intents[intentOf(m.Key, intents)]
		if !ok || intent.text("kind") != "reminder" {
			continue
		}
		for _, p := range rows(v.Tables, "intent_step") {
			invoice, owed := invoices[p.text("invoice_id")]
			if owed && p.text("intent_id") == intent.text("intent_id") && p.text("dropped_why") == "" {
				v.Truth.Payments = append(v.Truth.Payments, world.Payment{Ref: "spoiled", Invoice: invoice.text("invoice_id"), Currency: invoice.text("currency"),
					AmountMinor: ignored.number(invoice, "amount_minor"), At: m.At.Add(-v.Limits.PaymentLag).AddDate(0, -1, 0)})
				return true
			}
		}
	}
	return false
}
