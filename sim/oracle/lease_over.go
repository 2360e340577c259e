package oracle

import (
	"slices"
	"strings"
	"time"

	"github.com/recondrill/recondrill/sim"
)

// leaseOver: a lease is over in the instant in which it ends. Whoever asks for it in what they write (to begin, to renew, to
// submit, to finish a job) gets nothing from then on, also where nobody else has claimed the record. How long a lease lasts
// for a process that was told otherwise is not known here: longer than the drill's it is for nobody.
func leaseOver() Oracle {
	return claim{name: "lease-over", excused: []string{"database-step"}, spoil: begunTooLate, check: func(v View, s *seen) {
		if v.History == nil {
			return
		}
		s.leased(v.History, v.Limits.Lease, func(e sim.Entry, record string, sent, until time.Duration) {
			s.look()
			if sent >= until {
				s.broke(record, "%s wrote %s to it at %s, and its lease ended at %s", e.Actor, e.Label, sent, until)
			}
		})
	}}
}

// AsksLease are the writes that need a lease that is not over, also those that let it begin anew. A test checks that each
// exists and answers the record's id first.
func AsksLease() []string {
	return []string{"BeginJob", "RenewJob", "FinishJob", "SubmitIntent", "SubmitCorrection"}
}

// leased follows how long each record is leased at most, and tells of each write that asks: when it was sent, which is the
// instant for which the database judges it.
func (s *seen) leased(h *sim.History, lasts time.Duration, wrote func(e sim.Entry, record string, sent, until time.Duration)) {
	until := map[string]time.Duration{}
	sent := map[sim.Actor]time.Duration{} // each one's last statement
	for _, e := range h.Entries {
		if e.What == "statement" && strings.HasPrefix(e.Label, "sql:") {
			sent[e.Actor] = e.At
		}
		label, ok := effect(e)
		if !ok {
			continue
		}
		claims := slices.Contains(Claims(), label)
		if claims && partly(e) {
			clear(until)
		}
		for _, record := range e.Keys {
			end, known := until[record]
			if at, ours := sent[e.Actor]; ours && known && e.What == "answer" && slices.Contains(AsksLease(), label) {
				wrote(e, record, at, end)
			}
			if claims || label == "RenewJob" || strings.HasPrefix(label, "Submit") {
				until[record] = e.At + lasts // not earlier than it ends
			}
		}
	}
}

// begunTooLate lets the first write that asked for its lease have been sent when that was over.
func begunTooLate(v *View) bool {
	if v.History == nil {
		return false
	}
	var ignored seen
	late := slices.Clone(v.History.Entries)
	spoiled := false
	ignored.leased(v.History, v.Limits.Lease, func(e sim.Entry, _ string, at, until time.Duration) {
		for i := range late {
			if l := &late[i]; !spoiled && l.What == "statement" && l.Actor == e.Actor && l.Label == e.Label && l.At == at {
				l.At, spoiled = until, true
				break
			}
		}
	})
	v.retell(late)
	return spoiled
}
