package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/drills"
)

func TestProgress_LineSaysWhatAPersonWaitsFor(t *testing.T) {
	t.Parallel()
	require.Equal(t, "lost-lease  140/600 runs, 78.1 a second, 6s left",
		line(drills.Progress{Drill: "lost-lease", Done: 140, Total: 600, RunsPerSecond: 78.12, Left: 5900 * time.Millisecond, Elapsed: time.Minute, Faults: map[string]int{"stall": 41, "crash": 12}}))
	require.Equal(t, "canary  3 runs, 0.0 a second", line(drills.Progress{Drill: "canary", Done: 3}))
	require.Len(t, []rune(cut(strings.Repeat("x", 500))), lineMax)
}

func TestProgress_IsPlainAndSparseWhereNobodyLooks(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p := newProgress(&out, func(string) string { return "" })
	for i := range 1000 {
		p.show(drills.Progress{Drill: "a", Done: i + 1, Total: 1000})
	}
	p.log("a server died: %d", 7)
	p.end()
	require.Equal(t, 3, strings.Count(out.String(), "\n"), out.String())
	require.NotContains(t, out.String(), "\x1b")
}

func TestProgress_TellsOnceAtTheEndOfADrillWhatBitInIt(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p := newProgress(&out, func(string) string { return "" })
	bitten := map[string]int{"crash": 1, "stall": 2}
	p.show(drills.Progress{Drill: "a", Done: 2, Total: 4, Faults: bitten})
	bitten["crash"] = 4
	p.show(drills.Progress{Drill: "b", Done: 4, Total: 4, Faults: bitten})
	p.end()
	require.Equal(t, "a  2/4 runs, 0.0 a second\na  done, 2 runs; bitten: crash 1, stall 2\n"+
		"b  4/4 runs, 0.0 a second\nb  done, 2 runs; bitten: crash 3\n", out.String())
}

func TestProgress_ALogLineDoesNotMixWithTheRedrawnOne(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p := newProgress(&out, func(string) string { return "" })
	p.redraw = true
	p.show(drills.Progress{Drill: "a", Done: 1, Total: 2})
	p.log("hello")
	p.end()
	require.Equal(t, "\r\x1b[2Ka  1/2 runs, 0.0 a second\r\x1b[2Khello\n", out.String())
}
