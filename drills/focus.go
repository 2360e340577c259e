package drills

import (
	"cmp"
	"strings"

	"github.com/recondrill/recondrill/sim"
)

// foci are what a story may follow, the best first: what the first finding names, what was worked on most at the end (a
// run that does not come to rest names nothing), what the last deviation struck, and who was admitted: where no record is
// touched, that is what is missing.
func (r *result) foci() []string {
	return []string{r.named(), r.busiest(), r.struck(), slots}
}

// named is the record that the first finding is about; empty where it names none that has a history.
func (r *result) named() string {
	if len(r.findings) == 0 {
		return ""
	}
	kind, id, named := strings.Cut(r.findings[0].Record, ":")
	switch {
	case !named:
		return ""
	case kind == "call":
		return callFor(id)
	case kind == "admission", kind == "window":
		return slots
	case kind == "lane":
		return lanes + id
	}
	return id
}

// busiest is the record that was worked on most in the last tenth of a run that did not come to rest.
func (r *result) busiest() string {
	if o := r.findings; len(o) == 0 || o[0].Oracle != "settled" && o[0].Oracle != "livelock" {
		return ""
	}
	entries := r.history.Entries
	count, most := map[string]int{}, ""
	for _, e := range entries[len(entries)*9/10:] {
		if e.What != "answer" || acts[strings.TrimPrefix(e.Label, "sql:")].did == "" {
			continue
		}
		for _, key := range e.Keys {
			count[key]++
			if count[key] > count[most] {
				most = key
			}
		}
	}
	return most
}

// struck is the record that was in hand where the last deviation happened that somebody had one in hand at.
func (r *result) struck() string {
	seen, last := newRecords(), ""
	for i := range r.history.Entries {
		e := &r.history.Entries[i]
		seen.follow(e)
		if e.Deviation != nil {
			last = cmp.Or(seen.inHand(e.Deviation.At.Actor), last)
		}
	}
	return last
}

// What a story can follow instead of a record: who was admitted when, and the letters of a lane.
const (
	slots = "slots"
	lanes = "lane "
)

func isLane(focus string) bool { return strings.HasPrefix(focus, lanes) }

// callFor is the record that a call is made for: its key, without the number of the act.
func callFor(label string) string {
	key := strings.TrimSuffix(label[strings.LastIndexByte(label, ',')+1:], ")")
	return key[:max(strings.LastIndexByte(key, '/'), 0)]
}

// letterLane is the dead-letter lane that a record's letter lies in, by its id.
func letterLane(id string) string {
	switch part := strings.Split(id, "/"); len(part) {
	case 5:
		return part[3]
	case 7:
		return "corrections"
	default:
		return "jobs"
	}
}

// laneFact says whose letter came into a lane or left it.
func laneFact(e *sim.Entry, name, focus string) string {
	if e.What != "answer" || !strings.HasPrefix(name, "Bury") && !strings.HasPrefix(name, "Move") {
		return ""
	}
	for _, id := range e.Keys {
		if lanes+letterLane(id) == focus {
			return e.Actor.Process + " " + about(acts[name].did, id)
		}
	}
	return ""
}
