package simtest

import (
	"fmt"
	"strings"

	"github.com/recondrill/recondrill/sim"
)

// sqlMax is how many characters are told of a statement that has no name.
const sqlMax = 48

// learn remembers which SQL stands behind a label: a statement that a fault prevents is in no line of its own run.
func (b *Bench) learn(h *sim.History) {
	for _, e := range h.Entries {
		if e.What == "statement" && strings.HasPrefix(e.Label, "sql:") && e.Text != "late" {
			sql, _, _ := strings.Cut(e.Text, " #")
			b.texts[e.Label] = sql
		}
	}
}

// words says one line of the history; "" where it goes without saying.
func (b *Bench) words(e sim.Entry) (string, weight) {
	what := b.doing(e.Label)
	switch e.What {
	case "deviation":
		return b.deviation(*e.Deviation), strayed
	case "answer":
		return what + answer(e), move
	case "landed":
		return "only now the server gets " + what + answer(e), strayed
	case "gone":
		return what + " finds its session gone", strayed
	case "cancelled":
		return what + " is cancelled at its deadline", strayed
	case "blocked":
		return what + " waits for a lock", move
	case "killed":
		return b.death(e.Text), strayed
	case "noticed":
		return "only now the server notices that it is dead", strayed
	case "restarted":
		return "starts again", aside
	case "resumed":
		return "goes on", aside
	case "healed":
		return "nothing fails any more", aside
	case "outcome":
		if e.Text == "plain" {
			return "gets " + e.Label, move
		}
		return "gets " + e.Label + ", which comes to: " + e.Text, move
	}
	return "", aside
}

// death says where a process ended, from the kernel's words for it.
func (b *Bench) death(why string) string {
	late, isLate := strings.CutSuffix(why, " arrives late")
	after, isAfter := strings.CutPrefix(why, "after ")
	before, isBefore := strings.CutPrefix(why, "before ")
	switch {
	case isLate:
		return fmt.Sprintf("dies at %s, whose bytes reach the server later", b.doing(late))
	case isAfter:
		return "dies right after " + b.doing(after)
	case isBefore:
		return "dies before " + b.place(before)
	}
	return "dies: " + strings.TrimPrefix(why, "at ")
}

// place is what an address is about.
func (b *Bench) place(address string) string {
	a, err := sim.ParseAddress(address)
	if err != nil {
		return address
	}
	return b.doing(a.Label)
}

// answer is what came back: nothing where that is one row changed or a matter of course.
func answer(e sim.Entry) string {
	tags, _, _ := strings.Cut(e.Text, " #")
	switch words := strings.Fields(tags); {
	case strings.HasPrefix(tags, "ERROR"):
		return " fails: " + tags
	case e.Rows > 0 && len(e.Keys) > 0:
		return " → " + strings.Join(e.Keys, ", ")
	case len(words) > 1 && words[len(words)-1] == "0":
		return noRow
	}
	return ""
}

// doing is a label as people read it: the name of a query, or the beginning of its SQL.
func (b *Bench) doing(label string) string {
	if rest, ok := strings.CutPrefix(label, "wait "); ok {
		return b.doing(rest)
	}
	if rest, ok := strings.CutPrefix(label, "sync "); ok {
		return "the Sync of " + b.doing(rest)
	}
	rest, ok := strings.CutPrefix(label, "sql:")
	if !ok {
		return strings.Replace(label, "call:", "the call of ", 1)
	}
	sql := b.texts[label]
	if rest == "begin" || rest == "commit" || rest == "rollback" || sql == "" || strings.HasPrefix(sql, "--") {
		return rest
	}
	return "`" + shorten(sql, sqlMax) + "`"
}

// shorten cuts at a space.
func shorten(s string, most int) string {
	if len(s) <= most {
		return s
	}
	s = s[:most]
	if i := strings.LastIndexByte(s, ' '); i > most/2 {
		s = s[:i]
	}
	return s + " …"
}

// deviation says what went otherwise, as a person would; "" where its consequence says it as well.
func (b *Bench) deviation(d sim.Deviation) string {
	where, text := b.doing(d.At.Label), d.Value.String()
	switch {
	case d.Class == sim.Then && d.At.Actor == sim.Bare("clock"):
		return fmt.Sprintf("of all who are due now, %s goes first", name(actorOf(text)))
	case d.Class == sim.Then:
		return fmt.Sprintf("stops before %s, and %s goes first", where, name(actorOf(text)))
	case d.Class == sim.Latency && where == "noticed":
		return fmt.Sprintf("the server does not notice that for %s", text)
	case d.At.Label == "deadline" && text == "not sent":
		return "when its deadline passes its statement has not been sent"
	case d.At.Label == "deadline":
		return "its deadline passes, and its statement " + text
	case d.Class == sim.Latency:
		return fmt.Sprintf("takes %s before %s", text, where)
	case d.Class == sim.Hold:
		if d.Value.Verb == "sync" {
			return where + " is done and answered, but its Sync, which commits it, is held back"
		}
		return fmt.Sprintf("between %s of %s and the rest others may go", d.Value.Verb, where)
	case d.Class == sim.Outcome:
		return fmt.Sprintf("%s comes to: %s", where, text)
	case d.Value.Verb == "kill", text == "late statement":
		return ""
	case text == "cut before":
		return "loses its connection before " + where
	case text == "cut after":
		return fmt.Sprintf("loses its connection after %s was done: no answer comes", where)
	case text == "cut waiting":
		return "loses its connection while it waits in " + where
	case d.Value.Verb == "stall":
		return fmt.Sprintf("stands still for %s before %s", d.Value.Arg, where)
	case d.Value.Verb == "suspend":
		return fmt.Sprintf("is suspended for %s before %s, its clock too", d.Value.Arg, where)
	case strings.HasPrefix(text, "commit late"):
		return fmt.Sprintf("loses its connection at %s, which reaches the server %s later", where, strings.TrimPrefix(text, "commit late "))
	case strings.HasPrefix(text, "answer late"):
		return fmt.Sprintf("hears the answer to %s %s late", where, strings.TrimPrefix(text, "answer late "))
	case d.Value.Verb == "terminated":
		return fmt.Sprintf("an administrator ends its session %s %s", d.Value.Arg, where)
	}
	return fmt.Sprintf("at %s: %s", where, text)
}

// actorOf reads a value of class then.
func actorOf(text string) sim.Actor {
	a, err := sim.ParseActor(text)
	if err != nil {
		return sim.Bare(text)
	}
	return a
}
