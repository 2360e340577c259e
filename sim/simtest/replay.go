package simtest

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/recondrill/recondrill/sim"
)

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
