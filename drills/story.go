package drills

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/recondrill/recondrill/reports"
	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/oracle"
)

const storyMax = 10 // lines

// tell turns a failing run into at most ten lines in the words of the domain: where it starts, what deviated and when,
// what became of the record that the first finding is about, and what was found.
func tell(r *result) []string {
	ends := r.endings()
	deviations, facts := r.happened()
	room := storyMax - 1 - len(ends)
	if left := len(deviations) - room; left > 0 {
		deviations, facts = deviations[:room-1], nil
		ends = append([]string{fmt.Sprintf("… and %d more deviations: recondrill replay --trace shows them", left+1)}, ends...)
	}
	lines := []string{r.opening()}
	for _, t := range inTime(deviations, weightiest(facts, room-len(deviations))) {
		lines = append(lines, clock(r.epoch, t.at)+" "+t.text)
	}
	return append(lines, ends...)
}

// told is one line of a story and its place in the history.
type told struct {
	entry int
	at    time.Duration
	text  string
	turn  bool // it turns the story: a claim was taken over, its loser wrote, an act was done again
}

// weightiest keeps n facts: those that turn the story, then the last ones, which are nearest to what broke.
func weightiest(facts []told, n int) []told {
	over := len(facts) - n
	for _, turns := range []bool{false, true} {
		facts = slices.DeleteFunc(facts, func(t told) bool { // the first ones first
			gone := over > 0 && t.turn == turns
			if gone {
				over--
			}
			return gone
		})
	}
	return facts
}

func inTime(a, b []told) []told {
	all := slices.Concat(a, b)
	slices.SortStableFunc(all, func(x, y told) int { return x.entry - y.entry })
	return all
}

// happened are the deviations, and the facts about the first record that is worth following and has some.
func (r *result) happened() (deviations, facts []told) {
	for _, focus := range r.foci() {
		if deviations, facts = r.follow(focus); len(facts) > 0 {
			break
		}
	}
	return deviations, facts
}

// follow are the deviations, and the facts about one record.
func (r *result) follow(focus string) (deviations, facts []told) {
	seen, turns := newRecords(), &turning{}
	for i := range r.history.Entries {
		e := &r.history.Entries[i]
		seen.follow(e)
		if e.Deviation != nil {
			deviations = append(deviations, told{entry: i, at: e.At, text: inWords(*e.Deviation, seen.inHand(e.Deviation.At.Actor))})
			continue
		}
		text := fact(e, focus, seen)
		if n := len(facts); text != "" && (n == 0 || facts[n-1].text != text) {
			facts = append(facts, told{i, e.At, text, turns.by(e, focus)})
		}
	}
	return deviations, rounds(facts)
}

// roundsMin is how often something is done alike until it is a loop, of which one round is told.
const roundsMin = 4

// rounds tells what happened again and again once.
func rounds(facts []told) []told {
	count := map[string]int{}
	for _, t := range facts {
		count[t.text]++
	}
	var out []told
	for _, t := range facts {
		switch n := count[t.text]; {
		case n == 0: // said
		case n < roundsMin:
			out = append(out, t)
		default:
			count[t.text] = 0
			t.text += fmt.Sprintf(" (%d times in all)", n)
			t.turn = true
			out = append(out, t)
		}
	}
	return out
}

// turning follows who holds the record in focus, and what was done for it.
type turning struct {
	holder string // process that claimed it last
	done   bool   // an act was done outside
}

func (t *turning) by(e *sim.Entry, focus string) bool {
	name := strings.TrimPrefix(e.Label, "sql:")
	before := t.holder
	switch {
	case e.What == "effect":
		again := t.done
		t.done = true
		return again
	case e.What != "answer":
		return true // somebody was left without an answer
	case strings.HasPrefix(name, "Claim"):
		t.holder = e.Actor.Process
		return before != "" && before != t.holder
	default:
		return focus != slots && !isLane(focus) && before != "" && before != e.Actor.Process
	}
}

func clock(epoch time.Time, at time.Duration) string { return epoch.Add(at).UTC().Format("15:04:05") }

// opening is the world that a run begins with.
func (r *result) opening() string {
	but := "nothing goes wrong but this"
	switch {
	case len(r.history.Used) == 0:
		but = "nothing goes wrong at all"
	case r.partly:
		but = "this goes wrong, and perhaps not all of it is needed"
	}
	return fmt.Sprintf("%s, seed %d, from %s UTC: %s", r.run.Drill, r.run.Seed, r.epoch.UTC().Format("2006-01-02 15:04"), but)
}

// endings say what was found: of each oracle its first finding, the first three of them.
func (r *result) endings() []string {
	const most = 3
	var lines []string
	count := map[string]int{}
	for _, f := range r.findings {
		count[f.Oracle]++
	}
	for _, f := range r.findings {
		n := count[f.Oracle]
		aftermath := r.stopped != nil && f.Oracle == "settled" // nothing can come to rest in a run that was stopped
		if n == 0 || len(lines) == most || aftermath {
			continue
		}
		count[f.Oracle] = 0 // said
		text := fmt.Sprintf("=> %s: %s", f.Oracle, r.finding(f))
		if n > 1 {
			text += fmt.Sprintf(" (and %d more of this kind)", n-1)
		}
		lines = append(lines, text)
	}
	return lines
}

// finding is one line about one record, which it names.
func (r *result) finding(f oracle.Violation) string {
	var livelock *sim.Livelock
	var stuck *sim.Stuck
	switch {
	case f.Oracle == "livelock" && errors.As(r.stopped, &livelock):
		return fmt.Sprintf("time stands still at %s: %d moves one after the other; %s", clock(r.epoch, livelock.At), livelock.Moves, standing(livelock.Standing))
	case f.Oracle == "stuck" && errors.As(r.stopped, &stuck):
		return fmt.Sprintf("from %s on everybody waits, and nothing will ever wake them; %s", clock(r.epoch, stuck.At), standing(stuck.Standing))
	case f.Oracle == "settled" && f.Record == "run":
		return fmt.Sprintf("at %s the work still goes on", clock(r.epoch, time.Duration(r.run.SimSeconds)*time.Second))
	}
	text := inPlainWords(f.Text)
	kind, id, named := strings.Cut(f.Record, ":")
	if !named || id == "" || kind == "call" || strings.Contains(text, id) {
		return text
	}
	about := kind + " " + id
	if words := thing(id); words != id {
		about = words
	}
	if rest, ok := strings.CutPrefix(text, "it "); ok {
		if shorter, to, ok := strings.Cut(about, " to "); ok && strings.Contains(rest, to) {
			about = shorter
		}
		return about + " " + rest
	}
	return about + ": " + text
}

// fact says what an entry did to the record in focus; empty where it did nothing that is worth a line.
func fact(e *sim.Entry, focus string, seen *records) string {
	who := e.Actor.Process
	switch name := strings.TrimPrefix(e.Label, "sql:"); {
	case focus == "":
	case focus == slots:
		return slotFact(e, name)
	case isLane(focus):
		return laneFact(e, name, focus)
	case e.What == "answer" && slices.Contains(e.Keys, focus) && acts[name].did != "":
		return fmt.Sprintf("%s %s", who, about(acts[name].did, focus))
	case e.What == "answer" && e.Rows == 0 && acts[name].fenced && (e.Actor.Task == focus || seen.hand[e.Actor] == focus):
		return fmt.Sprintf("%s changes nothing by %s", who, about(acts[name].doing, focus))
	case e.What == "effect" && seen.concerns(e, focus):
		return effect(who, e.Text)
	case e.What == "gave up" && seen.concerns(e, focus):
		return fmt.Sprintf("whoever called %s gives up without an answer", who)
	}
	return ""
}

// slotFact says who admitted what.
func slotFact(e *sim.Entry, name string) string {
	switch {
	case e.What == "answer" && name == "AdmitBatch" && e.Rows > 0:
		return fmt.Sprintf("%s admits %s", e.Actor.Process, reports.Count(e.Rows, "window"))
	case e.What == "answer" && name == "AdmitBatch":
		return fmt.Sprintf("%s finds nothing to admit", e.Actor.Process)
	}
	return ""
}

// concerns: the call that an entry of the world is about was made for this record.
func (r *records) concerns(e *sim.Entry, id string) bool {
	call := e.Text[:max(strings.LastIndexByte(e.Text, '/'), 0)]
	if callFor(call) == id || strings.Contains(call, "("+id+",") {
		return true // a message by its key, a refund by its payment
	}
	caller, ok := r.caller[e.Actor.Process+" "+call]
	return ok && r.hand[caller] == id
}

// effect is what a call did outside.
func effect(who, place string) string {
	what, args, _ := strings.Cut(place, "(")
	about := strings.Split(args, ",")
	switch {
	case what == "send":
		return fmt.Sprintf("%s has reached %s", who, about[0])
	case what == "refund" && len(about) > 1:
		return fmt.Sprintf("%s has refunded %s on %s", who, about[1], about[0])
	}
	return fmt.Sprintf("%s has done %s", who, what)
}
