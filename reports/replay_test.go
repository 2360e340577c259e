package reports_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/reports"
)

const (
	seeded = "recondrill replay --drill a --seed 1"
	filed  = "recondrill replay FILE (its script is in the report)"
	one    = "drill  a\nhash   small\n\nworker-1  sql:commit/1  fault  kill after\n"
)

func TestRun_StoryAndReplaySayWhoseTheyAre(t *testing.T) {
	t.Parallel()
	kill, wait := "worker-1 sql:commit/1 fault kill after", "worker-1 sleep/1 latency 5s"
	for name, c := range map[string]struct {
		run   reports.Run
		title string
		ways  []reports.Way
	}{
		"as found": {reports.Run{Replay: seeded, Hash: "h"}, "The story:", []reports.Way{{What: "Replay", Command: seeded, Hash: "h"}}},
		"shrunk": {reports.Run{Replay: seeded, Hash: "h", Script: one, ScriptFile: "out/failures/a-1.script", Deviations: []string{wait, kill}},
			"The story (shrunk from 2 deviations to 1):", []reports.Way{{What: "Replay the shrunk run", Command: "recondrill replay out/failures/a-1.script"},
				{What: "As found", Command: seeded, Hash: "h"}}},
		"nothing to shrink": {reports.Run{Replay: seeded, Hash: "h", Script: one, Deviations: []string{kill}}, "The story:",
			[]reports.Way{{What: "Replay the script", Command: "recondrill replay FILE"}, {What: "As found", Command: seeded, Hash: "h"}}},
		"of a sweep": {reports.Run{Replay: filed, Hash: "h", Script: one, ScriptFile: "f", Deviations: []string{kill}}, "The story:",
			[]reports.Way{{What: "Replay the script", Command: "recondrill replay f", Hash: "h"}}},
		"shrunk, of a sweep": {reports.Run{Replay: filed, Hash: "h", Script: one, ScriptFile: "f", Deviations: []string{wait}}, "The story (shrunk from 1 deviation to 1):",
			[]reports.Way{{What: "Replay the shrunk run", Command: "recondrill replay f"}, {What: "As found (its deviations are in the journal)", Hash: "h"}}},
	} {
		require.Equal(t, c.title, c.run.StoryTitle(), name)
		require.Equal(t, c.ways, c.run.Ways(), name)
	}
}
