package drills

import (
	"cmp"
	"slices"
	"strings"

	"github.com/recondrill/recondrill/faults"
	"github.com/recondrill/recondrill/reports"
	"github.com/recondrill/recondrill/sim"
)

// bites are where the kinds that bit in a run did so: kind × label × state of the record that was in hand, each once, sorted. A fault
// that was drawn and did no damage is not among them.
func bites(h *sim.History, bitten []string) []reports.Bite {
	kinds := faults.Kinds()
	seen := newRecords()
	var all []reports.Bite
	for i := range h.Entries {
		e := &h.Entries[i]
		seen.follow(e)
		if e.Deviation == nil || e.Deviation.Class == sim.Then {
			continue
		}
		d := *e.Deviation
		for _, k := range kinds {
			if k.Bit(d, h) {
				all = append(all, reports.Bite{Kind: k.Name(), At: labelOf(d.At), State: seen.state(d.At)})
			}
		}
	}
	for _, kind := range bitten {
		if !slices.ContainsFunc(all, func(b reports.Bite) bool { return b.Kind == kind }) {
			all = append(all, reports.Bite{Kind: kind, At: nowhere})
		}
	}
	slices.SortFunc(all, func(a, b reports.Bite) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.State, b.State), cmp.Compare(a.Kind, b.Kind))
	})
	return slices.Compact(all)
}

// nowhere is the place of what came about by itself and was decided at no gate: a deadlock, a full lane.
const nowhere = "(no one place)"

// labelOf is a place without what only one run has in it: a call's arguments, a tick's slot.
func labelOf(a sim.Address) string {
	label, _, call := strings.Cut(a.Label, "(")
	if first, _, ok := strings.Cut(label, " "); ok && first == "tick" {
		return first
	}
	if call && a.Actor.Life < 0 {
		return a.Actor.Process + " " + label
	}
	return label
}

// stateAfter says what a record is in when this statement has answered with its id.
var stateAfter = map[string]string{
	"ClaimJobs": "job leased", "BeginJob": "job begun", "RenewJob": "job begun", "FinishJob": "job done", "HandBackJob": "job ready",
	"RetryJob": "job ready", "ReviewJob": "job in review", "BuryJob": "job buried",
	"ClaimIntents": "intent leased", "SubmitIntent": "intent submitting", "FinishIntent": "intent answered", "HandBackIntents": "intent ready",
	"BuryIntent":       "intent buried",
	"ClaimCorrections": "correction leased", "SubmitCorrection": "correction submitting", "FinishCorrection": "correction answered",
	"HandBackCorrections": "correction ready", "BuryCorrection": "correction buried",
}

// records follows through a history what each record is in, and which one each task has in hand. What a transaction
// wrote counts at once: its own task sees it.
type records struct {
	states map[string]string    // by id
	hand   map[sim.Actor]string // the id that was answered to this task last
	caller map[string]sim.Actor // by service and call: who made it last
}

func newRecords() *records {
	return &records{states: map[string]string{}, hand: map[sim.Actor]string{}, caller: map[string]sim.Actor{}}
}

func (r *records) follow(e *sim.Entry) {
	if e.What == sim.Calling.String() {
		r.caller[strings.TrimPrefix(e.Label, "call:")] = e.Actor
	}
	if e.What != "answer" || len(e.Keys) == 0 {
		return
	}
	state, ok := stateAfter[strings.TrimPrefix(e.Label, "sql:")]
	if !ok {
		return
	}
	for _, key := range e.Keys {
		r.states[key] = state
	}
	r.hand[e.Actor] = e.Keys[0]
}

// state is what the record is in that is worked on at a place: the one that its task was answered last, else the one it
// is named after. A call to the outside is worked on by whoever made it.
func (r *records) state(a sim.Address) string {
	if idle(a.Label) {
		return ""
	}
	who := a.Actor
	if caller, ok := r.caller[a.Actor.Process+" "+a.Label]; ok {
		who = caller
	}
	if key, ok := r.hand[who]; ok {
		return r.states[key]
	}
	return r.states[who.Task]
}

// idle: who stands here is between two records.
func idle(label string) bool {
	for _, word := range []string{"sql:Claim", "sleep", "join", "start"} {
		if strings.HasPrefix(label, word) {
			return true
		}
	}
	return false
}
