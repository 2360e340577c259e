package faults

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/recondrill/recondrill/sim/pg"
)

// judge compares what the naive engine wrote with what really happened. Each line begins with the habit that it is about.
type judge struct {
	out    *outside
	tables pg.Tables
	found  []string
}

func (o *outside) violations(tables pg.Tables) []string {
	j := &judge{out: o, tables: tables}
	jobs := j.jobs()
	j.slots()
	j.redriven()
	j.heard()
	j.counted(jobs)
	for _, r := range j.each("correction") {
		if r.Text("approved") != r.Text("amount") {
			j.bad("correction: %s approved of %s", r.Text("approved"), r.Text("amount"))
		}
	}
	return j.found
}

func (j *judge) bad(format string, args ...any) {
	j.found = append(j.found, fmt.Sprintf(format, args...))
}

func (j *judge) each(table string) []pg.Row { return j.tables["public."+table].Each() }

// rows counts what a table has of a job.
func (j *judge) rows(table, id string) (n int) {
	for _, r := range j.each(table) {
		if r.Text("job") == id {
			n++
		}
	}
	return n
}

// jobs looks at every job that was to be done, and counts them.
func (j *judge) jobs() (n int) {
	for _, r := range j.each("job") {
		id, state := r.Text("id"), r.Text("state")
		if state == "redriven" || j.rows("letter", id) > 0 {
			continue
		}
		n++
		if state != "done" {
			j.bad("stuck: %s is %s", id, state)
		}
		for _, act := range []string{"provider pay", "provider hold", "provider charge", "email send", "sms send"} {
			if times := j.out.done[act+"("+id+")"]; times != 1 {
				j.bad("acts: %s of %s %d times", act, id, times)
			}
		}
		for _, table := range []string{"ledger", "audit", "report", "event", "statement"} {
			if times := j.rows(table, id); times != 1 {
				j.bad("%s: %d rows of %s", table, times, id)
			}
		}
	}
	return n
}

// slots: each slot of the night made one job, and nothing else did.
func (j *judge) slots() {
	jobs := map[string]int{}
	for _, r := range j.each("job") {
		jobs[r.Text("slot")]++
	}
	for _, slot := range []string{"02:00", "02:02"} {
		if jobs[slot] != 1 {
			j.bad("slots: %s has %d jobs", slot, jobs[slot])
		}
	}
	if others := len(j.each("job")) - jobs["02:00"] - jobs["02:02"] - jobs[""]; others > 0 {
		j.bad("slots: %d jobs of others", others)
	}
}

func (j *judge) redriven() {
	again := slices.DeleteFunc(j.each("job"), func(r pg.Row) bool { return !strings.Contains(r.Text("id"), "-again-") })
	if len(again) != 1 {
		j.bad("redrive: %d jobs came of one that failed", len(again))
	}
}

// heard: what callbacks and statements said.
func (j *judge) heard() {
	for _, r := range j.each("event") {
		if r.Text("paid") != "1" || r.Text("charged") != "1" || r.Text("last") != "charge" {
			j.bad("event: %s heard paid %s, charged %s, last %s", r.Text("job"), r.Text("paid"), r.Text("charged"), r.Text("last"))
		}
		if j.out.bounced[r.Text("job")] {
			j.bad("bounce: nobody knows that the mail of %s came back", r.Text("job"))
		}
	}
	for _, r := range j.each("report") {
		if r.Text("paid") != "1" {
			j.bad("report: %s is reported paid %s times", r.Text("job"), r.Text("paid"))
		}
	}
	for _, r := range j.each("statement") {
		if r.Text("total") != "60" {
			j.bad("statement: the total of %s is %s", r.Text("job"), r.Text("total"))
		}
	}
}

// counted: the accounts moved once a job.
func (j *judge) counted(jobs int) {
	want := map[string]int{"a": -10 * jobs, "b": jobs, "c": jobs, "sent": jobs, "count": jobs}
	for _, r := range j.each("account") {
		if id := r.Text("id"); r.Text("balance") != strconv.Itoa(want[id]) {
			j.bad("account %s: %s instead of %d", id, r.Text("balance"), want[id])
		}
	}
	if n := len(j.each("serial")); n != jobs {
		j.bad("serial: %d numbers for %d jobs", n, jobs)
	}
}
