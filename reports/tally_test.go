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
	s := tallied(reports.Start{}, many(reports.Run{Drill: "a", Verdict: reports.Pass, Checked: map[string]int{"fence": 0, "effects": 1},
		Spoiled: reports.Spoiled{"effects": true}})...)
	require.Equal(t, reports.Vacuous, s.Verdict)
	require.Equal(t, []string{"a: the oracle fence had nothing to check in 20 runs"}, s.Reasons)
}

func TestTally_AnOracleThatDoesNotSeeWhatIsDamagedForItIsAnError(t *testing.T) {
	t.Parallel()
	blind := reports.Run{Drill: "a", Verdict: reports.Pass, Checked: map[string]int{"fence": 3, "effects": 1}, Spoiled: reports.Spoiled{"fence": false, "effects": true}}
	s := tallied(reports.Start{}, blind)
	require.Equal(t, reports.Error, s.Verdict)
	require.Equal(t, map[string]bool{"effects": true, "fence": false}, s.Canaries)
	require.Equal(t, []string{"the oracle fence did not notice what was damaged for it in 1 run, so its passes prove nothing"}, s.Reasons)
	seeing := blind
	seeing.Spoiled = reports.Spoiled{"fence": true}
	require.Equal(t, reports.Pass, tallied(reports.Start{}, blind, seeing).Verdict, "there are damages that leave a record as good as before")
}

func TestTally_AnOracleThatIsNeverShownDamageIsAnErrorOverAWholeCatalogue(t *testing.T) {
	t.Parallel()
	run := reports.Run{Drill: "a", Verdict: reports.Pass, Checked: map[string]int{"fence": 3}}
	s := tallied(reports.Start{}, many(run)...)
	require.Equal(t, reports.Error, s.Verdict)
	require.Equal(t, map[string]bool{"fence": false}, s.Canaries)
	require.Equal(t, reports.Pass, tallied(reports.Start{Named: true}, many(run)...).Verdict, "one drill may have nothing of it")
	require.Equal(t, reports.Pass, tallied(reports.Start{}, many(run)[1:]...).Verdict, "19 runs say nothing")
}

func TestTally_FaultsTriedOneAtATimeSayNothingOfWhatNeverBit(t *testing.T) {
	t.Parallel()
	start := reports.Start{Search: "ladder", Drills: []reports.DrillInfo{{Name: "a", Faults: []string{"stall"}}}}
	require.Equal(t, reports.Pass, tallied(start, many(reports.Run{Drill: "a", Rung: "sweep", Verdict: reports.Pass})...).Verdict)
	require.Equal(t, reports.Vacuous, tallied(start, many(reports.Run{Drill: "a", Rung: "pct", Verdict: reports.Pass})...).Verdict)
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

func TestTally_ANamedCanaryMustBeFoundTooAndItsFindIsToldWithoutContradiction(t *testing.T) {
	t.Parallel()
	named := reports.Start{Named: true}
	find := reports.Run{Drill: "canary", Canary: true, Verdict: reports.Violation}
	s := tallied(named, reports.Run{Drill: "canary", Canary: true, Verdict: reports.Pass})
	require.Equal(t, reports.Error, s.Verdict)
	require.Equal(t, 3, s.Verdict.Exit())
	require.Contains(t, s.Reasons[0], "was not found in 1 run")

	words := func(start reports.Start, runs ...reports.Run) string {
		tally := reports.NewTally(start)
		for _, r := range runs {
			tally.Add(r)
		}
		return tally.Words(tally.Summary().Verdict)
	}
	require.Equal(t, "The planted bug was found, as it must be; the exit code is 1 because canary was named.", words(named, find))
	require.Equal(t, "A promise broke.", words(named, find, reports.Run{Drill: "a", Verdict: reports.Violation}))
	require.Equal(t, "Nothing was lost and nothing happened twice.", words(reports.Start{}, find, reports.Run{Drill: "a", Verdict: reports.Pass}))
}

func TestTally_WhatACanaryWentThroughIsNotMixedIn(t *testing.T) {
	t.Parallel()
	tally := reports.NewTally(reports.Start{})
	tally.Add(reports.Run{Drill: "a", Verdict: reports.Pass, Faults: []string{"stall"}})
	tally.Add(reports.Run{Drill: "canary", Canary: true, Verdict: reports.Violation, Faults: []string{"stall", "crash"}})
	require.Equal(t, map[string]int{"stall": 1}, tally.Summary().FaultsBitten)
	require.Equal(t, []string{"A second drill, canary, carries a planted bug: found in 1 of 1 run, as it must be."}, tally.Canaries())
	require.Equal(t, "found", tally.Drills()[1].Word())
}

func TestTally_AStoppedCampaignIsNotBlamedForWhatNeverHappened(t *testing.T) {
	t.Parallel()
	tally := reports.NewTally(reports.Start{Drills: []reports.DrillInfo{{Name: "a", Faults: []string{"stall"}}}})
	for _, r := range many(reports.Run{Drill: "a", Verdict: reports.Pass}) {
		tally.Add(r)
	}
	tally.Stop()
	require.Empty(t, tally.Summary().Reasons)
	require.Equal(t, "pass", tally.Drills()[0].Word())
}
