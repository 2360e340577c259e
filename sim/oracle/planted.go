package oracle

import (
	"fmt"
	"strings"

	"github.com/recondrill/recondrill/sim/world"
)

// planted: a finished reconciliation found exactly the differences that are there: each planted one by kind, currency
// and residual, and none that is not. A window that ended after the run began may have further ones (what payers and
// the engine itself did meanwhile); a difference that an earlier window left open may show again, and where the job of an
// earlier window had died, what that window had to say is missed.
func planted() Oracle {
	return claim{name: "planted", spoil: overlooked, check: func(v View, s *seen) {
		if v.Truth == nil {
			return
		}
		jobs, envelopes := by(rows(v.Tables, "job"), "job_id"), rows(v.Tables, "envelope")
		windows := by(rows(v.Tables, "window"), "account_id", "window_id")
		found := map[string][]row{} // account/window → breaks of its first generation
		for _, b := range rows(v.Tables, "break") {
			if b.text("generation") == "1" {
				found[b.key("account_id", "window_id")] = append(found[b.key("account_id", "window_id")], b)
			}
		}
		for _, e := range envelopes {
			job, ok := jobs[e.text("job_id")]
			if !ok || e.text("generation") != "1" {
				continue
			}
			pair := job.key("account_id", "window_id")
			rest := s.plantedFound(job, found[pair], v.Truth.Planted)
			if w, ok := windows[pair]; ok && !v.Limits.Epoch.IsZero() && !s.when(w, "ends_at").After(v.Limits.Epoch) && !s.overDead(job, e, jobs, envelopes) {
				s.plantedOnly(job, rest, v.Truth.Planted, found)
			}
		}
	}}
}

// overDead: the job of an earlier window of the account has died at some time, and was not done when this was recorded.
func (s *seen) overDead(job, e row, jobs map[string]row, envelopes []row) bool {
	done := by(envelopes, "job_id", "generation")
	for id, j := range jobs {
		if j.text("account_id") != job.text("account_id") || j.text("window_id") >= job.text("window_id") || j.text("deaths") == "0" {
			continue
		}
		if first, ok := done[id+"/1"]; !ok || s.when(first, "recorded_at").After(s.when(e, "recorded_at")) {
			return true
		}
	}
	return false
}

// plantedFound takes one break off for each planted difference of the job's window, and gives what is left.
func (s *seen) plantedFound(job row, breaks []row, all []world.Planted) []row {
	left := append([]row(nil), breaks...)
	for _, p := range all {
		if p.Account != job.text("account_id") || p.Window != job.text("window_id") {
			continue
		}
		s.look()
		i := indexOf(left, p)
		if i < 0 {
			s.broke("job:"+job.text("job_id"), "%s of %d minor units %s (%s%s) is there and was not found; found: %s", p.Kind, p.Residual, p.Currency,
				p.ProviderRef, p.Key, kindsOf(left)).Lost.Money = map[string]int64{p.Currency: max(p.Residual, -p.Residual)}
			continue
		}
		left = append(left[:i], left[i+1:]...)
	}
	return left
}

// plantedOnly reports what was found and is not there.
func (s *seen) plantedOnly(job row, rest []row, all []world.Planted, found map[string][]row) {
	for _, b := range rest {
		s.look()
		if !s.carried(job, b, all, found) {
			s.broke("break:"+b.text("break_key"), "%s of %s minor units %s was found, and there is no such difference", b.text("kind"), b.text("residual_minor"), b.text("currency"))
		}
	}
}

// carried: an earlier window of the account had it already.
func (s *seen) carried(job, b row, all []world.Planted, found map[string][]row) bool {
	for _, p := range all {
		if p.Account == job.text("account_id") && p.Window < job.text("window_id") && indexOf([]row{b}, p) == 0 {
			return true
		}
	}
	for pair, breaks := range found {
		account, window, _ := strings.Cut(pair, "/")
		if account != job.text("account_id") || window >= job.text("window_id") {
			continue
		}
		for _, before := range breaks {
			if before.key("row_id", "item_key", "currency") == b.key("row_id", "item_key", "currency") {
				return true
			}
		}
	}
	return false
}

func indexOf(breaks []row, p world.Planted) int {
	for i, b := range breaks {
		if b.text("kind") == p.Kind && b.text("currency") == p.Currency && b.text("residual_minor") == fmt.Sprint(p.Residual) {
			return i
		}
	}
	return -1
}

func kindsOf(breaks []row) string {
	if len(breaks) == 0 {
		return "nothing more"
	}
	var names []string
	for _, b := range breaks {
		names = append(names, b.text("kind")+" "+b.text("residual_minor")+" "+b.text("currency"))
	}
	return strings.Join(names, ", ")
}

// overlooked lets there be a difference that a finished reconciliation did not find.
func overlooked(v *View) bool {
	jobs := by(rows(v.Tables, "job"), "job_id")
	for _, e := range rows(v.Tables, "envelope") {
		job, ok := jobs[e.text("job_id")]
		if ok && v.Truth != nil && e.text("generation") == "1" {
			v.Truth.Planted = append(v.Truth.Planted, world.Planted{Account: job.text("account_id"), Window: job.text("window_id"), Kind: "missing_in_ledger",
				Currency: "XTS", Residual: 1, ProviderRef: "spoiled"}) // XTS: ISO 4217's code for tests
			return true
		}
	}
	return false
}
