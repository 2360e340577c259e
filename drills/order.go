package drills

import (
	"fmt"
	"strings"

	"github.com/recondrill/recondrill/reports"
	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/search"
)

// order is one run that a crew member is asked for; one JSON object a line on its standard input.
type order struct {
	Drill  string `json:"drill"`
	Seed   uint64 `json:"seed"`
	Trial  parcel `json:"trial,omitempty"`  // search.Trial
	Script string `json:"script,omitempty"` // of the run that is made again, or shrunk
	Keep   bool   `json:"keep,omitempty"`   // send what a second run is compared with, also where it passes
	Sample bool   `json:"sample,omitempty"` // send marks also where it passes, and look for stray goroutines
	Spoil  bool   `json:"spoil,omitempty"`  // where it passes, damage what it left for each oracle and ask that one
	Shrink bool   `json:"shrink,omitempty"` // look for a smaller set of deviations that fails the same way
	First  *first `json:"first,omitempty"`  // make it again, and compare with this
}

// answer is what came of an order; one JSON object a line on the member's standard output.
type answer struct {
	Run    reports.Run    `json:"run"`
	Marks  []reports.Mark `json:"marks,omitempty"`
	Script string         `json:"script,omitempty"` // the deviations used, a file that replays
	Search parcel         `json:"search,omitempty"` // search.Outcome, as far as the run line has it not
	First  *first         `json:"first,omitempty"`  // it is to be made again

	member int  // who made it
	nobody bool // nobody is left who could have made it
}

// first is the first of two runs that must be the same one.
type first struct {
	Hash    string `json:"hash"`
	Tables  string `json:"tables"`  // hash of the final ones
	Judged  string `json:"judged"`  // verdict, findings, faults that bit
	History parcel `json:"history"` // []string, its lines
}

// orderFor is the order that makes a trial.
func orderFor(d Drill, t search.Trial) (order, error) {
	trial, err := pack(t)
	return order{Drill: d.Name, Seed: t.Seed, Trial: trial}, err
}

// outcome is what a rung is told of its trial: all of it from the run line, but for what only a member knows.
func (a answer) outcome() (search.Outcome, error) {
	var o search.Outcome
	if err := a.Search.unpack(&o); err != nil {
		return o, err
	}
	var err error
	o.Used, err = readDeviations(a.Run.Deviations)
	o.Failed, o.Checked = a.Run.Verdict == reports.Violation, a.Run.Verdict == reports.Pass || a.Run.Verdict == reports.Violation
	o.Oracle, o.Fingerprint, o.Meets = a.Run.Oracle, a.Run.Fingerprint, a.Run.Meets
	return o, err
}

// readDeviations is the inverse of Deviation.String for each line.
func readDeviations(lines []string) ([]sim.Deviation, error) {
	if len(lines) == 0 {
		return nil, nil
	}
	s, err := sim.ParseScript(fmt.Sprintf("version  %d\n\n%s\n", traceVersion, strings.Join(lines, "\n")))
	return s.Deviations, err
}
