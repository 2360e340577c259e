package reports

import (
	"fmt"
	"strings"
	"time"
)

// campaign is a journal read for people: what every rendering shows, in one place.
type campaign struct {
	Start   Start
	Summary Summary
	Ended   bool // the summary is the campaign's own; else it was killed, and the summary is counted from its runs
	Tally   *Tally
	Runs    []Run
	marks   map[runKey][]Mark
}

// runKey tells a campaign's runs apart: many of them may have one seed.
type runKey struct {
	drill, rung string
	trial       int
	seed        uint64
}

func (r Run) key() runKey { return runKey{r.Drill, r.Rung, r.Trial, r.Seed} }

func read(events []Event) *campaign {
	c := &campaign{marks: map[runKey][]Mark{}, Tally: NewTally(Start{})}
	for _, e := range events {
		switch e := e.(type) {
		case Start:
			c.Start = e
			c.Tally = NewTally(e)
		case Run:
			c.Tally.Add(e)
			c.Runs = append(c.Runs, e)
		case Mark:
			key := runKey{e.Drill, e.Rung, e.Trial, e.Seed}
			c.marks[key] = append(c.marks[key], e)
		case Summary:
			c.Summary, c.Ended = e, true
			if e.Interrupted {
				c.Tally.Stop()
			}
		}
	}
	if !c.Ended {
		c.Tally.Stop()
		c.Summary = c.Tally.Summary()
		c.Summary.Interrupted = true
		c.Summary.Verdict = Worse(c.Summary.Verdict, Error)
		c.Summary.Reasons = append(c.Summary.Reasons, "the campaign was killed before it ended")
	}
	return c
}

// word is a run's verdict as people read it; see DrillTally.Word.
func (c *campaign) word(r Run) string {
	if r.Verdict != Pass && !c.Start.Failed(r) {
		return found
	}
	return string(r.Verdict)
}

// failing are the runs that did not pass and count, the most serious kind first, then in the journal's order.
func (c *campaign) failing() []Run {
	var failing []Run
	for i := len(Verdicts()) - 1; i > 0; i-- {
		for _, r := range c.Runs {
			if r.Verdict == Verdicts()[i] && c.Start.Failed(r) {
				failing = append(failing, r)
			}
		}
	}
	return failing
}

// samples is one run a drill whose lanes are worth a look: the passing sample, and of a canary its first find.
func (c *campaign) samples() []Run {
	var samples []Run
	for _, d := range c.Tally.Drills() {
		for _, r := range c.Runs {
			if r.Drill == d.Name && (c.word(r) == found || r.Sample && r.Verdict == Pass) && len(c.marks[r.key()]) > 0 {
				samples = append(samples, r)
				break
			}
		}
	}
	return samples
}

// damage adds up over the runs that count.
func (c *campaign) damage() (lost, doubled Damage) {
	for _, d := range c.Tally.Drills() {
		if d.Counts {
			lost.Add(&d.Lost)
			doubled.Add(&d.Doubled)
		}
	}
	return lost, doubled
}

// counted are the drills and the runs whose verdicts are the campaign's: a canary's are not, unless it was named.
func (c *campaign) counted() (drills, runs int) {
	for _, d := range c.Tally.Drills() {
		if d.Counts {
			drills++
			runs += d.Runs
		}
	}
	return drills, runs
}

// simulated is the simulated time of all runs together.
func (c *campaign) simulated() time.Duration {
	var seconds int64
	for _, d := range c.Tally.Drills() {
		seconds += d.SimSeconds
	}
	return time.Duration(seconds) * time.Second
}

// span prints a duration in at most two units: "3 d 4 h", "12 min", "1.4 s", "12 ms".
func span(d time.Duration) string {
	whole := func(n int64, unit string) string { return grouped(int(n)) + " " + unit }
	pair := func(big, small time.Duration, bigName, smallName string) string {
		text := whole(int64(d/big), bigName)
		if rest := d % big / small; rest > 0 {
			text += " " + whole(int64(rest), smallName)
		}
		return text
	}
	switch {
	case d < 0:
		return "−" + span(-d)
	case d < time.Second:
		return whole(d.Milliseconds(), "ms")
	case d < time.Minute:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", d.Truncate(100*time.Millisecond).Seconds()), ".0") + " s"
	case d < time.Hour:
		return pair(time.Minute, time.Second, "min", "s")
	case d < 48*time.Hour:
		return pair(time.Hour, time.Minute, "h", "min")
	default:
		return pair(24*time.Hour, time.Hour, "d", "h")
	}
}
