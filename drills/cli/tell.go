package cli

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/recondrill/recondrill/reports"
)

// tell prints what a campaign came to, the worst first.
func (a *app) tell(s *sink, summary reports.Summary, out string) {
	for _, r := range s.failing {
		tellRun(a.stdout, r)
		fmt.Fprintln(a.stdout)
	}
	a.tellDrills(s.tally)
	fmt.Fprintf(a.stdout, "\n%s: %s\n", strings.ToUpper(string(summary.Verdict)), summary.Verdict.Words())
	for _, reason := range summary.Reasons {
		fmt.Fprintf(a.stdout, "  %s\n", reason)
	}
	for _, name := range slices.Sorted(maps.Keys(summary.Canaries)) {
		if summary.Canaries[name] {
			fmt.Fprintf(a.stdout, "  the bug planted in %s was found, as it must be\n", name)
		}
	}
	fmt.Fprintf(a.stdout, "  %s, %d different, %.1f a second, PostgreSQL %s (%s)\n", reports.Count(summary.Runs, "run"), summary.Distinct, summary.RunsPerSecond,
		summary.Postgres.Version, summary.Postgres.How)
	if out != "" {
		fmt.Fprintf(a.stdout, "  report: %s\n", filepath.Join(out, "report.html"))
	}
}

func (a *app) tellDrills(t *reports.Tally) {
	w := table.NewWriter()
	w.SetOutputMirror(a.stdout)
	w.SetStyle(table.StyleLight)
	w.Style().Options = table.OptionsNoBordersAndSeparators
	w.Style().Format.Header = text.FormatDefault
	w.AppendHeader(table.Row{"drill", "verdict", "runs", "different", "lost", "twice", "simulated", "wall", "faults that bit"})
	w.SetColumnConfigs([]table.ColumnConfig{{Name: "runs", Align: text.AlignRight}, {Name: "different", Align: text.AlignRight}, {Name: "faults that bit", WidthMax: 60, WidthMaxEnforcer: text.WrapSoft}})
	for _, d := range t.Drills() {
		verdict, _ := d.Verdict()
		switch {
		case verdict == "":
			verdict = "not run"
		case verdict == reports.Pass && d.Canary && d.Found():
			verdict = "found" // what it lost and doubled was meant to be
		}
		var bitten []string
		for _, kind := range slices.Sorted(maps.Keys(d.Faults)) {
			bitten = append(bitten, fmt.Sprintf("%s %d", kind, d.Faults[kind]))
		}
		w.AppendRow(table.Row{d.Name, verdict, d.Runs, d.Distinct(), d.Lost.Words(), d.Doubled.Words(), time.Duration(d.SimSeconds) * time.Second,
			(time.Duration(d.WallMS) * time.Millisecond).Round(100 * time.Millisecond), strings.Join(bitten, ", ")})
	}
	w.Render()
}

// tellRun prints one run: what, how it went, what it cost, how to see it again.
func tellRun(out io.Writer, r reports.Run) {
	fmt.Fprintf(out, "%s, seed %d: %s\n", r.Drill, r.Seed, strings.TrimSpace(string(r.Verdict)+" "+r.Oracle))
	if r.Error != "" {
		fmt.Fprintf(out, "  %s\n", r.Error)
	}
	for i, line := range r.Story {
		fmt.Fprintf(out, "  %2d. %s\n", i+1, line)
	}
	if !r.Lost.Zero() {
		fmt.Fprintf(out, "  lost: %s\n", r.Lost.Words())
	}
	if !r.Doubled.Zero() {
		fmt.Fprintf(out, "  twice: %s\n", r.Doubled.Words())
	}
	if r.Replay != "" {
		fmt.Fprintf(out, "  replay: %s\n", r.Replay)
	}
	if r.Hash != "" {
		fmt.Fprintf(out, "  hash: %s\n", r.Hash)
	}
}
