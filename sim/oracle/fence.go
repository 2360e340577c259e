package oracle

import (
	"slices"
	"strings"

	"github.com/recondrill/recondrill/sim"
)

// fence: after a later claim of a record, no write of an earlier claim has an effect. Two witnesses: the history, where
// the statements of a record are told by the task that works on it alone and bears its name, and the envelope, which carries the
// fence it was written under.
func fence() Oracle {
	return claim{name: "fence", check: func(v View, s *seen) {
		if v.History != nil {
			fencedHistory(v.History, s)
		}
		jobs := by(rows(v.Tables, "job"), "job_id")
		for _, e := range rows(v.Tables, "envelope") {
			job, ok := jobs[e.text("job_id")]
			if !ok || job.text("generation") != e.text("generation") || job.text("state") != "done" {
				continue // redriven or moved on since: another claim is right to have come
			}
			s.look()
			if wrote, last := e.key("fence_incarnation", "fence_number"), job.key("fence_incarnation", "fence_number"); wrote != last {
				s.broke("job:"+e.text("job_id"), "its envelope was written under fence %s, and the last claim is %s", wrote, last)
			}
		}
	}}
}

// Claims and FencedWrites name the statements this oracle knows. A test of the catalogue checks that each exists.
func Claims() []string { return []string{"ClaimJobs", "ClaimIntents", "ClaimCorrections"} }

// FencedWrites: each returns a row exactly where it had an effect.
func FencedWrites() []string {
	return []string{"BeginJob", "RenewJob", "HandBackJob", "RetryJob", "ReviewJob", "FinishJob", "BuryJob",
		"SubmitIntent", "FinishIntent", "BuryIntent", "SubmitCorrection", "FinishCorrection", "BuryCorrection"}
}

func fencedHistory(h *sim.History, s *seen) {
	claims, writes := Claims(), FencedWrites()
	holder := map[string]string{} // record → process and life of its last claim
	for _, e := range h.Entries {
		label, sql := strings.CutPrefix(e.Label, "sql:")
		if !sql || e.Rows == 0 || !oneOf(e.What, "answer", "landed", "gone") {
			continue
		}
		who := sim.Actor{Process: e.Actor.Process, Life: e.Actor.Life}.String()
		switch {
		case slices.Contains(claims, label):
			for _, record := range e.Keys {
				holder[record] = who
			}
		case slices.Contains(writes, label):
			record := e.Actor.Task
			last, claimed := holder[record]
			if !claimed {
				continue // a task of no single record
			}
			s.look()
			if last != who {
				s.broke(record, "%s wrote %s to %s although %s had claimed it since", who, label, record, last)
			}
		}
	}
}
