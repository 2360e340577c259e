package reports_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/recondrill/recondrill/reports"
)

func TestVerdict_ExitCodesAreTheContracts(t *testing.T) {
	t.Parallel()
	codes := map[reports.Verdict]int{reports.Pass: 0, reports.Violation: 1, reports.Error: 3, reports.Nondeterministic: 4, reports.Vacuous: 5, "": 3, "maybe": 3}
	for v, code := range codes {
		require.Equal(t, code, v.Exit(), "%q", v)
	}
}

func TestVerdict_TheWorstDecides(t *testing.T) {
	t.Parallel()
	order := []reports.Verdict{"", reports.Pass, reports.Vacuous, reports.Violation, reports.Nondeterministic, reports.Error, "unheard of"}
	for i, good := range order {
		for _, bad := range order[i:] {
			require.Equal(t, bad, reports.Worse(good, bad))
			require.Equal(t, bad, reports.Worse(bad, good))
		}
	}
}

func TestParseVerdict_KnowsItsWordsOnly(t *testing.T) {
	t.Parallel()
	for _, v := range reports.Verdicts() {
		got, err := reports.ParseVerdict(string(v))
		require.NoError(t, err)
		require.Equal(t, v, got)
	}
	for _, word := range []string{"", "PASS", "ok"} {
		_, err := reports.ParseVerdict(word)
		require.ErrorContains(t, err, "accepted are [pass vacuous violation nondeterministic error]")
	}
}
