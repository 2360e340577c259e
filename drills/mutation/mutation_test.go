package mutation

import (
	"bytes"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../.."

func TestAll_ThereAreEnoughMutantsOfEachKindAndAThirdIsHeldOut(t *testing.T) {
	all, err := All(root)
	require.NoError(t, err)
	mechanical, held := 0, 0
	names := map[string]bool{}
	for _, m := range all {
		require.False(t, names[m.Name], "two mutants are called %s", m.Name)
		names[m.Name] = true
		require.NotEmpty(t, m.Files, m.Name)
		if m.Operator != "written" {
			mechanical++
		}
		if m.HeldOut() {
			held++
		}
	}
	require.GreaterOrEqual(t, len(all), 60)
	require.GreaterOrEqual(t, mechanical, 30)
	require.GreaterOrEqual(t, len(all)-mechanical, 15)
	require.InDelta(t, 1.0/3, float64(held)/float64(len(all)), 0.12)
}

func TestAll_DrawsTheSameMutantsTwice(t *testing.T) {
	first, err := All(root)
	require.NoError(t, err)
	second, err := All(root)
	require.NoError(t, err)
	require.Len(t, second, len(first))
	for i, m := range first {
		require.Equal(t, m.Name, second[i].Name)
		require.True(t, maps.EqualFunc(m.Files, second[i].Files, bytes.Equal), m.Name)
	}
}

func TestConditions_AreFoundInsideParenthesesAndSubqueriesAndNotInABetween(t *testing.T) {
	const sql = "select 1 from t where (a = 1 or b = 2 and c) and d between 3 and 4 and exists (select from u where u.x = t.y limit 1) order by 1"
	var found []string
	for _, c := range conditions(lexemes(sql)) {
		found = append(found, sql[c.start:c.end])
	}
	require.Equal(t, []string{"a = 1", "b = 2", "c", "d between 3 and 4", "exists (select from u where u.x = t.y limit 1)", "u.x = t.y"}, found)
}

func TestLocks_AreDroppedWholeOrOnlyTheSkip(t *testing.T) {
	const sql = "select 1 from t order by 1 for update of t skip locked"
	one := func(find func([]lexeme) []cut) string {
		cuts := find(lexemes(sql))
		require.Len(t, cuts, 1)
		return sql[cuts[0].start:cuts[0].end]
	}
	require.Equal(t, "for update of t skip locked", one(locks))
	require.Equal(t, "skip locked", one(skips))
}

func TestTable_SaysWhatWasNotFoundAndCountsCensoredSearches(t *testing.T) {
	found := Find{Found: true, Oracle: "fence", Drill: "lost-lease", Rung: "sweep", Runs: 40, Seconds: 5}
	missed := Find{Runs: 700, Seconds: 60}
	all := []Mutant{{Name: "a", Operator: "written"}, {Name: "b", Operator: "drop-lock"}, {Name: "c", Operator: "drop-lock"}, {Name: "d", Operator: "drop-lock"}}
	text := Table(all, map[string]Record{
		"a": {Mutant: "a", Operator: "written", Origin: "B21", Finds: []Find{found, missed, missed}},
		"b": {Mutant: "b", Operator: "drop-lock", Finds: []Find{missed, missed, missed}, Long: &Find{Runs: 9000, Seconds: 600}},
		"c": {Mutant: "c", Operator: "drop-lock", Finds: []Find{missed, missed, missed}, Long: &missed},
	}, map[string]string{"c": "nobody could tell"})
	require.Contains(t, text, "| a | B21 |  | 1 of 3 | fence | lost-lease | sweep | >700 (>700) |")
	require.Contains(t, text, "`b` (): . NOT FOUND")
	require.Contains(t, text, "equivalent: nobody could tell")
	require.Contains(t, text, "## Not measured yet\n\n- d\n")
	require.Contains(t, text, "| mechanical | 1 | 0 |", "an equivalent one does not count")
}
