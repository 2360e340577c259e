package faults

import (
	"strconv"
	"strings"

	"github.com/recondrill/recondrill/sim"
)

// books follows what each task changes in the database and when that is committed.
type books struct {
	modifies map[sim.Actor]bool // the statement under way can change something
	open     map[sim.Actor]bool // a transaction is open
	dirty    map[sim.Actor]bool // it has changed something
}

func newBooks() books {
	return books{map[sim.Actor]bool{}, map[sim.Actor]bool{}, map[sim.Actor]bool{}}
}

// see follows an entry and says whether it is a commit of something.
func (b books) see(e sim.Entry) bool {
	switch e.What {
	case "statement":
		if strings.HasPrefix(e.Label, "sql:") { // else it is the second part of one that was held
			b.modifies[e.Actor] = modifies(e.Text)
		}
	case "answer":
		return b.answer(e)
	}
	return false
}

func (b books) answer(e sim.Entry) bool {
	committed := false
	switch {
	case e.Label == "sql:begin":
		b.open[e.Actor], b.dirty[e.Actor] = true, false
	case e.Label == "sql:commit" || e.Label == "sql:rollback":
		committed = b.dirty[e.Actor] && strings.HasPrefix(e.Text, "COMMIT")
		b.open[e.Actor], b.dirty[e.Actor] = false, false
	case b.modifies[e.Actor] && touched(e.Text):
		committed = !b.open[e.Actor]
		b.dirty[e.Actor] = b.open[e.Actor]
	}
	return committed
}

// modifies reads the text of a statement; a function that writes is not seen.
func modifies(sql string) bool {
	sql = strings.NewReplacer("for update", "", "for no key update", "").Replace(strings.ToLower(sql))
	return strings.Contains(sql, "insert into ") || strings.Contains(sql, "update ") || strings.Contains(sql, "delete from ")
}

// touched reads command tags: one of them counts rows.
func touched(tags string) bool {
	if strings.Contains(tags, "ERROR ") {
		return false
	}
	for tag := range strings.SplitSeq(tags, ",") {
		words := strings.Fields(strings.SplitN(tag, "#", 2)[0])
		if len(words) < 2 {
			continue
		}
		if n, err := strconv.Atoi(words[len(words)-1]); err == nil && n > 0 {
			return true
		}
	}
	return false
}

// acknowledged says whether, during a stretch of the history, a client heard that a change of its was committed.
func acknowledged(before, during []sim.Entry) bool {
	b, deaf := newBooks(), map[sim.Actor]bool{} // deaf: the next answer does not reach this task
	for _, e := range before {
		b.see(e)
	}
	for _, e := range during {
		if d := e.Deviation; d != nil && d.Class == sim.Fault && d.Value.Verb != "stall" && d.Value.Verb != "suspend" {
			deaf[e.Actor] = true
		}
		if b.see(e) && !deaf[e.Actor] {
			return true
		}
		if e.What == "answer" {
			deaf[e.Actor] = false
		}
	}
	return false
}
