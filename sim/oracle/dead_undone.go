package oracle

import (
	"time"

	"github.com/recondrill/recondrill/sim/world"
)

// deadUndone: what may have acted is never a dead letter. Whatever lies in a lane had done nothing outside when it died: no
// call of it, answered or not, had come to anything or was still to.
func deadUndone() Oracle {
	return claim{name: "dead-undone", excused: []string{"lost-tail", "restore", "database-step"}, spoil: buriedAlive, check: func(v View, s *seen) {
		if v.Truth == nil {
			return
		}
		acted := actedSince(v)
		s.Checked += len(acted)
		for _, letter := range rows(v.Tables, "letter") {
			if at, ok := acted[letter.text("record")]; ok && at.Before(s.when(letter, "died_at")) {
				s.broke(letter.text("record"), "it died at %s as what surely did nothing, and its call at %s had an effect", letter.text("died_at"), stamp(at))
			}
		}
	}}
}

// actedSince is when each record's first call with an effect was.
func actedSince(v View) map[string]time.Time {
	records, acted := newCallers(v), map[string]time.Time{}
	for _, c := range v.Truth.Calls {
		record := records.of(c)
		if _, known := acted[record]; record != "" && c.Effect && !known {
			acted[record] = c.At
		}
	}
	return acted
}

// callers tells for which record a call was made.
type callers struct {
	intents     map[string]row // by id
	corrections map[string]row // by idempotency key
}

func newCallers(v View) callers {
	return callers{by(rows(v.Tables, "intent"), "intent_id"), by(rows(v.Tables, "correction"), "idempotency_key")}
}

// of is whose call it was, as letters name it; empty where that was nobody's.
func (r callers) of(c world.Call) string {
	correction, refund := r.corrections[c.Key]
	switch {
	case c.What == "send":
		return "intent:" + intentOf(c.Key, r.intents)
	case c.What == "refund" && refund:
		return "correction:" + correction.text("correction_id")
	}
	return ""
}

// buriedAlive writes a letter of what was done, as if it had died long after.
func buriedAlive(v *View) bool {
	letters, there := v.Tables["recon.letter"]
	if v.Truth == nil || !there {
		return false
	}
	records := newCallers(*v)
	for _, c := range v.Truth.Calls {
		record := records.of(c)
		if !c.Effect || record == "" {
			continue
		}
		letters.Rows = append(letters.Rows, made(letters, map[string]string{"record": record, "died_at": c.At.AddDate(0, 0, 1).UTC().Format(timeText)}))
		v.Tables["recon.letter"] = letters
		return true
	}
	return false
}
