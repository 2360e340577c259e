package reports_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/reports"
)

func tallied(start reports.Start, runs ...reports.Run) reports.Summary {
	tally := reports.NewTally(start)
	for _, r := range runs {
		tally.Add(r)
	}
	return tally.Summary()
}

func TestTally_TheWorstRunDecides(t *testing.T) {
	t.Parallel()
	s := tallied(reports.Start{}, reports.Run{Drill: "a", Verdict: reports.Pass, Fingerprint: "1"}, reports.Run{Drill: "a", Verdict: reports.Violation, Fingerprint: "1"},
		reports.Run{Drill: "b", Verdict: reports.Pass, Fingerprint: "1"})
	require.Equal(t, reports.Violation, s.Verdict)
	require.Equal(t, 3, s.Runs)
	require.Equal(t, 2, s.Distinct, "fingerprints of two drills are different runs")
	require.Equal(t, map[reports.Verdict]int{reports.Pass: 2, reports.Violation: 1}, s.Verdicts)
}

func many(r reports.Run) []reports.Run {
	return slices.Repeat([]reports.Run{r}, reports.VacuityRuns)
}

func TestTally_AnExpectedFaultThatNeverBitIsVacuous(t *testing.T) {
	t.Parallel()
	start := reports.Start{Drills: []reports.DrillInfo{{Name: "a", Faults: []string{"stall", "crash"}}}}
	runs := many(reports.Run{Drill: "a", Verdict: reports.Pass, Faults: []string{"stall"}})
	s := tallied(start, runs...)
	require.Equal(t, reports.Vacuous, s.Verdict)
	require.Equal(t, []string{"a: the fault crash never bit in 20 runs"}, s.Reasons)
	s = tallied(start, append(runs, reports.Run{Drill: "a", Verdict: reports.Pass, Faults: []string{"crash"}})...)
	require.Equal(t, reports.Pass, s.Verdict)
	require.Equal(t, map[string]int{"stall": 20, "crash": 1}, s.FaultsBitten)
	require.Equal(t, reports.Pass, tallied(start, runs[1:]...).Verdict, "19 runs say nothing about what did not happen")
}

func TestTally_AnOracleThatCheckedNothingIsVacuous(t *testing.T) {
	t.Parallel()
	s := tallied(reports.Start{}, many(reports.Run{Drill: "a", Verdict: reports.Pass, Checked: map[string]int{"fence": 0, "effects": 1}})...)
	require.Equal(t, reports.Vacuous, s.Verdict)
	require.Equal(t, []string{"a: the oracle fence had nothing to check in 20 runs"}, s.Reasons)
}

func TestTally_ACanaryCountsOnlyWhenNamed(t *testing.T) {
	t.Parallel()
	find := reports.Run{Drill: "canary", Canary: true, Verdict: reports.Violation}
	pass := reports.Run{Drill: "a", Verdict: reports.Pass}
	s := tallied(reports.Start{}, pass, find)
	require.Equal(t, reports.Pass, s.Verdict)
	require.Equal(t, map[string]bool{"canary": true}, s.Canaries)
	require.Equal(t, reports.Violation, tallied(reports.Start{Named: true}, find).Verdict)
}

func TestTally_AnUnfoundCanaryMakesTheCampaignAnError(t *testing.T) {
	t.Parallel()
	s := tallied(reports.Start{}, reports.Run{Drill: "a", Verdict: reports.Pass}, reports.Run{Drill: "canary", Canary: true, Verdict: reports.Pass})
	require.Equal(t, reports.Error, s.Verdict)
	require.Equal(t, map[string]bool{"canary": false}, s.Canaries)
	require.Contains(t, s.Reasons[0], "was not found in 1 run")
}

func TestTally_NothingIsNotAPass(t *testing.T) {
	t.Parallel()
	s := tallied(reports.Start{Drills: []reports.DrillInfo{{Name: "a"}}})
	require.Equal(t, reports.Error, s.Verdict)
	require.Equal(t, []string{"nothing ran"}, s.Reasons)
}
