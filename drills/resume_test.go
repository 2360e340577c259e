package drills

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/reports"
)

func TestResume_RefusesAnotherCommandAnotherProgramAndOneThatEnded(t *testing.T) {
	now := reports.Start{Seed: 1, Runs: 20, Search: "ladder", Commit: "c", Binary: "b", Drills: []reports.DrillInfo{{Name: "lost-lease"}}}
	for what, change := range map[string]func(*reports.Start){
		"--seed": func(s *reports.Start) { s.Seed = 2 }, "--runs": func(s *reports.Start) { s.Runs = 3 }, "--for": func(s *reports.Start) { s.For = "1m" },
		"--search": func(s *reports.Start) { s.Search = "pct" }, "--statements": func(s *reports.Start) { s.Statements = "d" },
		"the drills": func(s *reports.Start) { s.Drills = nil }, "the commit": func(s *reports.Start) { s.Commit = "d" }, "the program": func(s *reports.Start) { s.Binary = "" },
	} {
		then := now
		change(&then)
		_, err := before([]reports.Event{then}, now)
		var usage *UsageError
		require.ErrorAs(t, err, &usage)
		require.ErrorContains(t, err, "--resume: "+what+" differ")
	}
	_, err := before([]reports.Event{now, reports.Summary{Verdict: reports.Pass, Runs: 20}}, now)
	require.EqualError(t, err, "--resume: the campaign in the journal came to its end (pass, 20 runs); accepted is one that was interrupted")
	_, err = before([]reports.Event{reports.Run{}}, now)
	require.ErrorContains(t, err, "does not say which campaign it is of")
	j, err := before([]reports.Event{now, reports.Run{Drill: "lost-lease"}, reports.Summary{Interrupted: true}}, now)
	require.NoError(t, err)
	require.Len(t, j.of("lost-lease"), 1)
	require.Error(t, j.sameServer(reports.Postgres{How: "local"}))
}
