package simtest

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
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
	how := "not even the plain run holds"
	if f.Found > 0 {
		how = fmt.Sprintf("found in run %d by %s, shrunk to %s", f.Found, f.Rung, count(len(f.Script.Deviations), "deviation"))
	}
	t.Errorf("%s:\n  %s\nthis test replays it from %s", how, strings.Join(f.Story, "\n  "), file)
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
