package mutation

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Equivalents reads the arguments why some mutants change nothing that anybody could ever notice: lines `name: argument`.
func Equivalents(root string) (map[string]string, error) {
	text, err := os.ReadFile(filepath.Join(root, patchesDir, "equivalent.txt"))
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for i, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		name, why, ok := strings.Cut(line, ": ")
		if !ok {
			return nil, fmt.Errorf("equivalent.txt, line %d: want `name: argument`", i+1)
		}
		out[name] = why
	}
	return out, nil
}

// Table is drills/POWER.md.
func Table(all []Mutant, records map[string]Record, equivalent map[string]string) string {
	var b strings.Builder
	b.WriteString(head)
	groups := []group{{name: "tuned on"}, {name: "held out"}, {name: "mechanical"}, {name: "written"}}
	rungs := rungTable{}
	b.WriteString("\n| mutant | origin | held out | found | by oracle | in drill | rung | runs, median (worst) | seconds, median (worst) | 10 min | plain concurrency |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|---|---|---|\n")
	var missed, broken, alarms, unmeasured []string
	for _, m := range all {
		r, ok := records[m.Name]
		switch {
		case !ok:
			unmeasured = append(unmeasured, m.Name)
			continue
		case r.Invalid != "":
			broken = append(broken, fmt.Sprintf("`%s`: %s", m.Name, r.Invalid))
			continue
		}
		for _, f := range r.searches() {
			if f.Clean == cleanFails {
				alarms = append(alarms, fmt.Sprintf("`%s`, seed %d, %s in %s: the untouched engine fails the same script", m.Name, f.Seed, f.Oracle, f.Drill))
			}
		}
		why, same := equivalent[m.Name]
		b.WriteString(r.row())
		if !r.Found() {
			if same {
				why = "equivalent: " + why
			} else {
				why = "NOT FOUND"
			}
			missed = append(missed, fmt.Sprintf("`%s` (%s): %s. %s", m.Name, r.Origin, r.Prose, why))
		}
		for i := range groups {
			if groups[i].has(r) && (r.Found() || !same) {
				groups[i].add(r)
			}
		}
		rungs.add(r)
	}
	b.WriteString("\n## In short\n\n| group | not equivalent | found | runs to find, median | worst | seconds, median | worst |\n|---|---|---|---|---|---|---|\n")
	for _, g := range groups {
		b.WriteString(g.row())
	}
	b.WriteString(rungs.String())
	section(&b, "Not found", missed)
	section(&b, "No mutants after all", broken)
	section(&b, "False alarms, counted as not found", alarms)
	section(&b, "Not measured yet", unmeasured)
	return b.String()
}

const head = `# What the drills find

Made by ` + "`make power`" + `; do not edit. Each mutant is the engine with one thing broken (drills/mutation says how they are made and drawn). Each is searched
with ` + "`drill --for 60s`" + ` from up to five seeds on 2 cores, all drills taking turns; what all of them miss gets one search of 10 minutes, unless it is
argued to be equivalent. Found means: the campaign fails on the mutant, and the same script passes on the untouched engine (records of before 2026-12-01 14:30
had that tried for the first find of each mutant only). The oracle "nondeterministic" is the second run, on a replica whose rows lie otherwise: an answer
of the mutant hung on an order that no ORDER BY fixes. Seconds include starting and stopping two servers; what is found is not shrunk.
Where not every search found it, the others count as runs and seconds of their whole budget (censored: the true figure is larger, marked >).
`

// rungTable is what each rung of the ladder brought: by rung, the finds by mutant.
type rungTable map[string]map[string]int

func (t rungTable) add(r Record) {
	for _, f := range r.searches() {
		if !f.Found {
			continue
		}
		if t[f.Rung] == nil {
			t[f.Rung] = map[string]int{}
		}
		t[f.Rung][r.Mutant]++
	}
}

func (t rungTable) String() string {
	var b strings.Builder
	b.WriteString("\n## Which rung found it first\n\nThe rungs take turns, so each had the same chance.\n\n| rung | searches that ended with it | mutants | mutants no other rung found first |\n|---|---|---|---|\n")
	for _, rung := range slices.Sorted(maps.Keys(t)) {
		finds, alone := 0, 0
		for mutant, n := range t[rung] {
			finds += n
			others := 0
			for _, found := range t {
				others += found[mutant]
			}
			if others == n {
				alone++
			}
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d |\n", rung, finds, len(t[rung]), alone)
	}
	return b.String()
}

func section(b *strings.Builder, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n", title)
	for _, l := range lines {
		fmt.Fprintf(b, "- %s\n", l)
	}
}

func (r Record) row() string {
	var oracles, drills, rungs []string
	found := 0
	for _, f := range r.searches() {
		if f.Found {
			oracles, drills, rungs = append(oracles, f.Oracle), append(drills, f.Drill), append(rungs, f.Rung)
			found++
		}
	}
	long, plain, held := "", "", ""
	if r.Long != nil {
		long = "no"
		if r.Long.Found {
			long = fmt.Sprintf("after %d runs, %.0f s", r.Long.Runs, r.Long.Seconds)
		}
		found = 0
	}
	if r.Plain != nil {
		plain = fmt.Sprintf("no in %.0f s", r.Plain.Seconds)
		if r.Plain.Found {
			plain = fmt.Sprintf("%s, %.0f s", r.Plain.Oracle, r.Plain.Seconds)
		}
	}
	if r.HeldOut {
		held = "yes"
	}
	runs, seconds := r.spread(func(f Find) float64 { return float64(f.Runs) }), r.spread(func(f Find) float64 { return f.Seconds })
	return fmt.Sprintf("| %s | %s | %s | %d of %d | %s | %s | %s | %s | %s | %s | %s |\n", r.Mutant, r.Origin, held, found, len(r.Finds),
		distinct(oracles), distinct(drills), distinct(rungs), runs, seconds, long, plain)
}

// searches are those of the seeds, and the long one where they found nothing.
func (r Record) searches() []Find {
	if r.Long != nil {
		return append(slices.Clone(r.Finds), *r.Long)
	}
	return r.Finds
}

// spread prints median (worst) of a figure over the seeds.
func (r Record) spread(of func(Find) float64) string {
	finds := slices.Clone(r.Finds)
	slices.SortFunc(finds, func(a, b Find) int { // what was not found is longer than anything that was
		if a.Found != b.Found {
			if a.Found {
				return -1
			}
			return 1
		}
		return cmp.Compare(of(a), of(b))
	})
	if len(finds) == 0 {
		return ""
	}
	show := func(f Find) string {
		if f.Found {
			return fmt.Sprintf("%.0f", of(f))
		}
		return fmt.Sprintf(">%.0f", of(f))
	}
	return show(finds[len(finds)/2]) + " (" + show(finds[len(finds)-1]) + ")"
}

// distinct names each once, the most frequent first.
func distinct(names []string) string {
	count := map[string]int{}
	for _, n := range names {
		count[n]++
	}
	return strings.Join(slices.SortedFunc(maps.Keys(count), func(a, b string) int { return cmp.Or(count[b]-count[a], cmp.Compare(a, b)) }), ", ")
}

// group is some of the mutants.
type group struct {
	name          string
	all, found    int
	runs, seconds []float64
}

func (g *group) has(r Record) bool {
	switch g.name {
	case "held out":
		return r.HeldOut
	case "tuned on":
		return !r.HeldOut
	case "written":
		return r.Operator == "written"
	}
	return r.Operator != "written"
}

func (g *group) add(r Record) {
	g.all++
	if !r.Found() {
		return
	}
	g.found++
	finds := r.searches()
	slices.SortFunc(finds, func(a, b Find) int { return cmp.Compare(a.Runs, b.Runs) })
	var hits []Find
	for _, f := range finds {
		if f.Found {
			hits = append(hits, f)
		}
	}
	g.runs, g.seconds = append(g.runs, float64(hits[len(hits)/2].Runs)), append(g.seconds, hits[len(hits)/2].Seconds)
}

func (g group) row() string {
	slices.Sort(g.runs)
	slices.Sort(g.seconds)
	if g.found == 0 {
		return fmt.Sprintf("| %s | %d | 0 | | | | |\n", g.name, g.all)
	}
	return fmt.Sprintf("| %s | %d | %d | %.0f | %.0f | %.0f | %.0f |\n", g.name, g.all, g.found,
		g.runs[g.found/2], g.runs[g.found-1], g.seconds[g.found/2], g.seconds[g.found-1])
}
