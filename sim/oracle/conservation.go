package oracle

import (
	"cmp"
	"slices"
	"strings"
)

// conservation: nothing is lost between the books. Windows of an account follow each other without a gap; every job has
// its window, and is cancelled where a person skipped that; a closed night left no due window without a job or a person's
// word; each record is in a state that exists; what an intent covers was planned, and it covers something.
func conservation() Oracle {
	return claim{name: "conservation", spoil: lostState, check: func(v View, s *seen) {
		jobs := by(rows(v.Tables, "job"), "account_id", "window_id")
		windows := rows(v.Tables, "window")
		windowsAndJobs(windows, jobs, s)
		windowsFollow(windows, s)
		closedNights(v, windows, jobs, s)
		states(v, s)
		plannedPairs(v, s)
	}}
}

func windowsAndJobs(windows []row, jobs map[string]row, s *seen) {
	known := by(windows, "account_id", "window_id")
	for name, job := range jobs {
		window, ok := known[name]
		if !ok {
			s.broke("job:"+job.text("job_id"), "it is for window %s, which does not exist", name)
			continue
		}
		if window.text("skipped_by") != "" && job.text("state") != "cancelled" {
			s.broke("job:"+job.text("job_id"), "its window was skipped by %s, and it is %s", window.text("skipped_by"), job.text("state"))
		}
	}
}

func windowsFollow(windows []row, s *seen) {
	windows = slices.Clone(windows)
	slices.SortStableFunc(windows, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.text("account_id"), b.text("account_id")), s.when(a, "starts_at").Compare(s.when(b, "starts_at")))
	})
	for i, w := range windows {
		s.look()
		if i == 0 || windows[i-1].text("account_id") != w.text("account_id") {
			continue
		}
		if before := windows[i-1]; before.text("ends_at") != w.text("starts_at") {
			s.broke("window:"+w.key("account_id", "window_id"), "it starts at %s, and the window before it ends at %s", w.text("starts_at"), before.text("ends_at"))
		}
	}
}

// closedNights: a night closes when no due window is without a job.
func closedNights(v View, windows []row, jobs map[string]row, s *seen) {
	for _, n := range rows(v.Tables, "night") {
		if n.text("state") != "closed" {
			continue
		}
		closed := s.when(n, "closed_at")
		for _, w := range windows {
			_, admitted := jobs[w.key("account_id", "window_id")]
			if !admitted && w.text("skipped_by") == "" && !s.when(w, "due_at").After(closed) {
				s.broke("window:"+w.key("account_id", "window_id"), "night %s closed at %s without it, though it was due at %s", n.text("night_id"), n.text("closed_at"), w.text("due_at"))
			}
		}
	}
}

// allStates are those of ENGINE section 8, written down again.
var allStates = map[string]string{
	"job":        "ready leased done review parked dead cancelled",
	"intent":     "ready held leased submitting sent rejected unknown suppressed review parked dead given_up",
	"correction": "proposed approved submitting applied rejected unknown refused superseded parked dead",
}

func states(v View, s *seen) {
	for _, table := range []string{"job", "intent", "correction"} {
		for _, r := range rows(v.Tables, table) {
			s.look()
			if state := r.text("state"); !oneOf(state, strings.Fields(allStates[table])...) {
				s.broke(table+":"+r.text(table+"_id"), "its state is %q", state)
			}
		}
	}
}

// plannedPairs: an intent covers (invoice, step, channel, contact) that were planned, and at least one of them.
func plannedPairs(v View, s *seen) {
	invoices := by(rows(v.Tables, "invoice"), "invoice_id")
	contacts := by(rows(v.Tables, "contact"), "contact_id")
	steps := by(rows(v.Tables, "step"), "invoice_id", "step")
	covers := map[string]bool{}
	for _, p := range rows(v.Tables, "intent_step") {
		covers[p.text("intent_id")] = true
		name := p.key("invoice_id", "step", "channel", "contact_id")
		contact, there := contacts[p.text("contact_id")]
		_, planned := steps[p.key("invoice_id", "step")]
		invoice, owed := invoices[p.text("invoice_id")]
		switch {
		case !planned || !owed:
			s.broke("intent:"+p.text("intent_id"), "it covers %s, and no such step is planned", name)
		case !there || contact.text("channel") != p.text("channel"):
			s.broke("intent:"+p.text("intent_id"), "it covers %s, and there is no such contact on this channel", name)
		case invoice.text("customer_id") != contact.text("customer_id"):
			s.broke("intent:"+p.text("intent_id"), "it covers %s, and the contact is another customer's", name)
		}
	}
	for _, i := range rows(v.Tables, "intent") {
		if !covers[i.text("intent_id")] {
			s.broke("intent:"+i.text("intent_id"), "it covers nothing")
		}
	}
}

// lostState puts a record into a state that does not exist.
func lostState(v *View) bool { return inState(v.Tables, "lost", "job", "intent", "correction") }
