package oracle

import (
	"time"

	"github.com/recondrill/recondrill/sim/pg"
)

// together: what belongs together was committed together. A job is done exactly where the envelope of its generation
// exists, breaks and intents belong to an envelope, and every reminder that was due when a job was finished is covered
// by an intent of that time. And whether a COMMIT without an answer was done is asked under the lock that it holds.
func together() Oracle {
	return claim{name: "together", spoil: tornApart, check: func(v View, s *seen) {
		if v.History != nil {
			readBack(v.History, s)
		}
		envelopes := by(rows(v.Tables, "envelope"), "job_id", "generation")
		jobs := by(rows(v.Tables, "job"), "job_id")
		for id, job := range jobs {
			if job.text("state") == "done" {
				s.look()
				if _, ok := envelopes[job.key("job_id", "generation")]; !ok {
					s.broke("job:"+id, "it is done and has no envelope")
				}
			}
		}
		for _, e := range envelopes {
			s.look()
			id := e.text("job_id")
			switch job, ok := jobs[id]; {
			case !ok:
				s.broke("job:"+id, "its envelope exists, the job does not")
			case job.text("generation") == e.text("generation") && job.text("state") != "done":
				s.broke("job:"+id, "it is %s although the envelope of its generation exists", job.text("state"))
			}
		}
		for _, table := range []string{"break", "intent"} {
			for _, r := range rows(v.Tables, table) {
				if _, ok := envelopes[r.key("job_id", "generation")]; !ok {
					s.broke(table+":"+r.values[0], "its reconciliation %s has no envelope", r.key("job_id", "generation"))
				}
			}
		}
		t := newTimetable(v.Tables, s)
		for _, e := range envelopes {
			// A later generation makes no intents: what fell due since waits for the next window.
			if job, ok := jobs[e.text("job_id")]; ok && e.text("generation") == "1" {
				t.check(s, job, s.when(e, "recorded_at"), v.Limits.Lease)
			}
		}
	}}
}

// timetable is what had to be covered and when it was.
type timetable struct {
	steps     []row
	invoices  map[string]row
	contacts  map[string][]row     // by customer
	templates map[string]bool      // channels that have something to say
	covered   map[string]time.Time // pair → when its intent was decided
}

func newTimetable(t pg.Tables, s *seen) *timetable {
	tt := &timetable{steps: rows(t, "step"), invoices: by(rows(t, "invoice"), "invoice_id"), contacts: map[string][]row{},
		templates: map[string]bool{}, covered: map[string]time.Time{}}
	for _, c := range rows(t, "contact") {
		tt.contacts[c.text("customer_id")] = append(tt.contacts[c.text("customer_id")], c)
	}
	for _, m := range rows(t, "template") {
		if m.text("kind") == "reminder" && m.text("retired_at") == "" {
			tt.templates[m.text("channel")] = true
		}
	}
	envelopes := by(rows(t, "envelope"), "job_id", "generation")
	intents := by(rows(t, "intent"), "intent_id")
	for _, p := range rows(t, "intent_step") {
		if intent, ok := intents[p.text("intent_id")]; ok {
			if e, ok := envelopes[intent.key("job_id", "generation")]; ok {
				tt.covered[p.key("invoice_id", "step", "channel", "contact_id")] = s.when(e, "recorded_at")
			}
		}
	}
	return tt
}

// check asks for one finished job. A step that became due within a lease before the envelope may have come too late for
// it, and one covered within a lease after it may have been another window's at the same time; an invoice or a contact
// that is out of the question by now may have been so then.
func (t *timetable) check(s *seen, job row, recorded time.Time, lease time.Duration) {
	for _, step := range t.steps {
		invoice, ok := t.invoices[step.text("invoice_id")]
		if !ok || invoice.text("account_id") != job.text("account_id") || !s.when(step, "due_at").Before(recorded.Add(-lease)) {
			continue
		}
		if invoice.text("state") != "open" || s.number(invoice, "paid_minor") >= s.number(invoice, "amount_minor") {
			continue
		}
		for _, c := range t.contacts[invoice.text("customer_id")] {
			if !t.templates[c.text("channel")] || c.text("opted_out") == "t" {
				continue
			}
			s.look()
			pair := step.key("invoice_id", "step") + "/" + c.key("channel", "contact_id")
			at, covered := t.covered[pair]
			switch {
			case !covered:
				s.broke("job:"+job.text("job_id"), "it was finished at %s without an intent for %s, due since %s", stamp(recorded), pair, step.text("due_at")).Lost.Messages = 1
			case at.After(recorded.Add(lease)):
				s.broke("job:"+job.text("job_id"), "it was finished at %s, and %s, due since %s, was covered only at %s", stamp(recorded), pair, step.text("due_at"), stamp(at))
			}
		}
	}
}

// tornApart takes the envelope of a finished job away, as if it had been written in a transaction of its own and lost.
func tornApart(v *View) bool {
	for _, job := range rows(v.Tables, "job") {
		if job.text("state") == "done" {
			return without(v.Tables, "envelope", func(e row) bool { return e.key("job_id", "generation") == job.key("job_id", "generation") })
		}
	}
	return false
}
