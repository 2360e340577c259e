package reports

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// passesListed is how many passing runs of a drill get a test case of their own; the others share one, so that a
// night of a hundred thousand runs is still a file a CI server reads.
const passesListed = 200

type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Name    string       `xml:"name,attr"`
		Tests   int          `xml:"tests,attr"`
		Failed  int          `xml:"failures,attr"`
		Errors  int          `xml:"errors,attr"`
		Time    string       `xml:"time,attr"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name      string      `xml:"name,attr"`
		Tests     int         `xml:"tests,attr"`
		Failed    int         `xml:"failures,attr"`
		Errors    int         `xml:"errors,attr"`
		Skipped   int         `xml:"skipped,attr"`
		Time      string      `xml:"time,attr"`
		Timestamp string      `xml:"timestamp,attr,omitempty"`
		Cases     []junitCase `xml:"testcase"`
	}
	junitProperties struct {
		Property []junitProperty `xml:"property"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Class      string           `xml:"classname,attr"`
		Name       string           `xml:"name,attr"`
		Time       string           `xml:"time,attr"`
		Properties *junitProperties `xml:"properties,omitempty"`
		Failure    *junitProblem    `xml:"failure,omitempty"` // a promise broke, or nothing was put to the test
		Error      *junitProblem    `xml:"error,omitempty"`   // it could not be checked, or not the same way twice
		Out        string           `xml:"system-out,omitempty"`
	}
	junitProblem struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit renders a suite a drill, a case a run. A failure says that the engine broke or was not tested; an error that
// no judgement was possible.
func JUnit(w io.Writer, events []Event) error {
	c := read(events)
	all := junitSuites{Name: "recondrill", Time: seconds(c.Summary.WallMS)}
	for _, d := range c.Tally.Drills() {
		suite := c.junitSuite(d)
		all.Tests += suite.Tests
		all.Failed += suite.Failed
		all.Errors += suite.Errors
		all.Suites = append(all.Suites, suite)
	}
	if len(all.Suites) == 0 { // an empty file would read as green
		all.Tests, all.Errors = 1, 1
		all.Suites = []junitSuite{{Name: "recondrill", Tests: 1, Errors: 1, Time: "0.000", Cases: []junitCase{{Class: "recondrill", Name: "campaign",
			Time: "0.000", Error: &junitProblem{Message: clean(strings.Join(c.Summary.Reasons, "; ")), Type: string(Error)}}}}}
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	out := xml.NewEncoder(w)
	out.Indent("", "  ")
	if err := out.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (c *campaign) junitSuite(d *DrillTally) junitSuite {
	s := junitSuite{Name: d.Name, Time: seconds(d.WallMS), Timestamp: c.Start.StartedAt}
	s.add(c.junitVerdict(d))
	passes, wall := 0, int64(0)
	for _, r := range c.Runs {
		switch {
		case r.Drill != d.Name:
		case !c.Start.Failed(r) && passes >= passesListed:
			passes++
			wall += r.WallMS
		default:
			if !c.Start.Failed(r) {
				passes++
			}
			s.add(c.junitRun(r))
		}
	}
	if passes > passesListed {
		s.add(junitCase{Class: d.Name, Name: fmt.Sprintf("%s more passing", Count(passes-passesListed, "run")), Time: seconds(wall)})
	}
	return s
}

// junitVerdict is the case of the drill as a whole: what no single run can tell.
func (c *campaign) junitVerdict(d *DrillTally) junitCase {
	jc := junitCase{Class: d.Name, Name: d.Name, Time: "0.000", Out: clean(d.Claim)}
	verdict, reasons := d.Verdict()
	if d.Runs == 0 {
		verdict, reasons = Error, []string{d.Name + ": did not run"}
	}
	if len(reasons) > 0 {
		jc.problem(verdict, strings.Join(reasons, "; "), strings.Join(reasons, "\n"))
	}
	return jc
}

func (c *campaign) junitRun(r Run) junitCase {
	jc := junitCase{Class: r.Drill, Name: r.caseName(), Time: seconds(r.WallMS)}
	jc.property("seed", fmt.Sprint(r.Seed))
	jc.property("rung", r.Rung)
	jc.property("hash", r.Hash)
	jc.property("faults", strings.Join(r.Faults, " "))
	if r.Canary && r.Verdict == Violation {
		jc.property("canary", found)
	}
	if !c.Start.Failed(r) {
		return jc
	}
	jc.property("replay", r.Replay)
	jc.property("script", r.ScriptFile)
	jc.property("oracle", r.Oracle)
	jc.property("lost", r.Lost.Words())
	jc.property("doubled", r.Doubled.Words())
	story := r.Story
	if r.Shrunk() {
		story = append([]string{r.StoryTitle()}, story...)
	}
	jc.problem(r.Verdict, headline(r), strings.Join(story, "\n"))
	return jc
}

// caseName is what a run's case is called: a CI server compares cases by name from night to night.
func (r Run) caseName() string {
	if r.Rung == "" {
		return fmt.Sprintf("%s seed %d", r.Drill, r.Seed)
	}
	return fmt.Sprintf("%s %s %d seed %d", r.Drill, r.Rung, r.Trial, r.Seed)
}

// headline is what a run's failure is called in one line.
func headline(r Run) string {
	switch {
	case r.Error != "":
		return r.Error
	case len(r.Story) > 0:
		last := r.Story[len(r.Story)-1]
		return strings.TrimPrefix(r.Oracle+": ", ": ") + strings.TrimPrefix(last, r.Oracle+": ")
	default:
		return strings.TrimSpace(string(r.Verdict) + " " + r.Oracle)
	}
}

// property adds one that says something.
func (jc *junitCase) property(name, value string) {
	if value == "" {
		return
	}
	if jc.Properties == nil {
		jc.Properties = &junitProperties{}
	}
	jc.Properties.Property = append(jc.Properties.Property, junitProperty{name, clean(value)})
}

func (jc *junitCase) problem(v Verdict, message, text string) {
	p := &junitProblem{Message: clean(message), Type: string(v), Text: clean(text)}
	if v == Violation || v == Vacuous {
		jc.Failure = p
	} else {
		jc.Error = p
	}
}

func (s *junitSuite) add(jc junitCase) {
	s.Tests++
	if jc.Failure != nil {
		s.Failed++
	}
	if jc.Error != nil {
		s.Errors++
	}
	s.Cases = append(s.Cases, jc)
}

func seconds(ms int64) string { return fmt.Sprintf("%d.%03d", ms/1000, ms%1000) }

// clean drops what XML 1.0 cannot hold; the encoder would write a replacement character for each.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < ' ' || r == utf8.RuneError || r == 0xFFFE || r == 0xFFFF:
			return -1
		default:
			return r
		}
	}, s)
}
