package drills

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/reports"
	"github.com/recondrill/recondrill/sim"
)

func TestAgain_ADifferenceNamesTheFirstLineInWhichTheRunsPart(t *testing.T) {
	history := func(texts ...string) *result {
		r := &result{history: &sim.History{}, run: reports.Run{Verdict: reports.Pass}}
		for _, text := range texts {
			r.history.Entries = append(r.history.Entries, sim.Entry{Actor: sim.Bare("a"), What: text})
		}
		return r
	}
	one := history("x", "y")
	kept, err := one.kept()
	require.NoError(t, err)
	var lines []string
	require.NoError(t, kept.History.unpack(&lines))
	require.Equal(t, one.history.Lines(), lines)

	require.Empty(t, kept.differs(history("x", "y"), lines))
	require.Equal(t, `line 2 differs: first "0.000000 a y", then "0.000000 a z"`, kept.differs(history("x", "z"), lines))
	require.Equal(t, `line 2 differs: first "0.000000 a y", then ""`, kept.differs(history("x"), lines))
	other := history("x", "y")
	other.tables = "t"
	require.Contains(t, kept.differs(other, lines), "other tables")
	other = history("x", "y")
	other.run.Verdict = reports.Violation
	require.Contains(t, kept.differs(other, lines), "judged two ways")
}
