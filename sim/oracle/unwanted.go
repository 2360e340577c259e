package oracle

import (
	"strings"
	"time"

	"github.com/recondrill/recondrill/sim/world"
)

// unwanted: nobody is written to who wants nothing or whose address came back, and nothing begins while a person had
// stopped it. The promise is about the moment in which a submission began. What a receipt says may be under way in a
// transaction for up to two leases; a stop is one statement, which is seen by whoever begins some seconds after it.
func unwanted() Oracle {
	return claim{name: "unwanted", spoil: writtenToAgainstTheirWill, check: func(v View, s *seen) {
		if v.Truth == nil {
			return
		}
		w := wishes{v: v, s: s, intents: by(rows(v.Tables, "intent"), "intent_id"), contacts: by(rows(v.Tables, "contact"), "contact_id"),
			refused: map[string]time.Time{}, bounced: map[string]time.Time{}}
		w.readReceipts()
		w.readStops()
		for _, m := range v.Truth.Messages {
			if intent, ok := w.intents[intentOf(m.Key, w.intents)]; ok {
				s.look()
				w.message(intent, m)
			}
		}
		for _, c := range rows(v.Tables, "correction") {
			if c.text("act") == "refund" {
				s.look()
				w.refund(c)
			}
		}
	}}
}

type wishes struct {
	v                View
	s                *seen
	intents          map[string]row
	contacts         map[string]row
	refused, bounced map[string]time.Time // contact → when we first heard of it
	stops            []stop
}

// stop is the time in which a person had stopped something.
type stop struct {
	what        string    // all:, provider:, channel:email, account:acct_1
	from, until time.Time // until is zero while it lasts
}

func (w *wishes) readReceipts() {
	for _, r := range rows(w.v.Tables, "receipt") {
		intent, ok := w.intents[r.text("intent_id")]
		first := w.bounced
		switch {
		case !ok || r.text("kind") == "delivered":
			continue
		case r.text("kind") != "bounced":
			first = w.refused
		}
		contact, at := intent.text("contact_id"), w.s.when(r, "received_at")
		if known, ok := first[contact]; !ok || at.Before(known) {
			first[contact] = at
		}
	}
}

func (w *wishes) readStops() {
	for _, a := range rows(w.v.Tables, "audit") {
		what, ok := strings.CutPrefix(a.text("record"), "pause:")
		if !ok {
			continue
		}
		at := w.s.when(a, "at")
		for i := range w.stops {
			if w.stops[i].what == what && w.stops[i].until.IsZero() {
				w.stops[i].until = at
			}
		}
		if a.text("act") == "pause" {
			w.stops = append(w.stops, stop{what: what, from: at})
		}
	}
}

func (w *wishes) message(intent row, m world.Delivered) {
	began := began(w.v, w.s, intent, m)
	id, contact := intent.text("contact_id"), w.contacts[intent.text("contact_id")]
	record := "intent:" + intent.text("intent_id")
	since, told := w.refused[id]
	switch {
	case contact.values == nil:
	case contact.text("opted_out") == "t" && !told:
		w.s.broke(record, "%s was written to at %s and wants to hear nothing", id, stamp(began)).Double.Messages = 1
	case told && began.After(since.Add(w.grace())):
		w.s.broke(record, "%s was written to at %s, and we knew since %s that they want to hear nothing", id, stamp(began), stamp(since)).Double.Messages = 1
	}
	if since, ok := w.bounced[id]; ok && began.After(since.Add(w.grace())) {
		w.s.broke(record, "%s was written to at %s, and we knew since %s that the address is no good", id, stamp(began), stamp(since)).Double.Messages = 1
	}
	w.stopped(record, began, "all:", "channel:"+m.Channel, "account:"+m.Account)
}

func (w *wishes) refund(c row) {
	if at := w.s.when(c, "submitted_at"); !at.IsZero() {
		account, _, _ := strings.Cut(strings.TrimPrefix(c.text("idempotency_key"), "refund/"), "/")
		w.stopped("correction:"+c.text("correction_id"), at, "all:", "provider:", "account:"+account)
	}
}

func (w *wishes) stopped(record string, began time.Time, by ...string) {
	for _, stop := range w.stops {
		if oneOf(stop.what, by...) && began.After(stop.from.Add(stopSeen)) && (stop.until.IsZero() || began.Before(stop.until)) {
			w.s.broke(record, "it began at %s, and a person had stopped %s since %s", stamp(began), strings.TrimSuffix(stop.what, ":"), stamp(stop.from))
		}
	}
}

// stopSeen is how long the statement that stops may take until it is committed.
const stopSeen = 10 * time.Second

func (w *wishes) grace() time.Duration { return 2 * w.v.Limits.Lease }

// writtenToAgainstTheirWill lets somebody who was written to have wanted to hear nothing all along.
func writtenToAgainstTheirWill(v *View) bool {
	if v.Truth == nil {
		return false
	}
	intents := by(rows(v.Tables, "intent"), "intent_id")
	spoken := map[string]bool{} // contacts with a receipt, which would say since when
	for _, r := range rows(v.Tables, "receipt") {
		if intent, ok := intents[r.text("intent_id")]; ok && oneOf(r.text("kind"), "complained", "opted_out") {
			spoken[intent.text("contact_id")] = true
		}
	}
	contacts := by(rows(v.Tables, "contact"), "contact_id")
	for _, m := range v.Truth.Messages {
		intent, ok := intents[intentOf(m.Key, intents)]
		if !ok || spoken[intent.text("contact_id")] {
			continue
		}
		if contact, ok := contacts[intent.text("contact_id")]; ok {
			contact.set("opted_out", "t")
			return true
		}
	}
	return false
}
