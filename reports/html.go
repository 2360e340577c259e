package reports

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

//go:embed html.tmpl
var htmlText string

const (
	failuresShown = 40 // runs that did not pass and are told in full, the first of each oracle first
	failuresDrawn = 15 // of them with lanes: a page of megabytes is not read
	failuresOpen  = 3  // of them without a click
)

// HTML renders one page that needs nothing beside it: no script, no network, readable in print and in the dark.
func HTML(w io.Writer, events []Event) error {
	page, err := template.New("report").Parse(htmlText)
	if err != nil {
		return err
	}
	return page.Execute(w, htmlPage(read(events)))
}

type (
	htmlReport struct {
		Title, Verdict, Words, Tried string
		Canary                       []string
		Lost, Doubled                string
		Hurt                         [2]bool // something was lost, something doubled
		Reasons                      []string
		Faults                       []htmlFault
		Drills                       []htmlDrill
		Heads                        []Verdict
		Columns, FaultNote           string
		Search                       []Search
		Coverage                     []coverRow
		Covered                      string
		Failures                     []htmlRun
		More                         int // failures not told in full
		Samples                      []htmlRun
		Facts                        [][2]string
		Legend                       [][2]string
	}
	htmlFault struct {
		Name, Words string
		Runs        int
		Of          int // runs that could have been bitten
		Share       int // percent of them
	}
	htmlDrill struct {
		Name, Claim, Verdict    string
		Runs, Distinct          int
		Verdicts                []int // runs of each, as in Heads
		Canary, Counts          bool
		Faults, Wall, Simulated string
		Lost, Doubled           string
	}
	htmlRun struct {
		ID, Name, Verdict, Finding, Error string
		StoryTitle                        string
		Story                             []string
		Ways                              []Way
		Script                            string
		Lost, Doubled                     string
		Faults                            string
		Deviations                        []string // empty where the script has the same ones
		Lanes                             *lanes
		Open                              bool
	}
)

func htmlPage(c *campaign) htmlReport {
	s := c.Summary
	lost, doubled := c.damage()
	r := htmlReport{
		Verdict: string(s.Verdict), Words: c.Tally.Words(s.Verdict), Tried: tried(c), Canary: c.Tally.Canaries(),
		Lost: lost.Words(), Doubled: doubled.Words(), Hurt: [2]bool{!lost.Zero(), !doubled.Zero()},
		Reasons: s.Reasons, Faults: c.htmlFaults(), Facts: facts(c), Legend: legend(),
		Heads: heads(), Columns: ColumnWords, FaultNote: faultNote,
	}
	r.Search, r.Coverage = s.Search, c.Tally.coverage()
	r.Covered = covered(r.Coverage)
	r.Title = fmt.Sprintf("%s: %s, %s", s.Verdict, Count(len(c.Tally.Drills()), "drill"), Count(s.Runs, "run"))
	for _, d := range c.Tally.Drills() {
		r.Drills = append(r.Drills, htmlDrillRow(d))
		if !d.Counts {
			r.Columns = ColumnWords + " What was lost or happened twice in " + d.Name + " was planted, and is not in the sums above."
		}
	}
	failing := firstOfEach(c.failing())
	for i, run := range failing[:min(len(failing), failuresShown)] {
		told := c.htmlRun(run, i < failuresOpen)
		if i >= failuresDrawn {
			told.Lanes = nil
		}
		r.Failures = append(r.Failures, told)
	}
	r.More = len(failing) - len(r.Failures)
	for _, run := range c.samples() {
		r.Samples = append(r.Samples, c.htmlRun(run, false))
	}
	return r
}

// firstOfEach moves the first failure of each (drill, verdict, oracle) to the front: one bug found a thousand times must not
// hide another found once.
func firstOfEach(runs []Run) []Run {
	seen := map[string]bool{}
	var first, rest []Run
	for _, r := range runs {
		key := r.Drill + "\x00" + string(r.Verdict) + "\x00" + r.Oracle
		if seen[key] {
			rest = append(rest, r)
			continue
		}
		seen[key] = true
		first = append(first, r)
	}
	return append(first, rest...)
}

func (c *campaign) htmlRun(r Run, open bool) htmlRun {
	h := htmlRun{ID: strings.NewReplacer(" ", "-", ",", "", "(", "", ")", "").Replace("run-" + r.Title()), Name: r.Title(), Verdict: c.word(r),
		Finding: r.Finding(), Error: r.Error, StoryTitle: r.StoryTitle(), Story: r.Story, Ways: r.Ways(), Script: r.Script,
		Faults: strings.Join(r.Faults, ", "), Lanes: drawLanes(c.marks[r.key()]), Open: open}
	if r.Script == "" || r.Shrunk() {
		h.Deviations = r.Deviations
	}
	if !r.Lost.Zero() {
		h.Lost = r.Lost.Words()
	}
	if !r.Doubled.Zero() {
		h.Doubled = r.Doubled.Words()
	}
	return h
}

func htmlDrillRow(d *DrillTally) htmlDrill {
	h := htmlDrill{Name: d.Name, Claim: d.Claim, Verdict: d.Word(), Runs: d.Runs, Distinct: d.Distinct(), Canary: d.Canary, Counts: d.Counts,
		Wall: span(time.Duration(d.WallMS) * time.Millisecond), Simulated: span(time.Duration(d.SimSeconds) * time.Second),
		Lost: d.Lost.Words(), Doubled: d.Doubled.Words()}
	for _, v := range heads() {
		h.Verdicts = append(h.Verdicts, d.Verdicts[v])
	}
	var bitten []string
	for _, kind := range slices.Sorted(maps.Keys(d.Faults)) {
		bitten = append(bitten, fmt.Sprintf("%s %s", kind, grouped(d.Faults[kind])))
	}
	h.Faults = strings.Join(bitten, " · ")
	return h
}

// heads are the columns of verdicts in the table of drills.
func heads() []Verdict { return []Verdict{Pass, Violation, Error, Nondeterministic, Vacuous} }

// htmlFaults are the kinds that bit in runs that count, the most frequent first.
func (c *campaign) htmlFaults() []htmlFault {
	s := c.Tally.Summary()
	_, runs := c.counted()
	kinds := slices.SortedFunc(maps.Keys(s.FaultsBitten), func(a, b string) int {
		if d := s.FaultsBitten[b] - s.FaultsBitten[a]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	var faults []htmlFault
	for _, kind := range kinds {
		n := s.FaultsBitten[kind]
		if n == 0 {
			continue
		}
		faults = append(faults, htmlFault{Name: kind, Words: faultWords[kind], Runs: n, Of: runs, Share: max(1, n*100/runs)})
	}
	return faults
}

func facts(c *campaign) [][2]string {
	st, s := c.Start, c.Summary
	all := [][2]string{
		{"Command", st.Command}, {"First seed", fmt.Sprint(st.Seed)}, {"Search", st.Search}, {"Statements", st.Statements},
		{"PostgreSQL", strings.TrimSpace(s.Postgres.Version + " (" + s.Postgres.How + ")")}, {"Servers", fmt.Sprint(st.Servers)}, {"Commit", st.Commit},
		{"Go", st.Go}, {"Zone data", st.Zones}, {"Started", st.StartedAt}, {"Wall time", span(time.Duration(s.WallMS) * time.Millisecond)},
		{"Speed", fmt.Sprintf("%.1f runs a second", s.RunsPerSecond)}, {"Different runs", grouped(s.Distinct)},
	}
	return slices.DeleteFunc(all, func(f [2]string) bool { return f[1] == "" || f[1] == "0" && f[0] == "Servers" || f[1] == "()" })
}

func legend() [][2]string {
	var l [][2]string
	for _, v := range Verdicts() {
		l = append(l, [2]string{string(v), verdictWords[v]})
	}
	return l
}
