package drills

import (
	"errors"
	"fmt"
	"slices"

	"github.com/recondrill/recondrill/reports"
	"github.com/recondrill/recondrill/sim"
	"github.com/recondrill/recondrill/sim/oracle"
)

// judge asks every oracle that no fault of the run excuses, and makes the verdict. Its error says what could not be checked.
func (r *result) judge(d Drill, stopped error, v oracle.View) error {
	var livelock *sim.Livelock
	var stuck *sim.Stuck
	switch {
	case errors.As(stopped, &livelock):
		r.findings = append(r.findings, oracle.Violation{Oracle: "livelock", Text: stopped.Error()})
	case errors.As(stopped, &stuck):
		r.findings = append(r.findings, oracle.Violation{Oracle: "stuck", Text: stopped.Error()})
	case stopped != nil:
		return stopped
	}
	r.view, r.stopped = v, stopped
	r.run.Checked = map[string]int{}
	for _, o := range oracle.All() {
		if excused(o, r.run.Faults) {
			continue
		}
		found := o.Check(v)
		if found.Checked > 0 || !slices.Contains(d.Blind, o.Name()) {
			r.run.Checked[o.Name()] = found.Checked
		}
		r.findings = append(r.findings, found.Violations...)
	}
	if len(r.findings) == 0 { // what a drill expects besides is told only of a run that is sound
		for _, fact := range d.Facts {
			if err := fact.Hold(v); err != nil {
				r.findings = append(r.findings, oracle.Violation{Oracle: "fact", Text: fmt.Sprintf("%s: %v", fact.Text, err)})
			}
		}
	}
	r.run.Verdict = reports.Pass
	if len(r.findings) > 0 {
		r.run.Verdict, r.run.Oracle = reports.Violation, r.findings[0].Oracle
		r.run.Lost, r.run.Doubled = damages(r.findings)
	}
	return nil
}

// damages adds up what the findings cost. Several oracles may see one double: each kind of damage is taken from the
// oracle that saw most of it, not summed over them.
func damages(findings []oracle.Violation) (lost, doubled *reports.Damage) {
	lost, doubled = &reports.Damage{Money: map[string]int64{}}, &reports.Damage{Money: map[string]int64{}}
	perOracle := map[string]*[2]reports.Damage{}
	var names []string
	for _, f := range findings {
		sum := perOracle[f.Oracle]
		if sum == nil {
			sum = &[2]reports.Damage{{Money: map[string]int64{}}, {Money: map[string]int64{}}}
			perOracle[f.Oracle] = sum
			names = append(names, f.Oracle)
		}
		sum[0].Add(&reports.Damage{Messages: f.Lost.Messages, Money: f.Lost.Money})
		sum[1].Add(&reports.Damage{Messages: f.Double.Messages, Money: f.Double.Money})
	}
	for _, name := range names {
		for i, into := range []*reports.Damage{lost, doubled} {
			from := perOracle[name][i]
			into.Messages = max(into.Messages, from.Messages)
			for currency, minor := range from.Money { // order does not show: each currency is its own maximum
				into.Money[currency] = max(into.Money[currency], minor)
			}
		}
	}
	return lost, doubled
}
