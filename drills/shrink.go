package drills

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/recondrill/recondrill/reports"
	"github.com/recondrill/recondrill/sim"
)

// What is spent where a person asked for it: more than on a story within a campaign.
const (
	shrinkTriesMax = 600
	shrinkGatesMax = 400_000
)

// ShrinkOptions are the flags of `recondrill shrink`.
type ShrinkOptions struct {
	File       string
	Statements string
	Postgres   string
	Image      string
	Log        func(format string, args ...any)
}

// Shrunk is the smallest run found that fails as a script's does.
type Shrunk struct {
	Run    reports.Run // its story and deviations; nondeterministic where it did not fail the same way twice
	Script sim.Script
	Before int  // deviations of the script that was given
	Tries  int  // runs that were made
	Partly bool // so many that it was not looked for any longer: it may not be the smallest
}

// Shrink makes a failing script smaller. A script that does not fail is a *UsageError: there is nothing to shrink.
func Shrink(ctx context.Context, o ShrinkOptions) (Shrunk, error) {
	r := ReplayOptions{File: o.File, Statements: o.Statements, Postgres: o.Postgres, Image: o.Image, Log: o.Log}
	script, d, err := r.whichRun()
	if err != nil {
		return Shrunk{}, err
	}
	b, err := r.bench(ctx, script)
	if err != nil {
		return Shrunk{}, err
	}
	defer b.close()
	found := b.run(ctx, d, script.Header.Seed, sim.Recorded(script))
	switch found.run.Verdict {
	case reports.Error:
		return Shrunk{}, fmt.Errorf("%s: %s", o.File, found.run.Error)
	case reports.Violation:
	default:
		return Shrunk{}, &UsageError{fmt.Errorf("%s: this program passes it, so there is nothing to shrink; accepted is a script that fails", o.File)}
	}
	small := b.shrink(ctx, d, found.script, shrinkTriesMax, shrinkGatesMax)
	if err := ctx.Err(); err != nil {
		return Shrunk{}, err
	}
	run := small.run
	run.Replay, run.Script = "", small.script.String()
	again := b.run(ctx, d, script.Header.Seed, sim.Recorded(small.script))
	if line, left, right, same := sim.Difference(small.history, again.history); !same {
		run.Verdict, run.Error = reports.Nondeterministic, fmt.Sprintf("line %d differs: first %q, then %q", line, left, right)
	}
	return Shrunk{Run: run, Script: small.script, Before: len(script.Deviations), Tries: small.tries, Partly: small.partly}, nil
}

// Regression is the file for testdata/regressions: the story as prose, and the run that must pass when the bug is gone.
// It claims no hash: the run of the engine that is right is another one.
func (s Shrunk) Regression() string {
	var b strings.Builder
	for _, line := range s.Run.Story {
		fmt.Fprintf(&b, "# %s\n", line)
	}
	script := s.Script
	script.Header.Hash, script.Header.Oracle, script.Header.Verdict = "", "", string(reports.Pass)
	b.WriteString(script.String())
	return b.String()
}

// Name is what the regression is called: its drill, its oracle, its seed.
func (s Shrunk) Name() string {
	return fmt.Sprintf("%s-%s-%d", s.Run.Drill, s.Run.Oracle, s.Run.Seed)
}

// GoTest is a file with a test that replays the regression at path, for the directory that path begins in: here the
// repository's root.
func (s Shrunk) GoTest(path string) string {
	var b strings.Builder
	b.WriteString(goTestHead)
	name := camel(strings.TrimSuffix(filepath.Base(path), ".script"))
	for i, line := range s.Run.Story {
		if i == 0 {
			line = fmt.Sprintf("TestRegression_%s: %s", name, line)
		}
		fmt.Fprintf(&b, "// %s\n", line)
	}
	fmt.Fprintf(&b, `func TestRegression_%s(t *testing.T) {
	run, err := drills.Replay(t.Context(), drills.ReplayOptions{File: %q, Postgres: "auto", Log: t.Logf})
	require.NoError(t, err)
	require.Equal(t, reports.Pass, run.Verdict, "%%s\n%%s", run.Error, strings.Join(run.Story, "\n"))
}
`, name, path)
	return b.String()
}

const goTestHead = `package main_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/drills"
	"github.com/recondrill/recondrill/reports"
)

`

// camel is "LostLeaseFence2" for lost-lease-fence-2.
func camel(name string) string {
	var b strings.Builder
	up := true
	for _, c := range name {
		switch {
		case !unicode.IsLetter(c) && !unicode.IsDigit(c):
			up = true
		case up:
			b.WriteRune(unicode.ToUpper(c))
			up = false
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// WriteRegression puts the file where the tests look for it: into ./testdata/regressions where that is, else beside the
// script that was given. An older file stays: the new one gets a number. path empty means there.
func (s Shrunk) WriteRegression(path, given string) (string, error) {
	if path == "" {
		dir := filepath.Join("testdata", "regressions")
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			dir = filepath.Dir(given)
		}
		path = filepath.Join(dir, s.Name()+".script")
		for n := 2; exists(path); n++ {
			path = filepath.Join(dir, fmt.Sprintf("%s-%d.script", s.Name(), n))
		}
	}
	return path, os.WriteFile(path, []byte(s.Regression()), 0o644)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
