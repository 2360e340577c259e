package cli

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/recondrill/recondrill/reports"
)

// tell prints what a campaign came to, the worst first. Its error is of writing: nobody was told.
func (a *app) tell(s *sink, summary reports.Summary, out string) error {
	var page strings.Builder
	for _, r := range s.failing {
		page.WriteString(toldRun(r) + "\n")
	}
	tellDrills(&page, s.tally)
	tellSearch(&page, summary.Search)
	fmt.Fprintf(&page, "\n%s: %s\n", strings.ToUpper(string(summary.Verdict)), s.tally.Words(summary.Verdict))
	for _, reason := range summary.Reasons {
		fmt.Fprintf(&page, "  %s\n", printable(reason))
	}
	for _, words := range s.tally.Canaries() {
		fmt.Fprintf(&page, "  %s\n", words)
	}
	fmt.Fprintf(&page, "  %s, %s, %.1f a second, PostgreSQL %s (%s)\n", reports.Count(summary.Runs, "run"), differently(summary.Distinct), summary.RunsPerSecond,
		summary.Postgres.Version, summary.Postgres.How)
	if out != "" {
		fmt.Fprintf(&page, "  report: %s\n", filepath.Join(out, "report.html"))
	}
	return a.print(page.String())
}

// print writes to stdout, where a full disk or a reader that has gone must not look like success.
func (a *app) print(text string) error {
	if _, err := io.WriteString(a.stdout, text); err != nil {
		return fmt.Errorf("stdout: %w", err)
	}
	return nil
}

func tellDrills(out io.Writer, t *reports.Tally) {
	w := newTable(out)
	w.AppendHeader(table.Row{"drill", "verdict", "runs", "diffe-\nrent", "lost", "twice", "simulated,\nall runs", "wall, all\nservers", "runs in which\neach fault bit"})
	w.SetColumnConfigs([]table.ColumnConfig{{Number: 3, Align: text.AlignRight}, {Number: 4, Align: text.AlignRight}, {Number: 9, WidthMax: 60, WidthMaxEnforcer: text.WrapSoft}})
	for _, d := range t.Drills() {
		var bitten []string
		for _, kind := range slices.Sorted(maps.Keys(d.Faults)) {
			bitten = append(bitten, fmt.Sprintf("%s %d", kind, d.Faults[kind]))
		}
		w.AppendRow(table.Row{d.Name, d.Word(), d.Runs, d.Distinct(), d.Lost.Words(), d.Doubled.Words(), time.Duration(d.SimSeconds) * time.Second,
			(time.Duration(d.WallMS) * time.Millisecond).Round(100 * time.Millisecond), strings.Join(bitten, ", ")})
	}
	w.Render()
	fmt.Fprintf(out, " %s\n", reports.ColumnWords)
}

// newTable is one without lines, as all of this program's are.
func newTable(out io.Writer) table.Writer {
	w := table.NewWriter()
	w.SetOutputMirror(out)
	w.SetStyle(table.StyleLight)
	w.Style().Options = table.OptionsNoBordersAndSeparators
	w.Style().Format.Header = text.FormatDefault
	return w
}

// differently: "112 of them different".
func differently(n int) string { return fmt.Sprintf("%d of them different", n) }

// tellSearch says for each drill how much was looked at and how much is left; the report has it for each way of looking.
func tellSearch(out io.Writer, search []reports.Search) {
	if len(search) == 0 {
		return
	}
	w := newTable(out)
	w.AppendHeader(table.Row{"drill", "trials", "failed", "classes left\n(sweep)", "orders left\n(exhaustive)", "next run is new\n(random, pct, pos)"})
	var bounds []string
	for len(search) > 0 {
		n := slices.IndexFunc(search, func(s reports.Search) bool { return s.Drill != search[0].Drill })
		if n < 0 {
			n = len(search)
		}
		w.AppendRow(searchRow(search[:n]))
		for _, s := range search[:n] {
			if bound := fmt.Sprintf(" %s, when it is done: %s", s.Rung, s.Bound); !slices.Contains(bounds, bound) {
				bounds = append(bounds, bound)
			}
		}
		search = search[n:]
	}
	fmt.Fprintln(out)
	w.Render()
	for _, bound := range bounds {
		fmt.Fprintln(out, bound)
	}
}

// searchRow adds up the ways in which one drill was looked at.
func searchRow(ways []reports.Search) table.Row {
	trials, failed, fresh := 0, 0, []string{}
	left := map[string]string{"sweep": "-", "exhaustive": "-"}
	for _, s := range ways {
		trials, failed = trials+s.Trials, failed+s.Found
		switch _, bounded := left[s.Rung]; {
		case bounded && s.Trials > 0:
			left[s.Rung] = strconv.Itoa(s.Left)
		case !bounded && s.Trials > 0:
			fresh = append(fresh, fmt.Sprintf("%.0f %%", 100*s.New))
		case !bounded:
			fresh = append(fresh, "-")
		}
	}
	return table.Row{ways[0].Drill, trials, failed, left["sweep"], left["exhaustive"], cmp.Or(strings.Join(fresh, ", "), "-")}
}

// toldRun is one run for people: what, how it went, what it cost, how to see it again.
func toldRun(r reports.Run) string {
	var out strings.Builder
	verdict := string(r.Verdict)
	if words := r.Finding(); words != "" {
		verdict += ", " + words
	}
	fmt.Fprintf(&out, "%s: %s\n", r.Title(), verdict)
	if r.Error != "" {
		fmt.Fprintf(&out, "  %s\n", printable(r.Error))
	}
	if len(r.Story) > 0 {
		fmt.Fprintf(&out, "  %s\n", r.StoryTitle())
	}
	for i, line := range r.Story {
		fmt.Fprintf(&out, "  %2d. %s\n", i+1, printable(line))
	}
	if !r.Lost.Zero() {
		fmt.Fprintf(&out, "  lost: %s\n", r.Lost.Words())
	}
	if !r.Doubled.Zero() {
		fmt.Fprintf(&out, "  twice: %s\n", r.Doubled.Words())
	}
	if r.Verdict == reports.Pass {
		fmt.Fprintf(&out, "  faults that bit: %s\n  hash: %s\n", cmp.Or(strings.Join(r.Faults, ", "), "none"), cmp.Or(r.Hash, "none is claimed here"))
		return out.String()
	}
	for _, way := range r.Ways() {
		words := []string{way.Command, "hash " + way.Hash}
		if way.Hash == "" {
			words = words[:1]
		}
		fmt.Fprintf(&out, "  %s: %s\n", way.What, strings.TrimPrefix(strings.Join(words, ", "), ", "))
	}
	if r.Script != "" && r.ScriptFile == "" {
		fmt.Fprintf(&out, "  FILE has this:\n\n%s\n", strings.TrimSuffix(r.Script, "\n"))
	}
	return out.String()
}

// printable is text as one line that cannot move the terminal: references in it come from files.
func printable(text string) string {
	var out strings.Builder
	for _, r := range text {
		if unicode.IsPrint(r) {
			out.WriteRune(r)
		} else {
			out.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return out.String()
}
