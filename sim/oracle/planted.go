package oracle

import (
	"fmt"
	"strings"

	"github.com/recondrill/recondrill/sim/world"
)

// planted: a finished reconciliation found exactly the differences that are there: each planted one by kind, currency
// and residual, and none that is not. A window that ended after the run began may have further ones (what payers and
// the engine itself did meanwhile), and one whose turn came before an earlier window's; a difference that an earlier
// reconciliation left open may show again.
func planted() Oracle {
	return claim{name: "planted", spoil: overlooked, check: func(v View, s *seen) {
		if v.Truth == nil {
			return
		}
		jobs := by(rows(v.Tables, "job"), "job_id")
		windows := by(rows(v.Tables, "window"), "account_id", "window_id")
		found := earlier{by(rows(v.Tables, "envelope"), "job_id", "generation"), map[string][]row{}}
		for _, b := range rows(v.Tables, "break") {
			if b.text("generation") == "1" {
				found.breaks[b.key("account_id", "window_id")] = append(found.breaks[b.key("account_id", "window_id")], b)
			}
		}
		for _, e := range rows(v.Tables, "envelope") {
			job, ok := jobs[e.text("job_id")]
			if !ok || e.text("generation") != "1" {
				continue
			}
			pair := job.key("account_id", "window_id")
			rest := s.plantedFound(job, found.breaks[pair], v.Truth.Planted)
			if w, ok := windows[pair]; ok && !v.Limits.Epoch.IsZero() && !s.when(w, "ends_at").After(v.Limits.Epoch) && found.inTurn(s, job, windows) {
				s.plantedOnly(job, rest, v.Truth.Planted, found)
			}
		}
	}}
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
		if i < 0 && p.Passing {
			continue
		}
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
func (s *seen) plantedOnly(job row, rest []row, all []world.Planted, found earlier) {
	for _, b := range rest {
		s.look()
		if !s.carried(job, b, all, found) {
			s.broke("break:"+b.text("break_key"), "%s of %s minor units %s was found, and there is no such difference", b.text("kind"), b.text("residual_minor"), b.text("currency"))
		}
	}
}

// earlier are the reconciliations there were, and what each found: account/window → breaks of its first generation.
type earlier struct {
	envelopes map[string]row
	breaks    map[string][]row
}

// than says whether the first generation of a window was reconciled before that of a job's: a window whose statement was
// late comes after its successor.
func (e earlier) than(s *seen, job row, window string) bool {
	this, ok := e.envelopes[job.key("account_id", "window_id")+"/1"]
	that, too := e.envelopes[job.text("account_id")+"/"+window+"/1"]
	return ok && too && s.number(that, "ordinal") < s.number(this, "ordinal")
}

// inTurn: all earlier windows of the account were reconciled before. Else what their statements would have matched is
// rightly missing.
func (e earlier) inTurn(s *seen, job row, windows map[string]row) bool {
	for _, w := range windows {
		if w.text("account_id") == job.text("account_id") && w.text("window_id") < job.text("window_id") && !e.than(s, job, w.text("window_id")) {
			return false
		}
	}
	return true
}

// carried: a reconciliation of the account before this one had it already.
func (s *seen) carried(job, b row, all []world.Planted, found earlier) bool {
	for _, p := range all {
		if p.Account == job.text("account_id") && found.than(s, job, p.Window) && indexOf([]row{b}, p) == 0 {
			return true
		}
	}
	for pair, breaks := range found.breaks {
		account, window, _ := strings.Cut(pair, "/")
		if account != job.text("account_id") || !found.than(s, job, window) {
			continue
		}
		for _, before := range breaks {
			if before.key("row_id", "item_key", "currency") == b.key("row_id", "item_key", "currency") || foundLate(before, b) {
				return true
			}
		}
	}
	return false
}

// foundLate: one side of what an earlier break missed has found the other since.
func foundLate(before, b row) bool {
	return b.text("kind") == "other_window" && (b.text("row_id") == before.text("row_id") || b.text("item_key") == before.text("item_key"))
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
