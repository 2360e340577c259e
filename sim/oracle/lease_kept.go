package oracle

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/recondrill/recondrill/sim"
)

// leaseKept: what a process holds is claimed by another, or by a later start under its name, only when the lease is over, or
// when the holder was stopped, or silent for so long that it counts as dead. Nobody knows sooner that a holder is gone: what is
// taken then is worked on twice, and a record that kills its process is never counted as one that does. A process that
// was told to go hands back what it had not begun. And of one account one job is held at a time.
func leaseKept() Oracle {
	return claim{name: "lease-kept", excused: []string{"database-step", "lost-tail", "restore"}, spoil: takenAtOnce, check: func(v View, s *seen) {
		if v.History == nil {
			return
		}
		h := newHoldings()
		for _, e := range v.History.Entries {
			if e.What == "drained" {
				s.leftBehind(v, h, e)
			}
			for _, record := range claimed(e) {
				s.look()
				if from, ok := h.held[record]; ok && h.lives(from, e.At, v.Limits) && from.by != life(e.Actor) {
					s.broke(record, "%s claimed it at %s, %s after %s, which held it and was heard %s before", life(e.Actor), stamp(v.Limits.Epoch.Add(e.At)),
						e.At-from.since, from.by, e.At-h.heard[from.by])
				}
				s.beside(v, h, e, record)
			}
			h.see(e)
		}
	}}
}

// beside: an account's windows are worked on one at a time, so no job of it is claimed with, or while somebody holds, another.
func (s *seen) beside(v View, h *holdings, e sim.Entry, job string) {
	account, window, ok := strings.Cut(job, "/")
	if !ok || e.Label != "sql:ClaimJobs" {
		return
	}
	for _, other := range append(slices.Sorted(maps.Keys(h.held)), e.Keys...) {
		a, w, _ := strings.Cut(other, "/")
		_, held := h.held[other]
		if a != account || w == window || strings.Contains(w, "/") || held && !h.lives(h.held[other], e.At, v.Limits) && !slices.Contains(e.Keys, other) {
			continue
		}
		s.broke("job:"+job, "%s claimed it at %s beside %s", life(e.Actor), stamp(v.Limits.Epoch.Add(e.At)), other)
	}
}

// leftBehind: a process that has drained, without trouble since its claim, holds nothing that it had not begun.
func (s *seen) leftBehind(v View, h *holdings, e sim.Entry) {
	for _, record := range slices.Sorted(maps.Keys(h.held)) {
		is := h.held[record]
		process, _, _ := strings.Cut(is.by, "#")
		troubled, ever := h.troubled[is.by]
		if process != e.Actor.Process || is.begun || ever && troubled >= is.since || e.At-is.asked >= v.Limits.LeaseMin-v.Limits.LeaseMargin {
			continue // near its end a worker leaves it to whoever claims next
		}
		s.broke(record, "%s was drained at %s and did not hand it back, claimed %s before", is.by, stamp(v.Limits.Epoch.Add(e.At)), e.At-is.since)
	}
}

// holding is a record that a life of a process claimed, with nothing written to it since that may have ended the claim.
type holding struct {
	by    string        // process and life
	since time.Duration // when the claim, or its last renewal, reached the server: the lease began then
	asked time.Duration // when the claim may have been sent at the earliest: its process reckons the lease from then on
	begun bool
}

// holdings follows the history: who holds what, and who is heard. Of what has no answer it knows less than the server, and
// says nothing.
type holdings struct {
	held     map[string]holding          // by record
	sent     map[sim.Actor]time.Duration // when an actor's last statement reached the server
	asked    map[sim.Actor]time.Duration // when that may have been sent at the earliest
	last     map[sim.Actor]time.Duration // an actor's last entry
	heard    map[string]time.Duration    // life → when its last beat that was answered was sent
	stopped  map[string]bool             // lives that said goodbye
	troubled map[string]time.Duration    // life → its death, its last error, answer that did not come, or stop of its clock
}

func newHoldings() *holdings {
	return &holdings{held: map[string]holding{}, sent: map[sim.Actor]time.Duration{}, asked: map[sim.Actor]time.Duration{}, last: map[sim.Actor]time.Duration{},
		heard: map[string]time.Duration{}, stopped: map[string]bool{}, troubled: map[string]time.Duration{}}
}

// lives says that nobody may take what is held: its lease runs, and its holder was heard and has not said goodbye.
func (h *holdings) lives(is holding, now time.Duration, l Limits) bool {
	return now-is.since < l.LeaseMin && now-h.heard[is.by] < l.Silent && !h.stopped[is.by]
}

// claimed are the records that an entry says its process has claimed.
func claimed(e sim.Entry) []string {
	if label, sql := strings.CutPrefix(e.Label, "sql:"); sql && e.What == "answer" && oneOf(label, Claims()...) {
		return e.Keys
	}
	return nil
}

// see follows an entry.
func (h *holdings) see(e sim.Entry) {
	by, before := life(e.Actor), h.last[e.Actor]
	h.last[e.Actor] = e.At
	if oneOf(e.What, "killed", "resumed", "cut", "gone", "cancelled", "deadline") || strings.Contains(e.Text, "ERROR ") {
		h.troubled[by] = e.At
	}
	label, sql := strings.CutPrefix(e.Label, "sql:")
	switch {
	case !sql:
	case e.What == "statement":
		h.sent[e.Actor], h.asked[e.Actor] = e.At, before
		h.stopped[by] = h.stopped[by] || label == "Deregister"
	case !oneOf(e.What, "answer", "landed", "gone"):
	case oneOf(label, "RegisterMember", "Beat"):
		h.heard[by], h.stopped[by] = h.sent[e.Actor], e.Rows == 0
	case label == "BeginJob":
		for _, record := range e.Keys {
			if is, ok := h.held[record]; ok {
				is.begun = true
				h.held[record] = is
			}
		}
	case label == "RenewJob":
		for _, record := range e.Keys {
			if is, ok := h.held[record]; ok && is.by == by {
				is.since = h.sent[e.Actor]
				h.held[record] = is
			}
		}
	default:
		// A claim, a write that may have ended one, or a read: of what it names nothing is believed any more. A person's act
		// does not answer whose record it moved, but the person looked at it before.
		h.forget(e)
		for _, record := range claimed(e) {
			h.held[record] = holding{by: by, since: h.sent[e.Actor], asked: h.asked[e.Actor]}
		}
	}
}

// forget drops what an entry wrote to.
func (h *holdings) forget(e sim.Entry) {
	if partly(e) {
		clear(h.held)
	}
	for _, record := range e.Keys {
		delete(h.held, record)
	}
}

// takenAtOnce lets another process claim what was just claimed.
func takenAtOnce(v *View) bool {
	if v.History == nil {
		return false
	}
	h := newHoldings()
	for i, e := range v.History.Entries {
		h.see(e)
		for _, record := range claimed(e) {
			if !h.lives(h.held[record], e.At, v.Limits) {
				continue
			}
			thief := e
			thief.Actor, thief.Keys, thief.Rows = sim.Actor{Process: "thief", Task: e.Actor.Task}, []string{record}, 1
			v.retell(slices.Insert(slices.Clone(v.History.Entries), i+1, thief))
			return true
		}
	}
	return false
}
