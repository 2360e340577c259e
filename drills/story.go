package drills

import (
	"fmt"
	"strings"
	"time"

	"github.com/recondrill/recondrill/sim"
)

const storyMax = 10 // lines

// tell turns a failing run into at most ten lines in the words of the domain: where it starts, what deviated and
// when, what came of it.
func tell(r *result) []string {
	lines := []string{fmt.Sprintf("%s: %s", r.run.Drill, r.opening())}
	var deviations []string
	for _, e := range r.history.Entries {
		if e.Deviation != nil {
			deviations = append(deviations, clock(r.epoch, e.At)+" "+inWords(*e.Deviation))
		}
	}
	ends := r.endings()
	room := storyMax - len(lines) - len(ends)
	if len(deviations) > room {
		deviations = append(deviations[:room-1], fmt.Sprintf("… and %d more deviations: recondrill replay --trace shows them", len(deviations)-room+1))
	}
	return append(append(lines, deviations...), ends...)
}

func clock(epoch time.Time, at time.Duration) string { return epoch.Add(at).UTC().Format("15:04:05") }

// opening is the world that a run begins with.
func (r *result) opening() string {
	return fmt.Sprintf("seed %d, from %s: nothing goes wrong but this", r.run.Seed, r.epoch.Format("2006-01-02 15:04"))
}

// endings say what the oracles found, the first three of them.
func (r *result) endings() []string {
	const most = 3
	var lines []string
	for i, f := range r.findings {
		if i == most {
			lines[most-1] += fmt.Sprintf(" (and %d more findings)", len(r.findings)-most)
			break
		}
		lines = append(lines, fmt.Sprintf("=> %s: %s", f.Oracle, f.Text))
	}
	return lines
}

// inWords says one deviation as a person on call would.
func inWords(d sim.Deviation) string {
	who := d.At.Actor.Process
	where := doing(d.At)
	text := d.Value.String()
	switch d.Class {
	case sim.Then:
		return fmt.Sprintf("%s waits before %s and %s goes first", processOf(d.At.Actor.String()), where, processOf(text))
	case sim.Latency:
		return fmt.Sprintf("%s (%s) takes %s before %s", who, d.At.Actor.Task, text, where)
	case sim.Outcome:
		return asked(who, d.At.Label, text)
	}
	arg := d.Value.Arg
	switch {
	case text == "kill before":
		return fmt.Sprintf("%s dies before %s", who, where)
	case text == "kill after":
		return fmt.Sprintf("%s dies right after %s", who, where)
	case text == "late statement":
		return fmt.Sprintf("%s dies at %s, whose bytes reach the server later", who, where)
	case text == "cut before":
		return fmt.Sprintf("%s loses its connection before %s", who, where)
	case text == "cut after":
		return fmt.Sprintf("%s loses its connection after %s was done: no answer comes", who, where)
	case d.Value.Verb == "stall":
		return fmt.Sprintf("%s stands still for %s before %s", who, arg, where)
	case strings.HasPrefix(text, "commit late"):
		return fmt.Sprintf("%s loses its connection at %s, which lands %s later", who, where, strings.TrimPrefix(text, "commit late "))
	case d.Value.Verb == "duplicate":
		return fmt.Sprintf("%s fires %s twice, %s apart", who, where, arg)
	case d.Value.Verb == "early", d.Value.Verb == "late":
		return fmt.Sprintf("%s fires %s %s %s", who, where, arg, d.Value.Verb)
	case d.Value.Verb == "missing":
		return fmt.Sprintf("%s never fires %s", who, where)
	}
	return fmt.Sprintf("%s at %s: %s", who, where, text)
}

// asked tells what came of a call to the outside.
func asked(who, label, outcome string) string {
	what, args, _ := strings.Cut(strings.TrimSuffix(label, ")"), "(")
	about := strings.Split(args, ",")
	request := label
	switch {
	case what == "send":
		request = "the message to " + about[0]
	case what == "refund" && len(about) > 1:
		request = fmt.Sprintf("the refund of %s on %s", about[1], about[0])
	case what == "statement" && len(about) > 1:
		request = fmt.Sprintf("the request for the statement of %s for %s", about[0], about[1])
	case what == "look-up":
		request = "the question about " + args
	}
	later, isLater := strings.CutPrefix(outcome, "timeout, effect later ")
	wait, throttled := strings.CutPrefix(outcome, "throttled ")
	switch {
	case outcome == "timeout, no effect":
		return fmt.Sprintf("%s never gets %s, and the caller can't tell", who, request)
	case outcome == "timeout, effect now":
		return fmt.Sprintf("%s accepts %s and its answer is lost", who, request)
	case isLater:
		return fmt.Sprintf("%s gives no answer to %s and carries it out %s later", who, request, later)
	case throttled:
		return fmt.Sprintf("%s puts off %s for %s", who, request, wait)
	}
	return fmt.Sprintf("%s answers %s: %s", who, request, outcome)
}

// doing is what an address is about, without its prefix; the occurrence is said from the second on.
func doing(a sim.Address) string {
	label := strings.TrimPrefix(strings.TrimPrefix(a.Label, "sql:"), "call:")
	switch label {
	case "begin":
		label = "opening a transaction"
	case "commit":
		label = "COMMIT"
	case "rollback":
		label = "ROLLBACK"
	}
	if a.Nth > 1 {
		return fmt.Sprintf("%s (number %d)", label, a.Nth)
	}
	return label
}

func processOf(actor string) string {
	process, task, ok := strings.Cut(actor, "/")
	name, _, _ := strings.Cut(process, "#")
	if !ok {
		return name
	}
	return task + " of " + name
}
