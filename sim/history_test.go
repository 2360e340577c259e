package sim

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func historyOf(texts ...string) *History {
	h := newHistory(func() time.Duration { return 1500 * time.Millisecond })
	for _, s := range texts {
		h.Mark("operator", "advice", s)
	}
	return h
}

func TestHistory_HashIsThatOfTheLinesAndOfNothingElse(t *testing.T) {
	a, b := historyOf("x", "y"), historyOf("x", "y")
	require.Equal(t, a.Hash(), b.Hash())
	require.Equal(t, a.Hash(), a.Hash(), "reading it does not change it")
	require.NotEqual(t, a.Hash(), historyOf("y", "x").Hash())
	require.NotEqual(t, historyOf("x").Hash(), historyOf("x", "").Hash())
	require.Len(t, a.Hash(), 32)
}

func TestEntry_LinePrintsEveryField(t *testing.T) {
	d := Deviation{Class: Fault, Value: Value{"stall", "5s"}}
	e := Entry{At: 61*time.Second + 42*time.Microsecond, Actor: Actor{"w", 1, "t"}, What: "result", Label: "sql:X", Nth: 3,
		Text: "INSERT\n2", Keys: []string{"a", "b"}, Rows: 2, Deviation: &d}
	require.Equal(t, `61.000042 w#1/t sql:X/3 result: INSERT\n2 rows=2 keys=a,b fault stall 5s`, e.String())
}

func TestDifference_NamesTheFirstLineThatDiffers(t *testing.T) {
	_, _, _, same := Difference(historyOf("x", "y"), historyOf("x", "y"))
	require.True(t, same)
	line, left, right, same := Difference(historyOf("x", "y", "z"), historyOf("x", "q", "z"))
	require.False(t, same)
	require.Equal(t, 2, line)
	require.Equal(t, "1.500000 operator advice: y", left)
	require.Equal(t, "1.500000 operator advice: q", right)
	line, left, right, same = Difference(historyOf("x"), historyOf("x", "y"))
	require.False(t, same)
	require.Equal(t, []any{2, "", "1.500000 operator advice: y"}, []any{line, left, right})
}
