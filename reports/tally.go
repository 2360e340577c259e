package reports

import (
	"fmt"
	"maps"
	"slices"
)

// Tally counts a campaign while it runs. It keeps no run, so it stays small however many there are.
type Tally struct {
	start  Start
	drills []*DrillTally
	shown  map[string]int // per oracle: runs in which damage was planted for it
	seen   map[string]int // of them those in which it noticed
}

// DrillTally is what a campaign says of one drill.
type DrillTally struct {
	DrillInfo
	Counts     bool            // false for a canary that was not named: it is expected to fail
	Runs       int             //
	Verdicts   map[Verdict]int // how many runs of each
	Faults     map[string]int  // runs in which the kind bit
	Checked    map[string]int  // per oracle: things it looked at
	Bites      map[Bite]int    // runs in which a kind bit at this place, in this state of the record
	Drawn      int             // runs in which faults were drawn by their weights, and not tried one at a time
	WallMS     int64
	SimSeconds int64
	Lost       Damage
	Doubled    Damage
	stopped    bool // see Tally.Stop
	prints     map[string]struct{}
}

// NewTally starts to count; the drills of start come first and in its order, however few runs they get.
func NewTally(start Start) *Tally {
	t := &Tally{start: start, shown: map[string]int{}, seen: map[string]int{}}
	for _, info := range start.Drills {
		t.drill(info)
	}
	return t
}

func (t *Tally) drill(info DrillInfo) *DrillTally {
	for _, d := range t.drills {
		if d.Name == info.Name {
			return d
		}
	}
	d := &DrillTally{DrillInfo: info, Counts: !info.Canary || t.start.Named, Verdicts: map[Verdict]int{},
		Faults: map[string]int{}, Checked: map[string]int{}, Bites: map[Bite]int{}, prints: map[string]struct{}{}}
	t.drills = append(t.drills, d)
	return d
}

// Add counts a run.
func (t *Tally) Add(r Run) {
	d := t.drill(DrillInfo{Name: r.Drill, Canary: r.Canary})
	d.Runs++
	d.Verdicts[r.Verdict]++
	d.WallMS += r.WallMS
	d.SimSeconds += r.SimSeconds
	d.Lost.Add(r.Lost)
	d.Doubled.Add(r.Doubled)
	for _, kind := range r.Faults {
		d.Faults[kind]++
	}
	for oracle, n := range r.Checked {
		d.Checked[oracle] += n
	}
	for _, b := range r.Bites {
		d.Bites[b]++
	}
	if r.drawn(t.start.Search) {
		d.Drawn++
	}
	t.spoiled(r.Spoiled)
	d.prints[r.Fingerprint] = struct{}{}
}

// Drills are the drills counted so far.
func (t *Tally) Drills() []*DrillTally { return t.drills }

// Stop says that the campaign was stopped: what never happened in a part of it is no reason to doubt the drills.
func (t *Tally) Stop() {
	for _, d := range t.drills {
		d.stopped = true
	}
}

// Distinct is how many different runs there were: of other orders of what conflicts, or of other outcomes, times ignored.
func (d *DrillTally) Distinct() int { return len(d.prints) }

// Found says that a canary's planted bug was found.
func (d *DrillTally) Found() bool { return d.Verdicts[Violation] > 0 }

// VacuityRuns is how many runs of a drill with drawn faults it takes to judge what never happened in them: fewer say
// nothing, and a search that tries faults one at a time comes to each kind when its turn is.
const VacuityRuns = 20

// Silent are the expected faults that never bit and the oracles that checked nothing, in words.
func (d *DrillTally) Silent() []string {
	if d.Drawn < VacuityRuns || d.stopped {
		return nil
	}
	var silent []string
	for _, kind := range d.DrillInfo.Faults {
		if d.Faults[kind] == 0 {
			silent = append(silent, fmt.Sprintf("%s: the fault %s never bit in %s", d.Name, kind, Count(d.Runs, "run")))
		}
	}
	for _, oracle := range slices.Sorted(maps.Keys(d.Checked)) {
		if d.Checked[oracle] == 0 {
			silent = append(silent, fmt.Sprintf("%s: the oracle %s had nothing to check in %s", d.Name, oracle, Count(d.Runs, "run")))
		}
	}
	return silent
}

// Verdict is the drill's: the worst of its runs; what is silent over all of them is vacuous. A canary must have been
// found, named or not, else nothing that passed can be trusted. The reasons are given where no run tells them.
func (d *DrillTally) Verdict() (Verdict, []string) {
	if d.Runs == 0 {
		return "", nil // not reached: a campaign may be stopped
	}
	worst := Pass
	for v := range d.Verdicts {
		if v != Violation || d.Counts {
			worst = Worse(worst, v)
		}
	}
	if d.Canary && !d.Found() {
		return Error, []string{fmt.Sprintf("%s: its planted bug was not found in %s, so passes prove nothing", d.Name, Count(d.Runs, "run"))}
	}
	if d.Canary {
		return worst, nil
	}
	silent := d.Silent()
	if len(silent) > 0 {
		worst = Worse(worst, Vacuous)
	}
	return worst, silent
}

// Word is the verdict as people read it: a canary that does not count is "found", which is what it is for.
func (d *DrillTally) Word() string {
	verdict, _ := d.Verdict()
	switch {
	case verdict == "":
		return "not run"
	case verdict == Pass && d.Canary:
		return found
	default:
		return string(verdict)
	}
}

// Summary adds up. Wall time, speed and the server are the campaign's to fill in.
func (t *Tally) Summary() Summary {
	s := Summary{FaultsBitten: map[string]int{}, Canaries: map[string]bool{}, Verdicts: map[Verdict]int{}, Postgres: t.start.Postgres}
	for _, d := range t.drills {
		if d.Canary && d.Runs > 0 {
			s.Canaries[d.Name] = d.Found()
		}
		verdict, reasons := d.Verdict()
		s.Verdict = Worse(s.Verdict, verdict)
		s.Reasons = append(s.Reasons, reasons...)
		s.Runs += d.Runs
		s.Distinct += d.Distinct()
		if d.Counts {
			for kind, n := range d.Faults {
				s.FaultsBitten[kind] += n
			}
			for v, n := range d.Verdicts {
				s.Verdicts[v] += n
			}
		}
	}
	t.addOracles(&s)
	if s.Runs == 0 {
		s.Verdict, s.Reasons = Error, append(s.Reasons, "nothing ran")
	}
	return s
}
