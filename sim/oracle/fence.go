package oracle

import (
	"slices"
	"strings"

	"github.com/recondrill/recondrill/sim"
)

// fence: after a later claim of a record, no write of an earlier claim has an effect. Two witnesses: the history, where
// claims and the writes under them answer the record's id first, and the envelope, which carries the fence it was written
// under.
func fence() Oracle {
	return claim{name: "fence", spoil: writtenUnderAnOldFence, check: func(v View, s *seen) {
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

// Claims and FencedWrites name the statements this oracle knows. A test checks that each exists and answers the record's
// id first.
func Claims() []string { return []string{"ClaimJobs", "ClaimIntents", "ClaimCorrections"} }

// FencedWrites: each returns a row exactly where it had an effect, or where the claim was found and nothing was written.
func FencedWrites() []string {
	return []string{"BeginJob", "RenewJob", "HandBackJob", "RetryJob", "ReviewJob", "FinishJob", "BuryJob",
		"SubmitIntent", "FinishIntent", "BuryIntent", "HandBackIntents",
		"SubmitCorrection", "FinishCorrection", "BuryCorrection", "HandBackCorrections"}
}

// fencedHistory follows who holds each record: a process and its life, whichever of its tasks asks. A record that was
// never seen claimed is not judged.
func fencedHistory(h *sim.History, s *seen) {
	claims, writes := Claims(), FencedWrites()
	holder := map[string]string{} // record → process and life of its last claim
	away := map[string][]sim.Actor{}
	for _, e := range h.Entries {
		underWay(away, e)
		label, ok := effect(e)
		switch {
		case !ok:
		case slices.Contains(claims, label):
			if partly(e) {
				clear(holder)
			}
			for _, record := range e.Keys {
				holder[record] = life(e.Actor)
			}
		case slices.Contains(writes, label):
			writers := []string{life(e.Actor)}
			if e.Actor.Life < 0 { // the network, for somebody who is gone or gave up waiting
				writers = lives(away[label])
			}
			for _, record := range e.Keys {
				last, claimed := holder[record]
				if !claimed || len(writers) == 0 {
					continue
				}
				s.look()
				if !slices.Contains(writers, last) {
					s.broke(record, "%s wrote %s to %s although %s had claimed it since", strings.Join(writers, " or "), label, record, last)
				}
			}
		}
	}
}

// effect is the name of the statement whose effect an entry tells; ok is false where it tells none.
func effect(e sim.Entry) (name string, ok bool) {
	name, sql := strings.CutPrefix(e.Label, "sql:")
	return name, sql && e.Rows > 0 && oneOf(e.What, "answer", "landed", "gone")
}

// partly says that an entry names the first of its rows only: any record may be among the others.
func partly(e sim.Entry) bool { return e.Rows > len(e.Keys) }

// underWay keeps whose statements of a label were sent and have no answer: one of them is what the network brings later.
func underWay(away map[string][]sim.Actor, e sim.Entry) {
	label, sql := strings.CutPrefix(e.Label, "sql:")
	switch {
	case !sql, e.Actor.Life < 0:
	case e.What == "statement":
		away[label] = append(away[label], e.Actor)
	case oneOf(e.What, "answer", "gone", "cancelled"):
		all := away[label]
		for i := len(all) - 1; i >= 0; i-- { // what it sent last: a statement before that is still on its way
			if all[i] == e.Actor {
				away[label] = slices.Delete(all, i, i+1)
				return
			}
		}
	}
}

// life is a process and its life, without the task.
func life(a sim.Actor) string { return sim.Actor{Process: a.Process, Life: a.Life}.String() }

func lives(all []sim.Actor) []string {
	var out []string
	for _, a := range all {
		out = append(out, life(a))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// writtenUnderAnOldFence lets the envelope of a finished job carry another fence than the job's last claim.
func writtenUnderAnOldFence(v *View) bool {
	jobs := by(rows(v.Tables, "job"), "job_id")
	for _, e := range rows(v.Tables, "envelope") {
		job, ok := jobs[e.text("job_id")]
		if ok && job.text("generation") == e.text("generation") && job.text("state") == "done" {
			e.set("fence_number", job.text("fence_number")+"0")
			return true
		}
	}
	return false
}
