package simtest

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/recondrill/recondrill/sim"
)

// Flags of a test binary that uses this package, so that a night's search needs no edit. They stand over what the
// Program says. (Flags are the one global here: the testing package parses them before any test runs.)
var (
	flagFor      = flag.Duration("simtest.for", 0, "search each program for so long, with no bound on runs")
	flagSeed     = flag.Uint64("simtest.seed", 0, "seed of the random rungs")
	flagSkeleton = flag.Bool("simtest.skeleton", false, "print a Go test for each failure")
)

// Check replays what was found before (testdata/simtest/<test>/*.script) and then searches. A failure fails the test
// with its story and is written there, to be committed.
func Check(t testing.TB, p Program) {
	t.Helper()
	b := Open(t, p.withFlags())
	files, err := filepath.Glob(filepath.Join(scriptDir(b.program.Name), "*.script"))
	if err != nil {
		t.Fatalf("simtest: %v", err)
	}
	for _, file := range files {
		b.replay(t, file)
	}
	if t.Failed() {
		return
	}
	r, err := b.search(context.Background())
	if err != nil {
		t.Fatalf("simtest: %v", err)
	}
	if r.Failure == nil {
		t.Logf("simtest: nothing found in %d runs with %d different ends: %s", r.Runs, r.Distinct, strings.Join(r.Told, "; "))
		return
	}
	b.report(t, r.Failure)
}

func (p Program) withFlags() Program {
	if *flagFor > 0 {
		const unbounded = 1 << 62
		p.For, p.Runs = *flagFor, unbounded
	}
	if *flagSeed > 0 {
		p.Seed = *flagSeed
	}
	return p
}

// report fails the test.
func (b *Bench) report(t testing.TB, f *Failure) {
	t.Helper()
	file, err := f.write(scriptDir(b.program.Name))
	if err != nil {
		t.Errorf("simtest: the script of this failure could not be written: %v", err)
	}
	t.Errorf("found in run %d by %s, shrunk to %s:\n  %s\nthis test replays it from %s", f.Found, f.Rung,
		count(len(f.Script.Deviations), "deviation"), strings.Join(f.Story, "\n  "), file)
	if *flagSkeleton {
		t.Log("\n" + f.Skeleton(b.program.Name, file))
	}
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// scriptDir is where the failures of a test are kept.
func scriptDir(name string) string { return filepath.Join("testdata", "simtest", slug(name)) }

// slug is a text as the name of a file.
func slug(s string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '-'
	}, s), "-")
}

// write puts the script into a file named after the claim; the story is its prose.
func (f *Failure) write(dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	file := filepath.Join(dir, slug(f.Claim)+".script")
	return file, os.WriteFile(file, []byte(f.Text()), 0o644)
}

// Text is the script as a file: its story as prose, then what replays.
func (f *Failure) Text() string {
	var b strings.Builder
	for _, line := range f.Story {
		fmt.Fprintf(&b, "# %s\n", line)
	}
	return b.String() + f.Script.String()
}

// Skeleton is a Go test that replays the file, for a package in which program() makes the Program.
func (f *Failure) Skeleton(test, file string) string {
	var b strings.Builder
	for _, line := range f.Story {
		fmt.Fprintf(&b, "// %s\n", line)
	}
	title := ""
	for _, w := range strings.Fields(strings.ReplaceAll(slug(f.Claim), "-", " ")) {
		title += strings.ToUpper(w[:1]) + w[1:]
	}
	test, _, _ = strings.Cut(test, "/")
	if !strings.HasPrefix(test, "Test") {
		test = "Test"
	}
	fmt.Fprintf(&b, "func %s_%s(t *testing.T) {\n\tsimtest.Replay(t, program(), %q)\n}\n", test, title, filepath.ToSlash(file))
	return b.String()
}

// Replay makes the run of a script file. The test fails when its claim is broken again, with the story; when another
// one is; and when the script is stale: when some of its deviations met nothing, so that it shows nothing any more.
func Replay(t testing.TB, p Program, file string) {
	t.Helper()
	Open(t, p).replay(t, file)
}

func (b *Bench) replay(t testing.TB, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("simtest: %v", err)
	}
	script, err := sim.ParseScript(string(text))
	if err != nil {
		t.Fatalf("simtest: %s: %v", file, err)
	}
	recorded := sim.Recorded(script)
	o, err := b.run(context.Background(), plan{script.Header.Seed, recorded, false})
	if err != nil {
		t.Fatalf("simtest: %s: %v", file, err)
	}
	var stale []string
	for _, d := range recorded.Unused() {
		stale = append(stale, d.String())
	}
	switch {
	case o.failed():
		t.Errorf("%s again:\n  %s", file, strings.Join(b.tell(o, b.watched(context.Background(), o)), "\n  "))
	case stale != nil:
		t.Errorf("%s is stale: nothing came of\n  %s\nso it shows nothing any more. A name before each statement (-- name: X) keeps addresses valid while SQL changes; else search anew and delete this file",
			file, strings.Join(stale, "\n  "))
	}
}
