package reports_test

import (
	"bytes"
	"encoding/xml"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/reports"
)

var update = flag.Bool("update", false, "write the golden files anew")

func rendered(t *testing.T, file string, events []reports.Event) string {
	t.Helper()
	for _, r := range reports.Renderers() {
		if r.File == file {
			var out bytes.Buffer
			require.NoError(t, r.Render(&out, events))
			return out.String()
		}
	}
	require.Fail(t, "no renderer for "+file)
	return ""
}

// TestRenderers_SayWhatTheyAlwaysSaid compares with testdata/golden; -update writes them anew, to be read before a commit.
func TestRenderers_SayWhatTheyAlwaysSaid(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"summary.md", "junit.xml"} {
		got := rendered(t, file, night())
		path := filepath.Join("testdata", "golden", file)
		if *update {
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		}
		want, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(want), got)
	}
}

func TestHTML_FirstScreenTellsAStranger(t *testing.T) {
	t.Parallel()
	page := rendered(t, "report.html", night())
	head, _, _ := strings.Cut(page, `id="drills"`)
	for _, want := range []string{"error", "It could not be checked. This is not a pass.", "went through 2 drills in 6 runs, and 3 kinds of faults bit it",
		"PostgreSQL server (15.18, local)", "21.00 EUR, 500 JPY and 1 message", "A third drill, canary, carries a planted bug: found in 1 of 1 run, as it must be"} {
		require.Contains(t, head, want)
	}
	require.NotContains(t, page, "a process died in the middle", "what bit the canary is not what was done to the engine")
	for _, want := range []string{"worker-1 asked again under another key", "recondrill replay --drill timeout-after-acceptance --seed 1", "<svg xmlns",
		"provider refund(ch_1,2100,k1)/1 outcome timeout, effect now",
		"The story (shrunk from 2 deviations to 1):", "recondrill replay out/failures/timeout-after-acceptance-1.script", "The run as found",
		"As found, hash <code>bb01</code>", `<span class="tag found">found</span>`, "3 of 6", "a process stood still for longer than its lease",
		"found by the oracle effects: what happened outside"} {
		require.Contains(t, page, want)
	}
}

func TestHTML_NeedsNothingFromOutsideAndRunsNoScript(t *testing.T) {
	t.Parallel()
	page := strings.ReplaceAll(rendered(t, "report.html", night()), `xmlns="http://www.w3.org/2000/svg"`, "")
	for _, never := range []string{"<script", "http://", "https://", "src=", "@import", "url(", "onclick"} {
		require.NotContains(t, page, never)
	}
}

func TestHTML_EscapesWhatRunsSay(t *testing.T) {
	t.Parallel()
	evil := `"><script>alert(1)</script>`
	page := rendered(t, "report.html", []reports.Event{
		reports.Start{Command: evil, Drills: []reports.DrillInfo{{Name: evil, Claim: evil}}},
		reports.Mark{Drill: evil, Lane: evil, Row: evil, Kind: evil, Fault: evil, Text: evil},
		reports.Run{Drill: evil, Verdict: reports.Violation, Oracle: evil, Error: evil, Story: []string{evil}, Replay: evil, Faults: []string{evil}, Deviations: []string{evil}},
	})
	require.NotContains(t, page, "<script")
	require.NotContains(t, page, "ZgotmplZ")
	require.Contains(t, page, "&lt;script&gt;")
}

func TestHTML_AKilledCampaignIsNotGreen(t *testing.T) {
	t.Parallel()
	page := rendered(t, "report.html", []reports.Event{reports.Start{}, reports.Run{Drill: "a", Verdict: reports.Pass}})
	require.Contains(t, page, "<em>error.</em>")
	require.Contains(t, page, "the campaign was killed before it ended")
}

func TestMarkdown_StaysBelowWhatAJobSummaryTakes(t *testing.T) {
	t.Parallel()
	events := []reports.Event{reports.Start{}}
	for seed := range uint64(2000) {
		events = append(events, reports.Run{Drill: "a", Seed: seed, Verdict: reports.Violation, Story: []string{strings.Repeat("x", 3000)}})
	}
	md := rendered(t, "summary.md", events)
	require.LessOrEqual(t, len(md), 1024<<10)
	require.Contains(t, md[len(md)-100:], "The rest did not fit here")
}

// junitNode is any element, for a check against the format's table rather than against our own structs.
type junitNode struct {
	XMLName  xml.Name
	Attrs    []xml.Attr  `xml:",any,attr"`
	Children []junitNode `xml:",any"`
}

// junitSchema: which attributes an element must and may have, and which children.
var junitSchema = map[string]struct{ must, may, children string }{
	"testsuites": {"name tests failures errors time", "", "testsuite"},
	"testsuite":  {"name tests failures errors skipped time", "timestamp", "testcase"},
	"testcase":   {"classname name time", "", "properties failure error system-out"},
	"properties": {"", "", "property"},
	"property":   {"name value", "", ""},
	"failure":    {"message type", "", ""},
	"error":      {"message type", "", ""},
	"system-out": {"", "", ""},
}

func (n junitNode) check(t *testing.T) (failures, errors, cases int) {
	t.Helper()
	rule, ok := junitSchema[n.XMLName.Local]
	require.True(t, ok, n.XMLName.Local)
	var attrs []string
	values := map[string]string{}
	for _, a := range n.Attrs {
		attrs = append(attrs, a.Name.Local)
		values[a.Name.Local] = a.Value
		require.Contains(t, strings.Fields(rule.must+" "+rule.may), a.Name.Local, n.XMLName.Local)
	}
	require.Subset(t, attrs, strings.Fields(rule.must), n.XMLName.Local)
	for _, child := range n.Children {
		require.Contains(t, strings.Fields(rule.children), child.XMLName.Local, n.XMLName.Local)
		f, e, c := child.check(t)
		failures, errors, cases = failures+f, errors+e, cases+c
	}
	switch n.XMLName.Local {
	case "failure":
		failures++
	case "error":
		errors++
	case "testcase":
		cases++
	case "testsuite", "testsuites":
		require.Equal(t, fmt.Sprint(failures, errors, cases), values["failures"]+" "+values["errors"]+" "+values["tests"])
	}
	return failures, errors, cases
}

func TestJUnit_KeepsTheSchemaAndFailureApartFromError(t *testing.T) {
	t.Parallel()
	text := rendered(t, "junit.xml", append(night(), reports.Run{Drill: "odd", Verdict: reports.Violation, Story: []string{"\x00\x1b<&\xff"}}))
	var root junitNode
	require.NoError(t, xml.Unmarshal([]byte(text), &root))
	failures, errors, _ := root.check(t)
	require.Equal(t, 2, failures, "the violations")
	require.Equal(t, 2, errors, "the one not checked and the one that went two ways")
}

func TestJUnit_AnEmptyJournalIsNotGreen(t *testing.T) {
	t.Parallel()
	var root junitNode
	require.NoError(t, xml.Unmarshal([]byte(rendered(t, "junit.xml", nil)), &root))
	_, errors, _ := root.check(t)
	require.Equal(t, 1, errors)
}

func TestJUnit_FoldsALongNight(t *testing.T) {
	t.Parallel()
	var events []reports.Event
	for seed := range uint64(1000) {
		events = append(events, reports.Run{Drill: "a", Seed: seed, Verdict: reports.Pass})
	}
	text := rendered(t, "junit.xml", events)
	require.Contains(t, text, "800 runs more passing")
	require.Equal(t, 202, strings.Count(text, "<testcase "))
}
