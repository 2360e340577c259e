package simtest

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/recondrill/recondrill/sim"
)

const (
	storyMax = 10 // lines
	lineMax  = 160
)

// tell is the story of a failing run in at most ten lines: what the moves around its deviations were, who did not get
// through, who overtook whom, and what is wrong in the end. It ends where the claim broke, after so many lines of the
// history; 0: that is not known.
func (b *Bench) tell(o *once, broke int) []string {
	lines := []string{fmt.Sprintf("%s: everything goes in turn and nothing fails, but for this:", b.program.Name)}
	if len(o.script.Deviations) == 0 {
		lines[0] = fmt.Sprintf("%s: everything goes in turn and nothing fails:", b.program.Name)
	}
	entries := o.history.Entries
	if broke > 0 {
		entries = entries[:broke]
	}
	chapters := b.chapters(entries)
	if n := len(chapters); broke > 0 && n > 0 {
		chapters[n-1].weight = strayed
	}
	for _, c := range cut(chapters, storyMax-2) {
		lines = append(lines, c.String())
	}
	return append(lines, "=> "+firstLine(o.broken.Error()))
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// chapter is one line of the story: what one process did without interruption, or one thing that went wrong.
type chapter struct {
	at     string
	who    string
	parts  []string
	weight weight
}

// weight says what stays when a story is too long.
type weight uint8

const (
	aside   weight = iota // it can be thought
	move                  // what somebody did
	strayed               // a deviation, or what came of it
)

// String leaves out what stands in the middle where the line would become too long.
func (c chapter) String() string {
	parts := c.parts
	if len(parts) > 1 { // that a transaction is opened can be seen from its end
		parts = slices.DeleteFunc(slices.Clone(parts), func(p string) bool { return p == "begin" })
	}
	line := func(parts []string) string { return fmt.Sprintf("%s %s: %s", c.at, c.who, strings.Join(parts, "; ")) }
	text := line(parts)
	for gone := 1; utf8.RuneCountInString(text) > lineMax && gone < len(parts)-1; gone++ {
		text = line(slices.Concat(parts[:1], []string{"…"}, parts[gone+1:]))
	}
	return text
}

// chapters reads the history.
func (b *Bench) chapters(entries []sim.Entry) []chapter {
	var out []chapter
	for _, e := range entries {
		text, w := b.words(e)
		if text == "" {
			continue
		}
		at, who := clock(e), name(e.Actor)
		if n := len(out) - 1; n >= 0 && w == move && out[n].weight == move && out[n].who == who && out[n].at == at {
			out[n].parts = append(out[n].parts, text)
			continue
		}
		out = append(out, chapter{at, who, []string{text}, w})
	}
	for i := range out {
		if out[i].weight == move && !slices.ContainsFunc(out[i].parts, counts) {
			out[i].weight = aside
		}
	}
	return out
}

// counts says that a move did or found something.
func counts(part string) bool {
	return part != "begin" && part != "commit" && part != "rollback" && !strings.HasSuffix(part, noRow)
}

const noRow = " → no row"

// cut keeps the chapters from just before the first deviation, at most so many of them: where something must go, what
// weighs least goes first, and of that what lies farthest behind a deviation.
func cut(all []chapter, most int) []chapter {
	first := slices.IndexFunc(all, func(c chapter) bool { return c.weight == strayed })
	if first > 0 {
		all = all[first-1:]
	}
	for len(all) > most {
		at, far := len(all)-1, -1
		lightest := slices.MinFunc(all, func(a, b chapter) int { return int(a.weight) - int(b.weight) }).weight
		for i, c := range all {
			if d := distance(all, i); c.weight == lightest && d >= far {
				at, far = i, d
			}
		}
		all = slices.Delete(slices.Clone(all), at, at+1)
	}
	return all
}

// distance to the nearest deviation that comes before; what comes before the first one is near to it.
func distance(all []chapter, i int) int {
	for d := 0; d <= i; d++ {
		if all[i-d].weight == strayed {
			return d
		}
	}
	return 1
}

func clock(e sim.Entry) string { return epoch.Add(e.At).Format("15:04:05") }

// name is worker-1, or worker-1/mail where another task than the main one moves. Lives are not told apart.
func name(a sim.Actor) string {
	process, _, _ := strings.Cut(a.Process, "#")
	if a.Task == "" || a.Task == "main" {
		return process
	}
	return process + "/" + a.Task
}
