package simtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/recondrill/recondrill/sim"
)

// Failure is one broken claim, shrunk.
type Failure struct {
	Claim  string     // what does not hold
	Detail string     // in this run
	Script sim.Script // the smallest set of deviations that was found
	Story  []string   // 5 to 10 lines for people
	Found  int        // in which run
	Rung   string     // what proposed that run
	Shrunk int        // with so many further runs
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
