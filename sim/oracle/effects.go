package oracle

import (
	"strings"

	"github.com/recondrill/recondrill/sim/world"
)

// effects: what really happened outside and what is on record are the same. No payment is refunded and no intent is
// sent twice; what is recorded as done was done, what is recorded as surely not done was not; nothing happened that no
// record asked for; and the ledger knows of every refund.
//
// No fault excuses it. A channel that can neither be asked nor deduplicates may leave a message undone (the record is
// then given up, and says so), but never doubled.
func effects() Oracle {
	return claim{name: "effects", spoil: doubledEffect, check: func(v View, s *seen) {
		if v.Truth == nil {
			return
		}
		s.refunds(v)
		s.localPostings(v)
		s.messages(v)
	}}
}

func (s *seen) refunds(v View) {
	corrections := map[string]row{} // by idempotency key
	payments := map[string]bool{}   // that a correction names
	for _, c := range rows(v.Tables, "correction") {
		if c.text("act") == "refund" {
			corrections[c.text("idempotency_key")] = c
			payments[c.text("payment_ref")] = true
		}
	}
	booked := map[string]int{}
	for _, t := range rows(v.Tables, "transaction") {
		if oneOf(t.text("kind"), "refund", "refund_overpayment") {
			booked[t.text("provider_ref")]++
		}
	}
	done := map[string][]world.Refund{} // by key
	before := map[string]bool{}
	for _, r := range v.Truth.Refunds {
		if again := before[r.PaymentRef]; again && !r.Before {
			s.broke("payment:"+r.PaymentRef, "payment %s was refunded again at %s under key %s", r.PaymentRef, stamp(r.At), r.Key).Double.Money = money(r.Currency, r.AmountMinor)
		}
		before[r.PaymentRef] = true
		if r.Before {
			continue
		}
		s.look()
		done[r.Key] = append(done[r.Key], r)
		if _, ok := corrections[r.Key]; !ok && !payments[r.PaymentRef] {
			s.broke("payment:"+r.PaymentRef, "payment %s was refunded at %s, and no correction asked for it", r.PaymentRef, stamp(r.At)).Lost.Money = money(r.Currency, r.AmountMinor)
		}
	}
	for key, c := range corrections {
		s.look()
		s.correction(c, done[key], booked)
	}
}

// correction compares one record with what was done under its key.
func (s *seen) correction(c row, done []world.Refund, booked map[string]int) {
	record := "correction:" + c.text("correction_id")
	amount, state, currency := s.number(c, "amount_minor"), c.text("state"), c.text("currency")
	switch {
	case state == "applied" && len(done) == 0:
		s.broke(record, "it is applied, and the provider never refunded %s", c.text("payment_ref")).Lost.Money = money(currency, amount)
	case len(done) > 0 && !oneOf(state, "applied", "submitting", "unknown"):
		s.broke(record, "it is %s, which means surely not done, and the provider refunded %s at %s", state, c.text("payment_ref"), stamp(done[0].At)).Lost.Money = money(currency, done[0].AmountMinor)
	}
	for _, r := range done {
		if r.Currency != currency || r.AmountMinor != amount {
			s.broke(record, "it asks for %d minor units %s, and %d %s were refunded", amount, currency, r.AmountMinor, r.Currency)
		}
		if n := booked[r.Ref] + booked[r.Key]; state == "applied" && n != 1 { // by our key where no answer named it
			s.broke(record, "refund %s is applied, and the ledger has it %d times", r.Ref, n)
		}
	}
}

// localPostings: an applied local correction is in the ledger once, and what names a break in the ledger is one. A payment
// that our own billing had booked before, under the key that it has anyway, names none.
func (s *seen) localPostings(v View) {
	booked, payments := map[string]int{}, map[string]bool{}
	for _, t := range rows(v.Tables, "transaction") {
		if t.text("break_key") == "" && t.text("kind") == "payment" {
			payments[t.text("business_key")] = true
		}
		if key := t.text("break_key"); key != "" && t.text("kind") != "fee" { // the fee of what is posted names the break too
			booked[key]++
		}
	}
	applied := map[string]bool{}
	for _, c := range rows(v.Tables, "correction") {
		if c.text("act") != "local" {
			continue
		}
		s.look()
		key := c.text("break_key")
		if c.text("state") == "applied" {
			applied[key] = true
			if booked[key] == 0 && payments["payment/"+c.text("payment_ref")] {
				continue
			}
			if booked[key] != 1 {
				s.broke("correction:"+c.text("correction_id"), "it is applied, and the ledger has its posting %d times", booked[key])
			}
		} else if booked[key] > 0 && !applied[key] {
			s.broke("correction:"+c.text("correction_id"), "it is %s, and the ledger has its posting", c.text("state"))
		}
	}
}

func (s *seen) messages(v View) {
	intents := by(rows(v.Tables, "intent"), "intent_id")
	reached := map[string]int{}
	for _, m := range v.Truth.Messages {
		s.look()
		id := intentOf(m.Key, intents)
		intent, ok := intents[id]
		if !ok || intent.text("channel") != m.Channel || intent.text("contact_id") != m.Contact {
			s.broke("message:"+m.MessageID, "a message reached %s by %s at %s under key %q, and no intent asked for it", m.Contact, m.Channel, stamp(m.At), m.Key).Double.Messages = 1
			continue
		}
		reached[id]++
		if reached[id] > 1 {
			s.broke("intent:"+id, "%s got it again by %s at %s under key %s", m.Contact, m.Channel, stamp(m.At), m.Key).Double.Messages = 1
		}
	}
	for id, intent := range intents {
		state := intent.text("state")
		if state == "sent" {
			s.look()
		}
		switch {
		case state == "sent" && reached[id] == 0:
			s.broke("intent:"+id, "it is sent, and nothing reached %s by %s", intent.text("contact_id"), intent.text("channel")).Lost.Messages = 1
		case reached[id] > 0 && !oneOf(state, "sent", "submitting", "unknown", "given_up"):
			s.broke("intent:"+id, "it is %s, which means surely not sent, and %s has it", state, intent.text("contact_id"))
		}
	}
}

// intentOf finds whose key it is: a key begins with the name of its intent, and goes on after a slash. Without such an
// intent it is the key itself.
func intentOf(key string, intents map[string]row) string {
	for name := key; ; {
		if _, ok := intents[name]; ok {
			return name
		}
		i := strings.LastIndexByte(name, '/')
		if i < 0 {
			return key
		}
		name = name[:i]
	}
}

func money(currency string, minor int64) map[string]int64 { return map[string]int64{currency: minor} }

// doubledEffect lets the last message, or else the last refund, happen once more.
func doubledEffect(v *View) bool {
	if v.Truth == nil {
		return false
	}
	if n := len(v.Truth.Messages); n > 0 {
		v.Truth.Messages = append(v.Truth.Messages, v.Truth.Messages[n-1])
		return true
	}
	if n := len(v.Truth.Refunds); n > 0 {
		again := v.Truth.Refunds[n-1]
		again.Before = false
		v.Truth.Refunds = append(v.Truth.Refunds, again)
		return true
	}
	return false
}
