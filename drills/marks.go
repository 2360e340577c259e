package drills

import (
	"slices"
	"strings"

	"github.com/recondrill/recondrill/faults"
	"github.com/recondrill/recondrill/reports"
	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/oracle"
)

// marks are what a report draws of a run: ticks, leases, the lives of workers, calls outside, what was committed.
func (r *result) marks() []reports.Mark {
	m := &marker{run: r, lives: map[string]int{}, stalls: map[string]int{}, leases: map[string]int{}}
	for i := range r.history.Entries {
		m.entry(&r.history.Entries[i])
	}
	for _, open := range m.lives {
		m.out[open].UntilMS = m.last
	}
	return m.out
}

type marker struct {
	run    *result
	out    []reports.Mark
	lives  map[string]int // process → its open life in out
	stalls map[string]int
	leases map[string]int // record → its last lease in out
	last   int64
}

func (m *marker) add(lane, row, kind string, e *sim.Entry, text string) *reports.Mark {
	m.out = append(m.out, reports.Mark{Drill: m.run.run.Drill, Seed: m.run.run.Seed, Lane: lane, Row: row, AtMS: e.At.Milliseconds(),
		Kind: kind, Text: clock(m.run.epoch, e.At) + " " + text})
	return &m.out[len(m.out)-1]
}

func (m *marker) entry(e *sim.Entry) {
	m.last = max(m.last, e.At.Milliseconds())
	process := e.Actor.Process
	switch e.What {
	case "start":
		if e.Actor.Task == "main" && e.Actor.Life >= 0 {
			m.add("workers", process, "life", e, process+" starts")
			m.lives[process] = len(m.out) - 1
		}
	case "killed", "ended":
		m.end(m.lives, process, e)
		if e.What == "killed" {
			m.add("workers", process, "killed", e, process+" dies")
		}
	case "stalled":
		m.add("workers", process, "stall", e, process+" stands still")
		m.stalls[process] = len(m.out) - 1
	case "resumed":
		m.end(m.stalls, process, e)
	case "fired", "missed":
		m.add("ticks", process, e.What, e, strings.TrimSpace(process+" "+e.Label+" "+e.Text))
	case "answer":
		m.answer(e)
	case "outcome":
		lane := "channels"
		if process == "provider" {
			lane = "provider"
		}
		m.add(lane, process, "call", e, process+" "+e.Label+": "+orPlain(e.Text))
	}
	if e.Deviation != nil && e.Deviation.Class != sim.Then {
		m.add(laneOf(e.Deviation), process, "fault", e, inWords(*e.Deviation, "")).Fault = kindOf(*e.Deviation)
	}
}

// answer draws what a statement did for the leases and the ledger.
func (m *marker) answer(e *sim.Entry) {
	name := strings.TrimPrefix(e.Label, "sql:")
	switch {
	case strings.HasPrefix(name, "Claim"):
		for _, key := range e.Keys {
			m.end(m.leases, key, e)
			m.add("leases", key, "lease", e, e.Actor.Process+" claims "+key)
			m.leases[key] = len(m.out) - 1
		}
	case endsLease(name), strings.HasPrefix(name, "Settle"):
		for _, key := range e.Keys {
			m.end(m.leases, key, e)
			m.add("ledger", "records", "write", e, e.Actor.Process+" "+name+" "+key)
		}
	case strings.HasPrefix(name, "AdmitBatch"):
		m.add("ledger", "admissions", "admission", e, e.Actor.Process+" releases "+strings.Join(e.Keys, ", "))
	}
}

// endsLease tells the writes that give a claim up; the others that a claim guards begin, renew or go on under it. Each
// answers the id of its record first.
func endsLease(name string) bool {
	goesOn := name == "BeginJob" || name == "RenewJob" || strings.HasPrefix(name, "Submit")
	return slices.Contains(oracle.FencedWrites(), name) && !goesOn
}

func (m *marker) end(open map[string]int, row string, e *sim.Entry) {
	if i, ok := open[row]; ok {
		m.out[i].UntilMS = e.At.Milliseconds()
		delete(open, row)
	}
}

func laneOf(d *sim.Deviation) string {
	switch {
	case d.At.Actor.Life >= 0:
		return "workers"
	case strings.HasPrefix(d.At.Label, "tick"):
		return "ticks"
	case d.At.Actor.Process == "provider":
		return "provider"
	default:
		return "channels"
	}
}

// kindOf is the fault kind whose word a deviation is, "delay" where none claims it.
func kindOf(d sim.Deviation) string {
	g := sim.Gate{Address: d.At, Offers: []sim.Offer{{Class: d.Class, Value: d.Value}}}
	for _, k := range faults.Kinds() {
		if len(k.Draw(g)) > 0 {
			return k.Name()
		}
	}
	return "delay"
}

func orPlain(text string) string {
	if text == "" {
		return "accepted"
	}
	return text
}
