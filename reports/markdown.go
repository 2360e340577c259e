package reports

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"
)

// markdownMax is what a CI job summary takes; above it an upload is refused as a whole, so the file ends early and
// says so.
const markdownMax = 1024 << 10

// Markdown renders the summary a CI job shows.
func Markdown(w io.Writer, events []Event) error {
	c := read(events)
	var out bytes.Buffer
	markdownHead(&out, c)
	markdownDrills(&out, c)
	markdownSearch(&out, c)
	markdownCoverage(&out, c)
	const end = "\nThe rest did not fit here; it is in report.html and journal.jsonl.\n"
	for i, r := range firstOfEach(c.failing()) {
		var one bytes.Buffer
		if i == 0 {
			one.WriteString("\n## What did not pass\n")
		}
		markdownRun(&one, r)
		if out.Len()+one.Len()+len(end) > markdownMax {
			out.WriteString(end)
			break
		}
		out.Write(one.Bytes())
	}
	_, err := w.Write(out.Bytes())
	return err
}

func markdownHead(out *bytes.Buffer, c *campaign) {
	s := c.Summary
	lost, doubled := c.damage()
	fmt.Fprintf(out, "# recondrill: %s\n\n%s %s\n\n", s.Verdict, c.Tally.Words(s.Verdict), tried(c))
	for _, words := range c.Tally.Canaries() {
		fmt.Fprintf(out, "%s\n\n", escape(words))
	}
	for _, reason := range s.Reasons {
		fmt.Fprintf(out, "- %s\n", escape(shortened(reason)))
	}
	if len(s.Reasons) > 0 {
		out.WriteByte('\n')
	}
	fmt.Fprintf(out, "**Lost:** %s. **Twice:** %s.\n", lost.Words(), doubled.Words())
}

func markdownDrills(out *bytes.Buffer, c *campaign) {
	out.WriteString("\n| drill | verdict | runs | pass | violation | nondeterministic | vacuous | error | different | simulated | wall |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, d := range c.Tally.Drills() {
		fmt.Fprintf(out, "| %s | %s | %d | %d | %d | %d | %d | %d | %d | %s | %s |\n", escape(d.Name), d.Word(), d.Runs, d.Verdicts[Pass], d.Verdicts[Violation],
			d.Verdicts[Nondeterministic], d.Verdicts[Vacuous], d.Verdicts[Error], d.Distinct(), span(time.Duration(d.SimSeconds)*time.Second), span(time.Duration(d.WallMS)*time.Millisecond))
	}
	fmt.Fprintf(out, "\n%s\n", ColumnWords)
	if faults := c.htmlFaults(); len(faults) > 0 {
		out.WriteString("\n| fault | runs in which it bit | what it is |\n|---|--:|---|\n")
		for _, f := range faults {
			fmt.Fprintf(out, "| %s | %d of %d | %s |\n", escape(f.Name), f.Runs, f.Of, f.Words)
		}
		fmt.Fprintf(out, "\n%s\n", faultNote)
	}
}

// markdownSearch tells what each way of looking covered.
func markdownSearch(out *bytes.Buffer, c *campaign) {
	if len(c.Summary.Search) == 0 {
		return
	}
	out.WriteString("\n## How it was looked for\n\n| drill | way | trials | different | failed | covered when done | not looked at |\n|---|---|--:|--:|--:|---|---|\n")
	for _, s := range c.Summary.Search {
		way := escape(s.Rung)
		if s.Done {
			way += " (done)"
		}
		fmt.Fprintf(out, "| %s | %s | %d | %d | %d | %s | %s |\n", escape(s.Drill), way, s.Trials, s.Distinct, s.Found, escape(s.Bound), escape(s.Frontier))
	}
}

// markdownCoverage tells where which faults bit.
func markdownCoverage(out *bytes.Buffer, c *campaign) {
	rows := c.Tally.coverage()
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(out, "\n<details><summary>Where the faults bit</summary>\n\n| place | record | runs in which each fault bit |\n|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(out, "| %s | %s | %s |\n", escape(r.At), escape(r.State), escape(r.Kinds))
	}
	fmt.Fprintf(out, "\n%s\n\n</details>\n", covered(rows))
}

func markdownRun(out *bytes.Buffer, r Run) {
	fmt.Fprintf(out, "\n### %s: %s\n\n", escape(r.Title()), r.Verdict)
	if words := r.Finding(); words != "" {
		fmt.Fprintf(out, "It was %s.\n\n", escape(words))
	}
	if r.Error != "" {
		fmt.Fprintf(out, "%s\n\n", escape(shortened(r.Error)))
	}
	if !r.Lost.Zero() || !r.Doubled.Zero() {
		fmt.Fprintf(out, "Lost: %s. Twice: %s.\n\n", r.Lost.Words(), r.Doubled.Words())
	}
	if len(r.Story) > 0 {
		fmt.Fprintf(out, "%s\n\n", r.StoryTitle())
	}
	for i, line := range r.Story {
		fmt.Fprintf(out, "%d. %s\n", i+1, escape(shortened(line)))
	}
	for _, way := range r.Ways() {
		fmt.Fprintf(out, "\n%s:\n", escape(way.String()))
		if way.Command != "" {
			fmt.Fprintf(out, "\n```\n%s\n```\n", strings.NewReplacer("\n", " ", "```", "").Replace(way.Command))
		}
	}
}

// escape keeps what a run says from being read as Markdown or HTML.
func escape(s string) string {
	return strings.NewReplacer("\\", "\\\\", "`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[", "]", "\\]", "<", "&lt;", ">", "&gt;", "&", "&amp;",
		"|", "\\|", "#", "\\#", "\n", " ", "\r", " ").Replace(s)
}

// shortened bounds one line, so that no single text can fill the file.
func shortened(s string) string {
	const most = 4000
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + " …"
}
